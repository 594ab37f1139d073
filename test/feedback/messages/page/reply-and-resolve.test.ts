import { describe, expect, it, onTestFinished } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../../support/service/request.ts";
import { startService } from "../../../support/service/service.ts";
import { makeTeam } from "../../../support/worlds/members/team.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

async function start(report: object = {}) {
  const service = await startService();
  onTestFinished(() => service.stop());
  const team = await makeTeam(service);
  const id = await sendFeedback(service, team.app.key, report);
  const at = (part = "") => `/console/feedback/${team.app.id}/${id}${part}`;
  const join = async () => {
    const member = await team.join("maintainer");
    return { ...member, ...createBrowserWithoutScripts(service, member.headers) };
  };
  const maria = await join();
  const owner = createBrowserWithoutScripts(service, await service.signIn(team.owner));
  const status = async (): Promise<string> =>
    Object((await team.call("GET", `/feedback/${id}`)).body).feedback.status;
  const chosen = ({ text }: Answer): string | undefined =>
    /<select[^>]*name="status"[^>]*>.*?<option value="(\w+)" selected/s.exec(text)?.[1];
  // The browser keeps the query of the address, which names the finished action.
  const follow = (answer: Answer) => maria.open(answer.headers.get("location")?.split("#")[0] ?? "");
  return { service, team, maria, owner, at, status, chosen, follow };
}

const reply = { direction: "outbound", replyBody: "Mended in 2.4." };

describe("a status that is chosen together with a reply", () => {
  it("is saved with the reply, and the page says so", async () => {
    const { maria, at, status, chosen, follow } = await start();
    const sent = await maria.send(await maria.open(at()), at("/messages"), {
      ...reply,
      status: "in_progress",
    });
    expect(sent.status).toBe(303);
    expect(await status()).toBe("in_progress");
    const page = await follow(sent);
    expect(readingOf(page)).toContain("Your changes in the other fields are saved, too.");
    expect(chosen(page)).toBe("in_progress");
  });

  it("is also saved with a note", async () => {
    const { maria, at, status } = await start();
    const note = { direction: "note", noteBody: "Mine.", status: "in_progress" };
    await maria.send(await maria.open(at()), at("/messages"), note);
    expect(await status()).toBe("in_progress");
  });

  it("can be set to resolved by a separate button", async () => {
    const { maria, at, status } = await start();
    const page = await maria.open(at());
    expect(page.text).toMatch(/<button[^>]*value="resolve"[^>]*>Send and resolve<\/button>/);
    await maria.send(page, at("/messages"), { ...reply, direction: "resolve" });
    expect(await status()).toBe("resolved");
    expect((await maria.open(at())).text).not.toContain("Send and resolve");
  });

  it("is not saved if the reply is refused, and stays selected on a page that says so", async () => {
    const { team, maria, at, status, chosen } = await start();
    const page = await maria.open(at());
    await team.call("POST", `/feedback/${at().split("/").at(-1)}/messages`, {
      direction: "note",
      body: "Wait.",
    });
    const refused = await maria.send(page, at("/messages"), { ...reply, status: "resolved" });
    expect(refused.status).toBe(409);
    expect(readingOf(refused)).toMatch(/Nothing was sent\..*Not saved yet: Status\. Save it below\./);
    expect([await status(), chosen(refused)]).toEqual(["open", "resolved"]);
  });

  it("stays selected after another button is used, on a page that says so and warns before the person leaves it", async () => {
    const { maria, at, status, chosen } = await start();
    const shown = await maria.send(await maria.open(at()), at("/status-link"), {
      status: "resolved",
      category: "question",
    });
    expect(readingOf(shown)).toContain("Not saved yet: Status, Type. Save them below.");
    expect(shown.text).toMatch(/<form[^>]* data-unsaved/);
    expect([await status(), chosen(shown)]).toEqual(["open", "resolved"]);
    expect((await maria.open(at())).text).not.toMatch(/data-unsaved|Not saved yet/);
  });

  it.each([
    ["githubIssueUrl", "no address", /Linked issue .*must be/i],
    ["addTags", "x".repeat(45), /Add tags .*must have at most 40 characters/i],
  ])(
    "is not saved if the field %s prevents the reply, and the page names the field",
    async (name, value, fault) => {
      const { maria, at } = await start();
      const refused = await maria.send(await maria.open(at()), at("/messages"), { ...reply, [name]: value });
      expect(refused.status).toBe(400);
      expect(readingOf(refused)).toMatch(fault);
      expect(refused.text).toContain("Mended in 2.4.");
    },
  );
});

describe("a reply that is refused after another person has changed the thread", () => {
  const change = async ({ team, owner, maria, at }: Awaited<ReturnType<typeof start>>) => {
    const theirs = { status: "archived", assignee: maria.id, addTags: "crash" };
    expect((await owner.send(await owner.open(at()), at("/edit"), theirs)).status).toBe(303);
    return async () => {
      const { body } = await team.call("GET", `/feedback/${at().split("/").at(-1)}`);
      const { feedback, assignee, tags } = Object(body);
      return [feedback.status, assignee?.userId, tags.map(({ name }: { readonly name: string }) => name)];
    };
  };

  it.each([
    ["has a placeholder that is not known", { replyBody: "Hello {Name}" }, {}],
    ["is too long", { replyBody: "x".repeat(10_001) }, { replyBody: "Shorter." }],
    ["is empty", { replyBody: " " }, { replyBody: "Written." }],
    ["comes with a wrong address", { ...reply, githubIssueUrl: "no address" }, { githubIssueUrl: "" }],
  ])("does not take back that change when it is sent again, if it %s", async (_, wrong, right) => {
    const world = await start();
    const { maria, at } = world;
    const page = await maria.open(at());
    const changed = await change(world);
    const refused = await maria.send(page, at("/messages"), { ...reply, ...wrong });
    expect([refused.status, world.chosen(refused)]).toEqual([400, "archived"]);
    const sent = await maria.send(refused, at("/messages"), { direction: "outbound", ...right });
    expect(sent.status).toBe(303);
    expect(await changed()).toEqual(["archived", maria.id, ["crash"]]);
  });

  it("names the field if its writer has changed the same field, and replaces the value only after that", async () => {
    const world = await start();
    const { maria, at } = world;
    const page = await maria.open(at());
    const changed = await change(world);
    const doubtful = { direction: "outbound", replyBody: "Hello {Name}", status: "in_progress" };
    const refused = await maria.send(page, at("/messages"), doubtful);
    expect([refused.status, world.chosen(refused)]).toEqual([400, "in_progress"]);
    expect(readingOf(refused)).toContain("Status was changed by somebody else since you opened this page");
    const again = await maria.send(refused, at("/messages"), { direction: "outbound" });
    expect([again.status, world.chosen(again)]).toEqual([400, "in_progress"]);
    expect(readingOf(again)).toContain("Your reply has {Name}");
    expect((await maria.send(again, at("/messages"), { direction: "outbound" })).status).toBe(303);
    expect(await changed()).toEqual(["in_progress", maria.id, ["crash"]]);
  });

  it("names the field of a change that came after the refusal", async () => {
    const world = await start();
    const { maria, at } = world;
    const doubtful = { direction: "outbound", replyBody: "Hello {Name}", status: "in_progress" };
    const refused = await maria.send(await maria.open(at()), at("/messages"), doubtful);
    expect(readingOf(refused)).toContain("Your reply has {Name}");
    const changed = await change(world);
    const again = await maria.send(refused, at("/messages"), { direction: "outbound" });
    expect([again.status, readingOf(again)]).toEqual([400, expect.stringContaining("Status was changed by")]);
    expect(await changed()).toEqual(["archived", maria.id, ["crash"]]);
  });
});

describe("a reply without receivers", () => {
  it("is explained by a message before and after it is sent, which says what an owner can do", async () => {
    const { team, owner, maria, at, follow } = await start({ email: "kim@example.org" });
    await team.call("PATCH", team.at, { senderPages: false });
    const page = await owner.open(at());
    expect(readingOf(page)).toContain("A reply would not reach the sender. Turn on sender pages");
    const after = await owner.send(page, at("/messages"), reply);
    const shown = await owner.open(after.headers.get("location")?.split("#")[0] ?? "");
    const words = "Not delivered: this server sends no mail, and sender pages are off.";
    expect(readingOf(shown).split(words)).toHaveLength(3);
    expect(shown.text).toMatch(/class="notice attention" role="alert" data-done="replied"/);
    const member = await follow(await maria.send(await maria.open(at()), at("/messages"), reply));
    expect(readingOf(member)).toContain(`${words} An owner of the app can turn on sender pages.`);
  });

  it("is not explained if the sender's page shows it", async () => {
    const { maria, at, follow } = await start();
    const page = await follow(await maria.send(await maria.open(at()), at("/messages"), reply));
    expect(readingOf(page)).toContain(
      "The reply was added to the thread. The reply is only on the sender's page.",
    );
    expect(readingOf(page)).not.toContain("Not delivered");
  });
});
