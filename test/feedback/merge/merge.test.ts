import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { unreadCounts } from "../../../server/feedback/unread/store/news.ts";
import { databases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { answerOnPage } from "../../support/mail/answer-on-page.ts";
import { type AppWithSenders, makeAppWithSenders } from "../../support/mail/app-with-senders.ts";
import { mailOf, makeMailArrive } from "../../support/mail/arriving-mail.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";
import { exportFile, importFile } from "../../support/worlds/transfer/app-file.ts";

const day = 86_400_000;

const png =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

interface Message {
  readonly id: string;
  readonly body: string;
}

describe.each(databases)("a merge of threads on $name", (engine) => {
  let service: Service;
  let app: AppWithSenders;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    app = await makeAppWithSenders(service);
  });
  afterAll(() => service.stop());

  const send = async (body: object = {}) => {
    const answer = await app.report(body);
    return { id: answer.field("id"), url: String(Object(answer.body).statusUrl) };
  };
  const merge = (id: string, into: string) => app.console("POST", `/feedback/${id}/merge`, { into });
  const unmerge = (id: string) => app.console("POST", `/feedback/${id}/unmerge`);
  const wordsOf = async (id: string): Promise<string[]> => {
    const { feedback, messages } = Object(await app.thread(id));
    return [feedback.message, ...messages.map(({ body }: Message) => body)];
  };
  const page = async (url: string) => (await fetch(url, { headers: { accept: "text/html" } })).text();
  const list = async (query = "") =>
    Object((await app.console("GET", `/apps/${app.appId}/feedback?${query}`)).body).items;

  it("removes a thread that was read or marked as unread from the number of unread threads", async () => {
    const team = await makeTeam(service);
    const bo = await team.join("maintainer");
    const sent = [];
    for (let at = 0; at < 4; at += 1) sent.push(await sendFeedback(service, team.app.key, { message: "x" }));
    const [into = "", read = "", marked = "", other = ""] = sent;
    const unread = async () => {
      const { items } = Object((await bo.call("GET", `${team.at}/feedback?unread=true`)).body);
      const counts = await unreadCounts(service.deps.database, bo.id);
      return [items.length, counts.find(({ appId }) => appId === team.app.id)?.unread];
    };
    await bo.call("PUT", `/feedback/${read}/read`, { read: true });
    await team.call("POST", `/feedback/${read}/merge`, { into });
    expect(await unread()).toEqual([3, 3]);
    await bo.call("PUT", `${team.at}/feedback/read`, {});
    await bo.call("PUT", `/feedback/${marked}/read`, { read: false });
    await team.call("POST", `/feedback/${marked}/merge`, { into: other });
    expect(await unread()).toEqual([1, 1]);
    await team.call("POST", `/feedback/${marked}/unmerge`);
    expect(await unread()).toEqual([2, 2]);
  });

  it("puts the messages of both threads into one thread, and the undo separates them again", async () => {
    const ada = await send({
      message: "It crashes.",
      email: "ada@kitchen.example",
      name: "Ada",
      images: [png],
    });
    const bo = await send({ message: "It closes.", email: "bo@cellar.example", subject: "Closes" });
    await app.reply(bo.id, { body: "We look." });
    await app.console("POST", `/feedback/${bo.id}/messages`, { direction: "note", body: "Same as Ada's." });
    await app.console("PATCH", `/feedback/${bo.id}`, { status: "in_progress", addTags: ["crash"] });
    const before = Object(await app.thread(bo.id));
    const merged = await merge(bo.id, ada.id);
    expect([merged.status, merged.field("feedback.id"), Object(merged.body).feedback.occurrences]).toEqual([
      200,
      ada.id,
      2,
    ]);
    expect(await wordsOf(ada.id)).toEqual(["It crashes.", "It closes.", "We look.", "Same as Ada's."]);
    const report = Object(merged.body).messages[0];
    expect([report.id, report.sender.email, report.subject, report.mergedFrom]).toEqual([
      ...[bo.id, "bo@cellar.example", "Closes", bo.id],
    ]);
    expect(Object(merged.body).merged).toMatchObject([
      { id: bo.id, number: before.feedback.number, subject: "Closes", mergedBy: app.owner.email },
    ]);
    const led = Object(await app.thread(bo.id));
    expect([led.feedback.id, led.feedback.mergedInto]).toEqual([ada.id, ada.id]);
    expect((await list()).map(({ id }: Message) => id)).toEqual([ada.id]);
    expect((await list(`number=${before.feedback.number}`)).map(({ id }: Message) => id)).toEqual([ada.id]);
    const apart = await unmerge(bo.id);
    expect(apart.status, apart.text).toBe(200);
    const after = Object(apart.body);
    expect(after.messages).toEqual(before.messages);
    expect([after.feedback, after.tags, after.sender]).toEqual([before.feedback, before.tags, before.sender]);
    expect(await wordsOf(ada.id)).toEqual(["It crashes."]);
    expect(Object(await app.thread(ada.id)).feedback.occurrences).toBe(1);
    expect(Object(await app.thread(ada.id)).feedback.images).toHaveLength(1);
  });

  it("is refused for a thread of another app, a merged thread, the thread itself, and a thread with an open proposal", async () => {
    const [one, two, three] = [await send(), await send(), await send()];
    const other = await makeTeam(service);
    expect((await merge(one.id, await sendFeedback(service, other.app.key))).status).toBe(404);
    expect((await merge(one.id, one.id)).status).toBe(400);
    expect((await unmerge(one.id)).status).toBe(409);
    await merge(one.id, two.id);
    expect([(await merge(three.id, one.id)).status, (await merge(three.id, one.id)).field("code")]).toEqual([
      409,
      "merged",
    ]);
    expect((await merge(one.id, three.id)).field("code")).toBe("merged");
    for (const [method, body] of [
      ["PATCH", { status: "resolved" }],
      ["DELETE", undefined],
    ] as const)
      expect((await app.console(method, `/feedback/${one.id}`, body)).field("code")).toBe("merged");
    const path = `/api/v1/agent/feedback/${three.id}/proposal`;
    const proposed = await service.request("POST", path, {
      headers: app.agent,
      body: { summary: "Guard it.", plan: "1. Guard." },
    });
    expect((await merge(three.id, two.id)).field("code")).toBe("run_open");
    const decision = { decision: "approve" };
    await app.console("POST", `/runs/${proposed.field("runId")}/decision`, decision);
    expect((await merge(three.id, two.id)).field("code")).toBe("run_open");
    await app.console("POST", `/runs/${proposed.field("runId")}/recall`, {});
    expect((await merge(three.id, two.id)).status).toBe(200);
  });

  it("redirects an agent and its proposal to the other thread", async () => {
    const [from, into] = [await send({ message: "Twice." }), await send({ message: "Once." })];
    const propose = (id: string, body: object = {}) =>
      service.request("POST", `/api/v1/agent/feedback/${id}/proposal`, {
        headers: app.agent,
        body: { summary: "Guard it.", plan: "1. Guard.", ...body },
      });
    const read = (id: string) =>
      service.request("GET", `/api/v1/agent/feedback/${id}`, { headers: app.agent });
    const old = await propose(from.id);
    await app.console("POST", `/runs/${old.field("runId")}/decision`, { decision: "reject" });
    const own = await propose(into.id);
    await read(from.id);
    await merge(from.id, into.id);
    const seen = await read(from.id);
    expect([seen.field("feedback.id"), seen.field("feedback.mergedInto")]).toEqual([into.id, into.id]);
    // The proposals of the merged thread are older than those of the other one.
    expect(seen.field("latestProposal.id")).toBe(own.field("runId"));
    const waiting = await service.request("GET", "/api/v1/agent/feedback?waiting=approval", {
      headers: app.agent,
    });
    expect(waiting.field("items.0.id")).toBe(into.id);
    const made = await propose(from.id, { expectedRunId: own.field("runId") });
    expect([made.status, made.field("mergedInto")]).toEqual([201, into.id]);
    const run = await service.request("GET", `/api/v1/agent/runs/${made.field("runId")}`, {
      headers: app.agent,
    });
    expect(run.field("feedbackId")).toBe(into.id);
    expect((await read(from.id)).field("latestProposal.id")).toBe(made.field("runId"));
    expect((await read(into.id)).text).not.toContain("mergedInto");
    await app.console("POST", `/runs/${made.field("runId")}/decision`, { decision: "reject" });
    await unmerge(from.id);
    expect((await read(from.id)).field("latestProposal.id")).toBe(old.field("runId"));
    expect((await read(into.id)).field("latestProposal.id")).toBe(made.field("runId"));
  });

  it("shows each sender only the own words and the replies to them", async () => {
    const ada = await send({ message: "Ada's words.", email: "ada@kitchen.example" });
    const bo = await send({ message: "Bo's words.", email: "bo@cellar.example" });
    const cy = await send({ message: "Cy's words.", email: "cy@attic.example" });
    await app.reply(ada.id, { body: "All of Ada's.", everyone: true });
    await app.reply(bo.id, { body: "All of Bo's.", everyone: true });
    await merge(bo.id, ada.id);
    await app.reply(ada.id, { body: "All of both.", everyone: true });
    await app.reply(ada.id, { body: "Bo alone.", reportId: bo.id });
    // A reply to the id of the merged thread goes to its sender.
    await app.reply(bo.id, { body: "Bo again." });
    await merge(ada.id, cy.id);
    await app.reply(cy.id, { body: "All of three.", everyone: true });
    await answerOnPage(bo.url, "Bo answers.");
    const seen = async () => ({ ada: await page(ada.url), bo: await page(bo.url), cy: await page(cy.url) });
    const has = (text: string) =>
      [
        "Ada&#39;s words",
        "Bo&#39;s words",
        "Cy&#39;s words",
        "All of Ada",
        "All of Bo",
        "All of both",
        "Bo alone",
        "Bo again",
        "All of three",
        "Bo answers",
      ]
        .filter((words) => text.replaceAll("'", "&#39;").includes(words))
        .join(", ");
    const merged = await seen();
    expect(has(merged.ada)).toBe("Ada&#39;s words, All of Ada, All of both, All of three");
    expect(has(merged.bo)).toBe(
      "Bo&#39;s words, All of Bo, All of both, Bo alone, Bo again, All of three, Bo answers",
    );
    expect(has(merged.cy)).toBe("Cy&#39;s words, All of three");
    expect(await wordsOf(cy.id)).toContain("Bo answers.");
    const receivers = Object(await app.thread(cy.id)).messages.filter(
      ({ everyone }: { everyone?: boolean }) => everyone,
    );
    expect(receivers.map(({ body }: Message) => body)).toHaveLength(4);
    expect((await unmerge(bo.id)).status).toBe(200);
    expect((await unmerge(ada.id)).status).toBe(200);
    const apart = await seen();
    expect(Object.values(apart).map(has)).toEqual(Object.values(merged).map(has));
    expect((await wordsOf(bo.id)).sort()).toEqual(
      [
        "All of Bo's.",
        "All of both.",
        "All of three.",
        "Bo again.",
        "Bo alone.",
        "Bo answers.",
        "Bo's words.",
      ].sort(),
    );
    expect((await wordsOf(cy.id)).sort()).toEqual(["All of three.", "Cy's words."]);
  });

  it("prevents a reply to everyone that uses the id of the merged thread (rule F46)", async () => {
    const bo = await send({ message: "Bo's words.", email: "bo@cellar.example" });
    const ada = await send({ message: "Ada's words.", email: "ada@kitchen.example" });
    await merge(ada.id, bo.id);
    const everyone = await app.reply(ada.id, { body: "For Ada.", everyone: true });
    expect([everyone.status, everyone.field("code")]).toEqual([409, "merged"]);
    expect(await wordsOf(bo.id)).not.toContain("For Ada.");
    expect((await app.reply(ada.id, { body: "For Ada." })).status).toBe(201);
    expect(await page(bo.url)).not.toContain("For Ada.");
  });

  it("prevents a reply to everyone from a person who has not seen the last merge (rule F35)", async () => {
    const ada = await send({ message: "Ada's words.", email: "ada@kitchen.example" });
    const bo = await send({ message: "Bo's words.", email: "bo@cellar.example" });
    const seen = { expectedMessageId: null, expectedMergeId: null };
    await merge(ada.id, bo.id);
    const reply = { body: "For Bo.", everyone: true };
    const refused = await app.reply(bo.id, { ...reply, ...seen, expectedMessageId: ada.id });
    expect([refused.status, refused.field("code")]).toEqual([409, "answered"]);
    expect(refused.text).toContain("Another thread was merged into this thread at ");
    expect(await page(ada.url)).not.toContain("For Bo.");
    const now = { expectedMessageId: ada.id, expectedMergeId: ada.id };
    expect((await app.reply(bo.id, { ...reply, ...now })).status).toBe(201);
    await unmerge(ada.id);
    expect((await app.reply(bo.id, { ...reply, expectedMergeId: ada.id })).status).toBe(201);
  });

  it("adds later answers and repeats to the other thread, and the undo moves them back", async () => {
    const key = (dedupeKey: string, run: string) => ({ dedupeKey, dedupeScope: "ci", dedupeRun: run });
    const from = await send({ message: "From.", email: "ada@kitchen.example", ...key("a", "1") });
    const into = await send({ message: "Into.", ...key("b", "1") });
    await merge(from.id, into.id);
    const again = await app.report({ message: "Again.", ...key("a", "2") });
    expect([again.field("id"), Object(again.body).deduplicated]).toEqual([into.id, true]);
    const take = await makeMailArrive(service, {
      ...{ reportId: from.id, appId: app.appId, recipient: "ada@kitchen.example" },
    });
    await take(mailOf(["By mail."], {}));
    expect(await wordsOf(into.id)).toEqual(["Into.", "From.", "Again.", "By mail."]);
    expect(Object(await app.thread(into.id)).feedback.occurrences).toBe(3);
    const resolve = (run: string, passed: string[]) =>
      app.console("POST", `/apps/${app.appId}/feedback/resolve`, { scope: "ci", run, passed });
    const half = await resolve("3", ["a"]);
    expect(Object(half.body).stillFailing[0]).toMatchObject({ id: into.id, scopes: ["ci"] });
    const whole = await resolve("4", ["a", "b"]);
    expect([whole.field("resolved.0.id"), Object(whole.body).stillFailing]).toEqual([into.id, []]);
    await unmerge(from.id);
    expect((await wordsOf(from.id)).slice(0, 3)).toEqual(["From.", "Again.", "By mail."]);
    expect(Object(await app.thread(from.id)).feedback.occurrences).toBe(2);
    expect(Object(await app.thread(from.id)).feedback.status).toBe("open");
    expect((await app.report({ ...key("a", "9") })).field("id")).toBe(from.id);
  });

  it("keeps the snooze of a thread for an undo, until the snooze ends or the sender answers", async () => {
    const inHours = (hours: number) =>
      new Date(service.clock.now().getTime() + hours * 3_600_000).toISOString();
    const into = await send();
    const snoozed = async (email: string) => {
      const { id, url } = await send({ email });
      const until = inHours(5);
      await app.console("PATCH", `/feedback/${id}`, { snoozedUntil: until });
      await merge(id, into.id);
      return { id, url, until };
    };
    const snoozeOf = async (id: string) => Object((await unmerge(id)).body).feedback.snoozedUntil;
    const [ahead, answered, over] = [
      await snoozed("ada@kitchen.example"),
      await snoozed("bo@cellar.example"),
      await snoozed("cy@pantry.example"),
    ];
    expect(await snoozeOf(ahead.id)).toBe(ahead.until);
    expect((await list("snoozed=true")).map(({ id }: Message) => id)).toEqual([ahead.id]);
    expect((await list("unread=true")).map(({ id }: Message) => id)).not.toContain(ahead.id);
    await answerOnPage(answered.url, "It still does.");
    expect(await snoozeOf(answered.id)).toBeNull();
    service.clock.advance(6 * 3_600_000);
    expect(await snoozeOf(over.id)).toBeNull();
  });

  it("does not prevent that one run resolves the failures of both threads", async () => {
    const key = (dedupeKey: string) => ({ dedupeKey, dedupeScope: "ci", dedupeRun: "1" });
    const [from, into] = [await send(key("x")), await send(key("y"))];
    await merge(from.id, into.id);
    const answer = await app.console("POST", `/apps/${app.appId}/feedback/resolve`, {
      ...{ scope: "ci", run: "2", passed: ["x", "y"] },
    });
    expect(Object(answer.body).resolved.map(({ id }: Message) => id)).toEqual([into.id]);
    expect(Object(answer.body).stillFailing).toEqual([]);
  });

  it("is recorded in the events and the audit of both threads", async () => {
    const [from, into] = [await send(), await send()];
    await merge(from.id, into.id);
    await unmerge(from.id);
    const events = async (id: string) => {
      const { items } = Object((await app.console("GET", `/feedback/${id}/events`)).body);
      return items.map(({ kind, field, from: was, to, by }: Record<string, string>) => [
        kind,
        field,
        was,
        to,
        by,
      ]);
    };
    const by = app.owner.email;
    expect(await events(into.id)).toEqual([
      ["merge", "merged", null, "#1", by],
      ["merge", "merged", "#1", null, by],
    ]);
    expect(await events(from.id)).toEqual([
      ["merge", "mergedInto", null, "#2", by],
      ["merge", "mergedInto", "#2", null, by],
    ]);
  });

  it("cannot be undone after 30 days, and stays after an export and an erasure", async () => {
    const ada = await send({ message: "Ada's.", email: "ada@kitchen.example" });
    const bo = await send({ message: "Bo's.", email: "bo@cellar.example", subject: "For bo@cellar.example" });
    const cy = await send({ message: "Cy's.", email: "cy@attic.example" });
    await app.console("PATCH", `/feedback/${bo.id}`, { addTags: ["crash"], subject: "Bo's subject" });
    await app.reply(bo.id, { body: "All of Bo's.", everyone: true });
    await merge(bo.id, ada.id);
    await merge(ada.id, cy.id);
    const stranger = await service.signIn(await service.makeUser());
    const copy = await importFile(service, stranger, await exportFile(service, app.person, app.appId));
    expect(copy.status, copy.text).toBe(201);
    const inCopy = (method: string, path: string) =>
      service.request(method, `/api/v1/console${path}`, { headers: stranger });
    const { items } = Object((await inCopy("GET", `/apps/${copy.field("appId")}/feedback`)).body);
    expect(items).toHaveLength(1);
    const [{ id: copied }] = items;
    const copies = Object((await inCopy("GET", `/feedback/${copied}`)).body);
    expect(copies.merged).toHaveLength(2);
    const boCopy = copies.merged.find(({ subject }: { subject: string }) => subject === "Bo's subject").id;
    const apart = await inCopy("POST", `/feedback/${boCopy}/unmerge`);
    expect([apart.status, apart.field("feedback.message"), apart.field("tags.0.name")]).toEqual([
      200,
      "Bo's.",
      "crash",
    ]);
    expect(Object(apart.body).messages.map(({ body }: Message) => body)).toEqual(["All of Bo's."]);

    const begun = await app.console("POST", "/people/erase", { email: "bo@cellar.example" });
    await eventually(async () => {
      const receipt = await app.console("GET", `/people/erasures/${begun.field("id")}`);
      expect(receipt.field("status")).toBe("done");
    });
    expect(await wordsOf(cy.id)).toEqual(["Cy's.", "Ada's.", "All of Bo's."]);
    expect([(await unmerge(bo.id)).status, (await unmerge(ada.id)).status]).toEqual([409, 409]);
    expect(Object(await app.thread(bo.id)).feedback.mergedInto).toBe(cy.id);

    const [one, two] = [await send(), await send()];
    await merge(one.id, two.id);
    service.clock.advance(31 * day);
    const headers = await service.signIn(app.owner);
    const later = (method: string, path: string) =>
      service.request(method, `/api/v1/console/feedback/${path}`, { headers });
    expect((await later("POST", `${one.id}/unmerge`)).status).toBe(409);
    expect((await later("DELETE", two.id)).status).toBe(204);
    expect((await later("GET", one.id)).status).toBe(404);
  });

  it("counts the merged thread as a repeat, and its undo counts the thread as before", async () => {
    const [from, into] = [await send({ metadata: { appVersion: "1.2" } }), await send()];
    await app.reply(from.id);
    await app.console("PATCH", `/feedback/${from.id}`, { status: "resolved" });
    const numbers = async () => {
      const { perDay, firstReply, versions, top } = Object(
        (await app.console("GET", `/apps/${app.appId}/statistics`)).body,
      );
      const today = perDay.at(-1);
      return {
        ...{ bugs: today.new.bug, repeats: today.repeats, resolved: today.resolved, none: firstReply.none },
        ...{
          versions: versions.length,
          top: top.map(({ id, count }: { id: string; count: number }) => [id, count]),
        },
      };
    };
    const before = await numbers();
    expect(before).toEqual({ bugs: 2, repeats: 0, resolved: 1, none: 1, versions: 1, top: [] });
    await merge(from.id, into.id);
    expect(await numbers()).toEqual({
      bugs: 1,
      repeats: 1,
      resolved: 0,
      none: 1,
      versions: 0,
      top: [[into.id, 2]],
    });
    await unmerge(from.id);
    expect(await numbers()).toEqual(before);
  });

  it("counts replies once, and its undo restores the counts of first replies", async () => {
    const numbers = async () => {
      const { perDay, firstReply } = Object((await app.console("GET", `/apps/${app.appId}/statistics`)).body);
      return { replies: perDay.at(-1).replies, none: firstReply.none, within: firstReply.within["1h"] };
    };
    const [ada, bo] = [await send(), await send()];
    await merge(ada.id, bo.id);
    await app.reply(bo.id, { body: "All.", everyone: true });
    expect(await numbers()).toEqual({ replies: 1, none: 0, within: 1 });
    await unmerge(ada.id);
    expect(await numbers()).toEqual({ replies: 1, none: 0, within: 2 });
    await merge(ada.id, bo.id);
    await app.reply(bo.id, { body: "All again.", everyone: true });
    await unmerge(ada.id);
    expect(await numbers()).toEqual({ replies: 2, none: 0, within: 2 });
    // The only reply in Di's thread goes to Cy, also if Di's thread is merged, too.
    const [cy, di, ed] = [await send(), await send(), await send()];
    await merge(cy.id, di.id);
    await app.reply(di.id, { body: "To Cy.", reportId: cy.id });
    expect(await numbers()).toEqual({ replies: 3, none: 1, within: 3 });
    await merge(di.id, ed.id);
    expect(await numbers()).toEqual({ replies: 3, none: 1, within: 2 });
    await unmerge(cy.id);
    expect(await numbers()).toEqual({ replies: 3, none: 1, within: 3 });
    await unmerge(di.id);
    expect(await numbers()).toEqual({ replies: 3, none: 2, within: 3 });
    // A reply from before a merge is no first reply of the other thread, also after that one was merged itself.
    const [flo, gus, hal] = [await send(), await send(), await send()];
    await app.reply(flo.id, { body: "To Flo." });
    await merge(flo.id, gus.id);
    await merge(gus.id, hal.id);
    await unmerge(gus.id);
    expect(await numbers()).toEqual({ replies: 4, none: 4, within: 3 });
    await unmerge(flo.id);
    expect(await numbers()).toEqual({ replies: 4, none: 4, within: 4 });
  });

  describe("of an open thread into a closed one", () => {
    const set = (id: string, body: object) => app.console("PATCH", `/feedback/${id}`, body);
    const statusOf = async (id: string) => Object(await app.thread(id)).feedback.status;
    const resolvedOn = async () => {
      const { perDay } = Object((await app.console("GET", `/apps/${app.appId}/statistics`)).body);
      return perDay
        .filter(({ resolved }: { resolved: number }) => resolved !== 0)
        .map(({ day: on, resolved }: { day: string; resolved: number }) => [on, resolved]);
    };
    const statuses = async (id: string) => {
      const { items } = Object((await app.console("GET", `/feedback/${id}/events`)).body);
      return items
        .filter(({ kind }: { kind: string }) => kind === "status")
        .map(({ from, to, by }: Record<string, string>) => [from, to, by]);
    };
    const finished = async (status: string) => {
      const { id } = await send();
      await set(id, { status: "resolved" });
      await set(id, { status });
      return id;
    };

    it.each(["resolved", "archived"])("opens the closed thread again, which was %s", async (status) => {
      const into = await finished(status);
      const before = await resolvedOn();
      service.clock.advance(day);
      const from = await send({ email: "ada@kitchen.example" });
      const merged = await merge(from.id, into);
      expect([merged.status, merged.field("feedback.status")]).toEqual([200, "open"]);
      expect((await list("unfinished=true")).map(({ id }: Message) => id)).toEqual([into]);
      expect((await statuses(into)).at(-1)).toEqual([status, "open", app.owner.email]);
      expect(await resolvedOn()).toEqual([]);
      await unmerge(from.id);
      expect([await statusOf(into), await statusOf(from.id)]).toEqual([status, "open"]);
      expect((await statuses(into)).at(-1)).toEqual(["open", status, app.owner.email]);
      expect(await resolvedOn()).toEqual(before);
    });

    it.each<[string, (into: string) => Promise<unknown>]>([
      ["an answer", (id) => app.reply(id)],
      ["another merge", async (id) => merge((await send()).id, id)],
      ["a status", (id) => set(id, { status: "in_progress" })],
      ["a tag", (id) => set(id, { addTags: ["crash"] })],
      ["an assignee", (id) => set(id, { assignee: "me" })],
      ["a snooze", (id) => set(id, { snoozedUntil: new Date(service.clock.now().getTime() + day) })],
    ])("does not close it again at the undo after %s", async (_, act) => {
      const into = await finished("resolved");
      const from = await send();
      await merge(from.id, into);
      await act(into);
      const status = await statusOf(into);
      expect((await unmerge(from.id)).status).toBe(200);
      expect([await statusOf(into), status === "resolved"]).toEqual([status, false]);
    });

    it("leaves the status of the target unchanged in all other cases", async () => {
      const [open, resolved, started] = [(await send()).id, await finished("resolved"), (await send()).id];
      await set(started, { status: "in_progress" });
      await merge(resolved, started);
      expect(await statusOf(started)).toBe("in_progress");
      await merge(open, started);
      expect(await statusOf(started)).toBe("in_progress");
      const [one, other] = [await finished("resolved"), await finished("archived")];
      await merge(one, other);
      expect(await statusOf(other)).toBe("archived");
    });

    it("keeps the target open in a copy of the app", async () => {
      const into = await finished("resolved");
      await merge((await send()).id, into);
      const stranger = await service.signIn(await service.makeUser());
      const copy = await importFile(service, stranger, await exportFile(service, app.person, app.appId));
      const inCopy = async (method: string, path: string) =>
        Object((await service.request(method, `/api/v1/console${path}`, { headers: stranger })).body);
      const { items } = await inCopy("GET", `/apps/${copy.field("appId")}/feedback`);
      const { merged } = await inCopy("GET", `/feedback/${items[0].id}`);
      await inCopy("POST", `/feedback/${merged[0].id}/unmerge`);
      expect((await inCopy("GET", `/feedback/${items[0].id}`)).feedback.status).toBe("open");
    });
  });

  describe("of an open thread with a question", () => {
    const set = (id: string, body: object) => app.console("PATCH", `/feedback/${id}`, body);
    const inDays = (days: number) => new Date(service.clock.now().getTime() + days * day).toISOString();
    const snoozeOf = async (id: string) => Object(await app.thread(id)).feedback.snoozedUntil;
    const idsIn = async (query: string) => (await list(query)).map(({ id }: Message) => id).sort();

    it("ends the snooze of the target, and the undo continues it (rule F77)", async () => {
      const [into, from] = [await send(), await send()];
      const until = inDays(300);
      await set(into.id, { snoozedUntil: until });
      await merge(from.id, into.id);
      expect([await snoozeOf(into.id), await idsIn("snoozed=false&waitingOn=us")]).toEqual([null, [into.id]]);
      const { items } = Object((await app.console("GET", `/feedback/${into.id}/events`)).body);
      expect(items).toContainEqual(
        expect.objectContaining({ kind: "snooze", from: until, to: null, by: app.owner.email }),
      );
      await unmerge(from.id);
      expect([await snoozeOf(into.id), await snoozeOf(from.id)]).toEqual([until, null]);
    });

    it("with a shorter snooze than the target shortens the snooze of the target", async () => {
      const [into, from, later] = [await send(), await send(), await send()];
      const [long, short] = [inDays(300), inDays(3)];
      for (const [{ id }, snoozedUntil] of [
        [into, long],
        [from, short],
        [later, inDays(9)],
      ] as const)
        await set(id, { snoozedUntil });
      await merge(from.id, into.id);
      expect(await snoozeOf(into.id)).toBe(short);
      await merge(later.id, into.id);
      expect(await snoozeOf(into.id)).toBe(short);
      await unmerge(later.id);
      await set(into.id, { addTags: ["seen"] });
      await unmerge(from.id);
      expect(await snoozeOf(into.id)).toBe(short);
    });

    it("into a thread that was answered later waits for the team until somebody replies (rule F77)", async () => {
      const [answered, open, closed] = [await send(), await send(), await send()];
      await set(closed.id, { status: "archived" });
      await app.reply(answered.id);
      await merge(open.id, answered.id);
      expect(await idsIn("waitingOn=us")).toEqual([answered.id]);
      await merge(closed.id, answered.id);
      await unmerge(closed.id);
      expect(await idsIn("waitingOn=us")).toEqual([answered.id]);
      await unmerge(open.id);
      expect([await idsIn("waitingOn=us"), await idsIn("waitingOn=sender")]).toEqual([
        [open.id],
        [answered.id],
      ]);
      await merge(open.id, answered.id);
      await app.reply(answered.id, { everyone: true });
      expect(await idsIn("waitingOn=sender")).toEqual([answered.id]);
      await merge(closed.id, answered.id);
      await unmerge(closed.id);
      expect(await idsIn("waitingOn=sender")).toEqual([answered.id]);
    });

    it("as the target waits for the team after an answered thread was merged into it", async () => {
      const [open, answered, closed] = [await send(), await send(), await send()];
      await set(closed.id, { status: "archived" });
      await app.reply(answered.id);
      await merge(answered.id, open.id);
      await merge(closed.id, open.id);
      await unmerge(closed.id);
      expect(await idsIn("waitingOn=us")).toEqual([open.id]);
    });
  });

  it("and its undo make nothing unread for the person who did it (rule F50)", async () => {
    const [into, read, unread] = [await send(), await send(), await send()];
    const unreadIds = async () => (await list("unread=true")).map(({ id }: Message) => id);
    for (const { id } of [into, read]) await app.console("PUT", `/feedback/${id}/read`, { read: true });
    await merge(read.id, into.id);
    expect(await unreadIds()).toEqual([unread.id]);
    await unmerge(read.id);
    expect(await unreadIds()).toEqual([unread.id]);
    await merge(read.id, into.id);
    await answerOnPage(read.url, "It still does.");
    await unmerge(read.id);
    expect(await unreadIds()).toContain(read.id);
  });

  it("is possible, whatever id the sender has put into the form of an answer", async () => {
    const [into, from] = [await send(), await send({ message: "Broken." })];
    const body = new URLSearchParams({ answer: "hello", once: from.id }).toString();
    const headers = {
      origin: new URL(from.url).origin,
      "content-type": "application/x-www-form-urlencoded",
    };
    for (const _ of ["first", "again"])
      expect((await fetch(from.url, { method: "POST", redirect: "manual", headers, body })).status).toBe(303);
    expect((await merge(from.id, into.id)).status).toBe(200);
    expect((await wordsOf(into.id)).filter((words) => words === "hello")).toHaveLength(1);
    expect((await unmerge(from.id)).status).toBe(200);
    expect(await wordsOf(from.id)).toEqual(["Broken.", "hello"]);
  });

  it.each([
    ["resolved", () => ({ status: "resolved" })],
    ["snoozed", () => ({ snoozedUntil: new Date(service.clock.now().getTime() + 86_400_000).toISOString() })],
  ])("and its undo leave a %s thread unread for the person who has not read it", async (_, changeOf) => {
    const [into, from, change] = [await send(), await send(), changeOf()];
    await app.console("PATCH", `/feedback/${into.id}`, change);
    await app.console("PUT", `/feedback/${into.id}/read`, { read: false });
    await merge(from.id, into.id);
    await unmerge(from.id);
    expect(Object(await app.thread(into.id)).feedback).toMatchObject(change);
    expect((await list("unread=true")).map(({ id }: Message) => id)).toContain(into.id);
  });

  it("keeps a tag that is merged into another tag, for the undo (rule F46)", async () => {
    const [into, from] = [await send(), await send()];
    await app.console("PATCH", `/feedback/${from.id}`, { addTags: ["crash", "crashes"] });
    const tags: { id: string; name: string }[] = Object(
      (await app.console("GET", `/apps/${app.appId}/tags`)).body,
    ).items;
    const idOf = (name: string) => tags.find((tag) => tag.name === name)?.id;
    await app.console("PATCH", `/feedback/${from.id}`, { removeTags: ["crashes"] });
    await merge(from.id, into.id);
    const path = `/tags/${idOf("crash")}/merge`;
    expect((await app.console("POST", path, { into: idOf("crashes") })).status).toBe(200);
    expect(Object((await unmerge(from.id)).body).tags.map(({ name }: { name: string }) => name)).toEqual([
      "crashes",
    ]);
  });

  it("moves the words of the thread to the target in the search", async () => {
    const [from, into] = [await send({ message: "A walrus." }), await send({ message: "A puffin." })];
    await merge(from.id, into.id);
    await eventually(async () =>
      expect((await list("q=walrus")).map(({ id }: Message) => id)).toEqual([into.id]),
    );
    await unmerge(from.id);
    await eventually(async () => {
      expect((await list("q=walrus")).map(({ id }: Message) => id)).toEqual([from.id]);
      expect((await list("q=puffin")).map(({ id }: Message) => id)).toEqual([into.id]);
    });
  });
});
