import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newIssueAddress } from "../../../server/feedback/threads/page/aside.tsx";
import { createBrowserWithoutScripts } from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

const consoleUrl = "https://inn.example.org/console/feedback/1/2";
const partsOf = (subject: string, message: string) => {
  const { origin, pathname, searchParams } = new URL(
    newIssueAddress("larder/android", { subject, message, consoleUrl }),
  );
  return { form: origin + pathname, title: searchParams.get("title"), body: searchParams.get("body") };
};

describe("the form for a new issue of a thread", () => {
  it("has the subject, the link and the message in a code block", () => {
    expect(partsOf("Empty list", "It is empty.\nPlease help.")).toEqual({
      form: "https://github.com/larder/android/issues/new",
      title: "Empty list",
      body: `Reported by a user: ${consoleUrl}\n\n\`\`\`text\nIt is empty.\nPlease help.\n\`\`\``,
    });
  });

  it("keeps the words of the sender in the code block, whatever they contain", () => {
    const { title, body } = partsOf("a\nb\u202e@octocat", "````\n@octocat\n```\n<img>");
    expect(title).toBe("a b@octocat");
    expect(body?.split("\n").slice(2)).toEqual(["`````text", "````", "@octocat", "```", "<img>", "`````"]);
  });

  it("has an address that is short enough for GitHub", () => {
    expect(
      newIssueAddress("a/b", { subject: "é".repeat(900), message: "é".repeat(99_000), consoleUrl }).length,
    ).toBeLessThan(8_000);
    expect(partsOf("s", "x".repeat(5_000)).body).toMatch(/x\n…\n```$/);
  });
});

describe("a thread without an issue", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it("links to the form if the app has a repository, without data of the sender", async () => {
    const owner = await service.makeUser();
    const app = await service.makeApp(owner);
    const headers = await service.signIn(owner);
    const fields = {
      subject: "Empty list",
      message: "It is empty.",
      email: "mara@example.org",
      name: "Mara",
    };
    const thread = await sendFeedback(service, app.key, fields);
    const browser = createBrowserWithoutScripts(service, headers);
    const linkOf = async () =>
      /href="(https:\/\/github\.com\/[^"]*)"/.exec(
        (await browser.open(`/console/feedback/${app.id}/${thread}`)).text,
      )?.[1];
    expect(await linkOf()).toBeUndefined();
    const body = { githubRepository: "larder/android" };
    await service.request("PATCH", `/api/v1/console/apps/${app.id}`, { headers, body });
    const link = (await linkOf()) ?? "";
    expect(link).toContain("https://github.com/larder/android/issues/new?title=Empty+list");
    expect(decodeURIComponent(link)).not.toMatch(/mara/i);
    const issue = { githubIssueUrl: "https://github.com/larder/android/issues/7" };
    await service.request("PATCH", `/api/v1/console/feedback/${thread}`, { headers, body: issue });
    expect(await linkOf()).toBe(issue.githubIssueUrl);
  });
});
