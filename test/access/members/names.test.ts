import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { propose, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("the names of members on $name", (engine) => {
  let service: Service;
  let team: Team;
  let ada: Awaited<ReturnType<Team["join"]>>;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    team = await makeTeam(service);
    ada = await team.join("maintainer");
  });
  afterAll(() => service.stop());

  const name = (person: { call: Team["call"] }, to: unknown) => person.call("PATCH", "/me", { name: to });
  const read = async (path: string) =>
    createBrowserWithoutScripts(service, await service.signIn(team.owner)).open(path);

  it("can be set, read and removed by their person, and are trimmed", async () => {
    expect((await ada.call("GET", "/me")).body).toMatchObject({ user: { email: ada.email, name: null } });
    expect(await name(ada, "  Ada Byron ")).toMatchObject({
      status: 200,
      body: { user: { id: ada.id, email: ada.email, name: "Ada Byron" } },
    });
    expect((await ada.call("GET", "/me")).body).toMatchObject({ user: { name: "Ada Byron" } });
    await name(ada, null);
    expect((await ada.call("GET", "/me")).body).toMatchObject({ user: { name: null } });
  });

  it.each([
    ["nothing", ""],
    ["spaces", "  "],
    ["more than 60 characters", "a".repeat(61)],
    ["a line break", "Ada\nByron"],
    ["a control character", "Ada\u0007"],
    ["an override of the direction", "Ada\u202enoryB"],
    ["an isolate", "\u2066Ada"],
    ["only what nobody sees", "\u200b\u3164"],
    ["only joiners", "\u200d\u200c"],
    ["an address", "boss@example.org"],
    ["an address with a wide @", "boss\uff20example.org"],
    ["an address with a small @", "boss\ufe6bexample.org"],
    ["a number", 7],
  ])("are refused with %s", async (_, wrong) => {
    expect((await name(ada, wrong)).status).toBe(400);
  });

  it.each(["a".repeat(60), "李", "می‌خواهم", "👩‍💻 Ada", "O’Neil-Smith"])("can be %s", async (right) => {
    expect((await name(ada, right)).body).toMatchObject({ user: { name: right } });
  });

  it("are not changed with a token", async () => {
    const token = await service.makeToken(team.owner, "maintainer");
    const headers = { authorization: `Bearer ${token}` };
    const answer = await service.request("PATCH", "/api/v1/console/me", { headers, body: { name: "X" } });
    expect(answer.status).toBe(401);
  });

  it("are beside the address in answers of the console", async () => {
    const id = await sendFeedback(service, team.app.key, { subject: "Oven" });
    await name(ada, "Ada Byron");
    await ada.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Seen." });
    await ada.call("PATCH", `/feedback/${id}`, { assignee: "me", status: "in_progress" });
    const by = { writtenBy: ada.email, writtenByName: "Ada Byron" };
    const assignee = { userId: ada.id, email: ada.email, name: "Ada Byron" };
    const thread = await team.call("GET", `/feedback/${id}`);
    expect(thread.body).toMatchObject({ messages: [by], assignee });
    const list = await team.call("GET", `${team.at}/feedback`);
    expect(list.body).toMatchObject({ items: [{ lastMessage: by, assignee }] });
    const events = await team.call("GET", `/feedback/${id}/events`);
    expect(events.body).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ kind: "status", by: ada.email, byName: "Ada Byron" }),
      ]),
    });
    const members = await team.call("GET", `${team.at}/members`);
    expect(members.body).toMatchObject({
      items: [
        { role: "owner", name: null },
        { userId: ada.id, name: "Ada Byron" },
      ],
    });
    const audit = await team.call("GET", `/audit?appId=${team.app.id}&action=thread.assign`);
    expect(audit.body).toMatchObject({ items: [{ actor: ada.email, actorName: "Ada Byron" }] });
  });

  it("are shown on the pages in place of the address, and the address appears as a tooltip", async () => {
    const id = await sendFeedback(service, team.app.key, { subject: "Oven" });
    const runId = await propose(service, await service.makeToken(team.owner, "agent"), id);
    await name(ada, "Ada King <b> Byron");
    await ada.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Seen." });
    await ada.call("PATCH", `/feedback/${id}`, { assignee: "me", status: "in_progress" });
    await ada.call("POST", `/runs/${runId}/decision`, { decision: "approve" });
    await ada.call("POST", `${team.at}/faqs`, { question: "Why?", answer: "So." });
    const page = await read(`/console/feedback/${team.app.id}/${id}`);
    const words = readingOf(page);
    expect(words).toContain("Internal note by Ada King <b> Byron");
    expect(words).toContain("Approved by Ada King <b> Byron");
    expect(words).toContain("Ada King <b> Byron assigned the thread to themselves");
    expect(page.text).toContain(`title="${ada.email}"`);
    expect(page.text).not.toContain("<b> Byron");
    const list = await read(`/console/feedback/${team.app.id}?status=in_progress`);
    expect(readingOf(list)).toContain("assigned to Ada King <b> Byron");
    expect(list.text).toMatch(/class="avatar hue-[0-7]" title="[^"]*"><span aria-hidden="true">AB</);
    expect(readingOf(list)).toContain("Ada King <b> Byron , in a note: Seen.");
    expect(readingOf(await read(`/console/faqs/${team.app.id}`))).toContain("by Ada King <b> Byron");
    expect(readingOf(await read(`/console/members/${team.app.id}`))).toContain("Ada King <b> Byron");
    expect(readingOf(await read("/console/audit"))).toContain("Ada King <b> Byron");
  });

  it("are shown with the address if two people have the same name", async () => {
    const grace = await team.join("maintainer");
    await name(ada, "Kim Lee");
    await name(grace, "kim  lee");
    const id = await sendFeedback(service, team.app.key, { subject: "Oven" });
    for (const person of [ada, grace])
      await person.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Seen." });
    const words = readingOf(await read(`/console/feedback/${team.app.id}/${id}`));
    expect(words).toContain(`by Kim Lee ( ${ada.email} )`);
    expect(words).toContain(`by kim lee ( ${grace.email} )`);
  });

  it("are hidden from the team after their person has left it", async () => {
    const id = await sendFeedback(service, team.app.key, { subject: "Oven" });
    await name(ada, "Ada Byron");
    await ada.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Seen." });
    const path = `/console/feedback/${team.app.id}/${id}`;
    expect(readingOf(await read(path))).toContain("by Ada Byron");
    await team.call("DELETE", `${team.at}/members/${ada.id}`);
    expect(readingOf(await read(path))).toContain(`by ${ada.email}`);
  });

  it("are in no answer to the team when their person has left it", async () => {
    const id = await sendFeedback(service, team.app.key, { subject: "Oven" });
    const runId = await propose(service, await service.makeToken(team.owner, "agent"), id);
    const other = await sendFeedback(service, team.app.key, { subject: "Stove" });
    await name(ada, "Ada Byron");
    await ada.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Seen." });
    await ada.call("PATCH", `/feedback/${id}`, { tags: ["kitchen"] });
    await ada.call("POST", `/runs/${runId}/decision`, { decision: "reject" });
    await ada.call("POST", `/feedback/${other}/merge`, { into: id });
    const faq = (await ada.call("POST", `${team.at}/faqs`, { question: "Why?", answer: "So." })).field("id");
    await ada.call("PATCH", `/faqs/${faq}`, { answer: "Because." });
    const answers = async () => {
      const paths = [`/feedback/${id}`, `${team.at}/feedback`, `/feedback/${id}/events`];
      const more = [`/faqs/${faq}/history`, `/audit?appId=${team.app.id}`];
      const all = await Promise.all([...paths, ...more].map((path) => team.call("GET", path)));
      return all.map(({ status, text }) => [status, text.includes("Ada Byron"), text.includes(ada.email)]);
    };
    expect(await answers()).toEqual(Array.from({ length: 5 }, () => [200, true, true]));
    await team.call("DELETE", `${team.at}/members/${ada.id}`);
    expect(await answers()).toEqual(Array.from({ length: 5 }, () => [200, false, true]));
  });

  it("are never shown to senders, apps and agents", async () => {
    const id = await sendFeedback(service, team.app.key, { subject: "Oven", email: "sam@example.org" });
    await name(ada, "Ada Byron");
    await ada.call("PATCH", `/feedback/${id}`, { assignee: "me" });
    await ada.call("POST", `/feedback/${id}/messages`, { direction: "outbound", body: "Thanks." });
    const agent = { authorization: `Bearer ${await service.makeToken(team.owner, "agent")}` };
    const seen = await service.request("GET", `/api/v1/agent/feedback/${id}`, { headers: agent });
    const { statusUrl = "" } = Object((await ada.call("POST", `/feedback/${id}/status-link`, {})).body);
    const page = await service.request("GET", new URL(statusUrl).pathname, {});
    expect(page.text).toContain("Thanks.");
    const mails = await service.deps.database.all("SELECT * FROM mails");
    for (const told of [seen.text, page.text, JSON.stringify(mails)]) expect(told).not.toContain("Ada Byron");
  });

  it("are recorded in the audit as a change without the text", async () => {
    await name(ada, "Ada Byron");
    await name(ada, "Ada Byron");
    const { body } = await ada.call("GET", "/audit?action=user.name");
    expect(Object(body).items).toHaveLength(1);
    expect(Object(body).items[0]).toMatchObject({ target: ada.id, changes: [{ field: "name" }] });
    const rows = await service.deps.database.all("SELECT * FROM audit");
    expect(JSON.stringify(rows)).not.toContain("Ada Byron");
  });

  it("can be set when a person accepts an invitation", async () => {
    const made = await team.invite("grace@example.org");
    const grace = await team.newcomer("grace@example.org");
    const browser = createBrowserWithoutScripts(service, grace.headers);
    const page = await browser.open(`/console/invitations/${made.token}`);
    const action = `/console/invitations/${made.token}/accept`;
    const refused = await browser.send(page, action, { name: "grace@example.org" });
    expect(refused.status).toBe(400);
    expect(readingOf(refused)).toContain("must not contain an @");
    const sent = await browser.send(refused, action, { name: "Grace Hopper" });
    expect(sent.status).toBe(303);
    expect((await grace.call("GET", "/me")).body).toMatchObject({ user: { name: "Grace Hopper" } });
    const other = await makeTeam(service);
    const next = await other.invite("grace@example.org");
    expect((await grace.call("POST", `/invitations/${next.token}/accept`)).status).toBe(200);
    expect((await grace.call("GET", "/me")).body).toMatchObject({ user: { name: "Grace Hopper" } });
  });

  it("can be changed under “Your account”, without scripts", async () => {
    const browser = createBrowserWithoutScripts(service, ada.headers);
    const page = await browser.open("/console/account");
    const action = "/console/account/name";
    const refused = await browser.send(page, action, { name: "a@b" });
    expect([refused.status, readingOf(refused)]).toEqual([
      400,
      expect.stringContaining("must not contain an @"),
    ]);
    const saved = await browser.follow(await browser.send(page, action, { name: "Ada" }));
    expect(saved.text).toContain('value="Ada"');
    await browser.follow(await browser.send(saved, action, { name: "" }));
    expect((await ada.call("GET", "/me")).body).toMatchObject({ user: { name: null } });
  });

  it("are deleted with the account", async () => {
    const grace = await team.join("viewer");
    await name(grace, "Mary Somerville");
    expect((await grace.call("POST", "/account/delete", { email: grace.email })).status).toBe(204);
    const rows = await service.deps.database.all("SELECT name FROM users");
    expect(JSON.stringify(rows)).not.toContain("Mary Somerville");
  });
});
