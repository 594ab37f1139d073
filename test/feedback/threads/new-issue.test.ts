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
    expect(partsOf("s", "``\u200b`\n@octocat").body).toMatch(/\n````text\n```\n@octocat\n````$/);
  });

  it.each([
    ["accented letters", "é"],
    ["Chinese characters", "漢"],
    ["emoji", "😀"],
    ["backticks", "`"],
    ["short lines", "漢\n"],
  ])("has an address that is short enough for GitHub if the texts are %s", (_, character) => {
    const repeated = (times: number) => character.repeat(times);
    const given = { subject: repeated(900), message: repeated(50_000), consoleUrl };
    const address = newIssueAddress("a/b", given);
    expect(Buffer.byteLength(address)).toBeLessThan(8_000);
    expect(Buffer.byteLength(address)).toBeGreaterThan(2_000);
  });

  it("has as many whole characters of the message as fit, and says that there are more", () => {
    const { body } = partsOf("s", `a${"😀".repeat(1_500)}`);
    expect(body).toMatch(/^a(😀){600,700}\n…\n```$/mu);
    expect(body).not.toContain("\ufffd");
  });

  it("has at most 1,000 characters of the message, whatever their length in UTF-16", () => {
    const shown = (message: string) => partsOf("s", message).body?.split("\n").slice(3, -1);
    expect(shown("x".repeat(1_000))).toEqual(["x".repeat(1_000)]);
    expect(shown("x".repeat(1_001))).toEqual(["x".repeat(1_000), "…"]);
    expect(shown(`😀${"x".repeat(999)}`)).toEqual([`😀${"x".repeat(999)}`]);
    expect(shown(`${"x".repeat(999)}😀y`)).toEqual([`${"x".repeat(999)}😀`, "…"]);
  });

  it("has a fence for the words that it shows, not for those that it leaves out", () => {
    const { body } = partsOf("s", `Hello.${" x".repeat(600)}${"`".repeat(40_000)}`);
    expect(body).toMatch(/\n```text\nHello\./);
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
