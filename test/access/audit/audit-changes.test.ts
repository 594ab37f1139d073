import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { eventually } from "../../support/eventually.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("the audit entry about a change", () => {
  let service: Service;
  let team: Team;
  let id: string;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    team = await makeTeam(service);
    id = await sendFeedback(service, team.app.key, { subject: "Oven broke" });
  });
  afterAll(() => service.stop());

  const entries = async (action: string) => {
    const { body } = await team.call("GET", `/audit?appId=${team.app.id}&action=${action}`);
    return Object(body).items;
  };
  const changesOf = async (action: string) => (await entries(action))[0]?.changes;
  const change = (body: object) => team.call("PATCH", `/feedback/${id}`, body);

  it("has the old and the new status, type, subject and linked issue of a thread", async () => {
    const githubIssueUrl = "https://github.com/innkeep/innkeep/issues/1";
    await change({ status: "resolved", category: "question", subject: "Oven", githubIssueUrl });
    expect(await changesOf("thread.update")).toEqual([
      { field: "status", from: "open", to: "resolved" },
      { field: "category", from: "bug", to: "question" },
      { field: "subject", from: "Oven broke", to: "Oven" },
      { field: "githubIssueUrl", from: null, to: githubIssueUrl },
    ]);
  });

  it("has the old and the new assignee and tags of a thread", async () => {
    const maria = await team.join("maintainer");
    await change({ assignee: "me", addTags: ["sync", "android"] });
    await change({ assignee: maria.email, removeTags: ["sync"] });
    expect((await entries("thread.assign")).map((entry: object) => Object(entry).changes)).toEqual([
      [{ field: "assignee", from: team.owner.email, to: maria.email }],
      [{ field: "assignee", from: null, to: team.owner.email }],
    ]);
    expect(await changesOf("thread.tag")).toEqual([{ field: "tags", from: "android, sync", to: "android" }]);
  });

  it("has the change of a thread with a reply, and the delivery of the reply without an address", async () => {
    const reply = { direction: "outbound", body: "Mended.", change: { status: "resolved" } };
    await team.call("POST", `/feedback/${id}/messages`, reply);
    expect(await changesOf("thread.update")).toEqual([{ field: "status", from: "open", to: "resolved" }]);
    expect(await changesOf("message.outbound")).toEqual([{ field: "delivery", to: "on the sender's page" }]);
    await team.call("PATCH", team.at, { senderPages: false });
    await team.call("POST", `/feedback/${id}/messages`, { direction: "outbound", body: "Mended." });
    expect(await changesOf("message.outbound")).toEqual([{ field: "delivery", to: "not delivered" }]);
  });

  it("has roles and settings, but never the secret address of a chat", async () => {
    const maria = await team.join("viewer");
    await team.call("PATCH", `${team.at}/members/${maria.id}`, { role: "maintainer" });
    expect(await changesOf("member.update")).toEqual([{ field: "role", from: "viewer", to: "maintainer" }]);
    const chatWebhookUrl = "https://chat.example.org/hooks/secret-words";
    const { name, senderPages } = Object((await team.call("GET", team.at)).body);
    expect(
      (await team.call("PATCH", team.at, { senderPages: !senderPages, name: "Inn", chatWebhookUrl })).status,
    ).toBe(200);
    expect(await changesOf("app.update")).toEqual(
      expect.arrayContaining([
        { field: "name", from: name, to: "Inn" },
        { field: "senderPages", from: String(senderPages), to: String(!senderPages) },
        { field: "chatWebhookUrl" },
      ]),
    );
    expect(JSON.stringify(await entries("app.update"))).not.toContain("secret-words");
  });

  it("has only the names of the changed fields of an FAQ entry", async () => {
    const faq = await team.call("POST", `${team.at}/faqs`, { question: "Why?", answer: "So." });
    await team.call("PATCH", `/faqs/${faq.field("id")}`, { question: "Why not?", answer: "So." });
    expect(await changesOf("faq.update")).toEqual([{ field: "question" }]);
  });

  it("does not exist if an update has the values of before", async () => {
    const faq = await team.call("POST", `${team.at}/faqs`, { question: "Why?", answer: "So." });
    const note = await team.call("POST", `${team.at}/changelog`, {
      version: "1.0.0",
      title: "New",
      body: "New.",
    });
    const tag = await team.call("POST", `${team.at}/tags`, { name: "sync" });
    const view = { name: "Bugs", query: { category: "bug" }, shared: true };
    const shared = await team.call("POST", `${team.at}/views`, view);
    const hook = await team.call("POST", `${team.at}/webhooks`, { url: "https://hooks.example.org/a" });
    for (const made of [faq, note, tag, shared, hook]) expect(made.status).toBe(201);
    const { name } = Object((await team.call("GET", team.at)).body);
    const updates = [
      await team.call("PATCH", `/faqs/${faq.field("id")}`, { question: "Why?", answer: "So." }),
      await team.call("PATCH", `/changelog/${note.field("id")}`, { title: "New", body: "New." }),
      await team.call("PATCH", `/tags/${tag.field("id")}`, { name: "sync" }),
      await team.call("PATCH", `${team.at}/views/${shared.field("id")}`, view),
      await team.call("PATCH", `${team.at}/webhooks/${hook.field("id")}`, {
        url: "https://hooks.example.org/a",
      }),
      await team.call("PATCH", team.at, { name }),
    ];
    expect(updates.map(({ status }) => status)).toEqual(updates.map(() => 200));
    const { body } = await team.call("GET", `/audit?appId=${team.app.id}`);
    const actions: string[] = Object(body).items.map((entry: object) => Object(entry).action);
    expect(actions.filter((action) => action.endsWith(".update"))).toEqual([]);
  });

  it("loses the words of a sender when the thread is deleted", async () => {
    await change({ subject: "Oven", status: "archived" });
    await team.call("DELETE", `/feedback/${id}`);
    expect(await changesOf("thread.update")).toEqual([
      { field: "status", from: "open", to: "archived" },
      { field: "subject" },
    ]);
  });

  it("contains nothing of a person who is erased", async () => {
    await change({ subject: "Ask kim@kitchen.example", status: "archived" });
    const erased = await team.call("POST", "/people/erase", { email: "kim@kitchen.example" });
    expect(erased.status).toBe(201);
    await eventually(async () =>
      expect(JSON.stringify(await entries("thread.update"))).not.toContain("kim@kitchen"),
    );
  });

  it("contains no words of an erased person from a thread that is kept because of other people", async () => {
    const report = { subject: "Kim's oven", email: "kim@cellar.example", dedupeKey: "oven" };
    id = await sendFeedback(service, team.app.key, report);
    await sendFeedback(service, team.app.key, { email: "bo@cellar.example", dedupeKey: "oven" });
    await change({ subject: "Oven" });
    await team.call("POST", "/people/erase", { email: "kim@cellar.example" });
    await eventually(async () => expect(await changesOf("thread.update")).toEqual([{ field: "subject" }]));
  });

  it("shows a time as a time, and names the fields as the forms do", async () => {
    const publishedAt = "2099-11-30T10:00:00.000Z";
    const note = { title: "Maps", version: "1.2.0", body: "New.", publishedAt };
    const entry = (await team.call("POST", `/apps/${team.app.id}/changelog`, note)).field("id");
    await team.call("PATCH", `/changelog/${entry}`, { publishedAt: null });
    await team.call("PATCH", `/apps/${team.app.id}`, { senderPages: false, retentionDays: 30 });
    const owner = createBrowserWithoutScripts(service, await service.signIn(team.owner));
    const page = await owner.open("/console/audit");
    expect(readingOf(page)).toMatch(/Publication time ?: 30 Nov 2099, 10:00 UTC ?→ none/);
    expect(readingOf(page)).toMatch(/Sender pages ?: yes → no/);
    expect(readingOf(page)).toContain("Delete resolved threads after (days)");
    expect(page.text).toContain(`<time datetime="${publishedAt}">`);
    expect(page.text).not.toContain("publishedAt");
  });

  it("is shown on its page with the names of the fields", async () => {
    await change({ status: "resolved" });
    await team.call("POST", `/feedback/${id}/messages`, { direction: "outbound", body: "Mended." });
    const owner = createBrowserWithoutScripts(service, await service.signIn(team.owner));
    const page = readingOf(await owner.open("/console/audit"));
    expect(page).toMatch(/Replied to a sender .*?Delivery ?: on the sender's page/);
    expect(page).toMatch(/Changed a thread .*?Status ?: open ?→ resolved/);
    expect(page).not.toContain("not sent");
  });
});
