import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { endDueSnoozes } from "../../../server/feedback/threads/store/fields.ts";
import { unreadCounts } from "../../../server/feedback/unread/store/news.ts";
import { databases, sqlite } from "../../support/database/databases.ts";
import { planOf } from "../../support/database/plans.ts";
import { tracedDatabase } from "../../support/database/traced-database.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";
import { exportFile, linesIn } from "../../support/worlds/transfer/app-file.ts";

const hour = 3_600_000;

describe.each(databases)("a snoozed thread on $name", (engine) => {
  let service: Service;
  let team: Team;
  let maria: Awaited<ReturnType<Team["join"]>>;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    team = await makeTeam(service);
    maria = await team.join("maintainer");
  });
  afterAll(() => service.stop());

  const send = (report: object = {}) => sendFeedback(service, team.app.key, report);
  const inHours = (hours: number) => new Date(service.clock.now().getTime() + hours * hour).toISOString();
  const change = (id: string, body: object, call = team.call) => call("PATCH", `/feedback/${id}`, body);
  const snooze = (id: string, hours: number) => change(id, { snoozedUntil: inHours(hours) });
  const list = async (query: string, call = team.call): Promise<string[]> =>
    Object((await call("GET", `${team.at}/feedback?${query}`)).body).items.map(
      ({ id }: { id: string }) => id,
    );
  const triage = () => list("status=open&snoozed=false&order=activity");
  const unread = (call = team.call) => list("unread=true", call);
  async function answer(url: string, text: string): Promise<void> {
    const headers = { accept: "text/html", origin: service.baseUrl };
    const once = /name="once" value="([^"]+)"/.exec(await (await fetch(url, { headers })).text())?.[1] ?? "";
    const sent = { method: "POST", redirect: "manual", headers } as const;
    const { status } = await fetch(url, { ...sent, body: new URLSearchParams({ answer: text, once }) });
    expect(status).toBe(303);
  }
  const readAll = async (call: Team["call"]) => call("PUT", `${team.at}/feedback/read`, {});

  it("leaves triage for everybody, and is first and unread for everybody when its snooze ends", async () => {
    const [id, other] = [await send(), await send()];
    const until = inHours(2);
    expect((await change(id, { snoozedUntil: until })).body).toMatchObject({
      feedback: { snoozedUntil: until },
    });
    expect(await triage()).toEqual([other]);
    for (const call of [team.call, maria.call]) expect(await unread(call)).toEqual([other]);
    for (const order of ["created", "activity"])
      expect(await list(`snoozed=true&order=${order}`)).toEqual([id]);
    await readAll(maria.call);
    service.clock.advance(2 * hour);
    expect(await triage()).toEqual([id, other]);
    expect(await list("snoozed=true")).toEqual([]);
    expect(await unread(maria.call)).toEqual([id]);
    expect(await unread()).toEqual([id, other]);
    const { body } = await team.call("GET", `${team.at}/feedback?order=activity&limit=1`);
    expect(body).toMatchObject({ items: [{ id, activeAt: until, snoozedUntil: null }] });
  });

  it("is unread when its snooze ends, also for a member who read everything before a request noticed the end", async () => {
    const id = await send();
    await snooze(id, 1);
    service.clock.advance(2 * hour);
    await readAll(maria.call);
    expect(await unread(maria.call)).toEqual([]);
    const second = await send();
    await snooze(second, 1);
    service.clock.advance(hour);
    const values = [inHours(0), maria.id];
    await service.deps.database.write((tx) =>
      tx.run("UPDATE app_members SET read_until = ? WHERE user_id = ?", ...values),
    );
    expect(await unread(maria.call)).toEqual([second]);
  });

  describe("whose snooze is over, before anybody has read a list,", () => {
    /** A thread whose snooze is over. The words of its report are rare. */
    async function over(report: object = {}) {
      const id = await send(report);
      const until = inHours(1);
      await change(id, { snoozedUntil: until });
      service.clock.advance(2 * hour);
      return { id, until };
    }
    const found = async (q: string) =>
      Object((await team.call("GET", `/search?${new URLSearchParams({ q })}`)).body).items.map(
        ({ id }: { id: string }) => id,
      );

    it.each([
      ["is:unread ovens", true],
      ["is:snoozed ovens", false],
      ["-is:snoozed ovens", true],
    ])("is in the search for %s: %s", async (q, isFound) => {
      const { id } = await over({ subject: "Ovens" });
      expect(await found(q)).toEqual(isFound ? [id] : []);
    });

    it("is at the end of its snooze in the list and in the changes for an agent", async () => {
      const agent = { authorization: `Bearer ${await service.makeToken(team.owner, "agent")}` };
      const ask = async (query: Record<string, string>) =>
        Object(
          (
            await service.request("GET", `/api/v1/agent/feedback?${new URLSearchParams(query)}`, {
              headers: agent,
            })
          ).body,
        );
      const first = await over();
      const { items } = await ask({ updatedSince: first.until });
      expect(items).toMatchObject([{ id: first.id, activeAt: first.until }]);
      await change(first.id, { snoozedUntil: inHours(1) });
      const { changes } = await ask({});
      service.clock.advance(2 * hour);
      expect((await ask({ changedAfter: changes })).items).toMatchObject([{ id: first.id }]);
    });

    it("has the end of its snooze as its last activity in the list of similar threads", async () => {
      const report = { subject: "Ovens", message: "The thermocouple of the oven is miscalibrated." };
      const { id, until } = await over(report);
      const other = await send(report);
      const { body } = await team.call("GET", `/feedback/${other}/similar`);
      expect(body).toMatchObject({ items: [{ id, activeAt: until }] });
    });

    it("is not snoozed in an export", async () => {
      const { id } = await over();
      const lines = linesIn(await exportFile(service, await service.signIn(team.owner), team.app.id));
      const thread = lines.find((line) => line.id === id);
      expect(thread).toBeDefined();
      expect(thread?.snoozed_until ?? null).toBeNull();
    });

    it("is not snoozed in the answer to a change", async () => {
      const { id } = await over();
      const { body } = await change(id, { addTags: ["oven"] });
      expect(body).toMatchObject({ feedback: { snoozedUntil: null } });
    });

    it("stays unread for a member who writes a note in it", async () => {
      const { id } = await over();
      await maria.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Later." });
      expect(await unread(maria.call)).toEqual([id]);
    });

    it("stays unread for a member who merges another thread into it, and after the undoing, too", async () => {
      const from = await send();
      const { id } = await over();
      await maria.call("POST", `/feedback/${from}/merge`, { into: id });
      expect(await unread(maria.call)).toEqual([id]);
      await snooze(id, 1);
      service.clock.advance(2 * hour);
      await maria.call("POST", `/feedback/${from}/unmerge`);
      expect(await unread(maria.call)).toContain(id);
    });

    it("is not changed by the undo of the bulk change that snoozed it", async () => {
      const id = await send();
      const until = new Date(service.clock.now().getTime() + hour / 60).toISOString();
      const sent = { ids: [id], change: { snoozedUntil: until } };
      const { undo } = Object((await team.call("POST", `${team.at}/feedback/bulk`, sent)).body);
      service.clock.advance(hour / 30);
      const undone = await team.call("POST", `${team.at}/feedback/bulk/undo`, { undo });
      expect(undone.body).toMatchObject({ changed: 0, skipped: [{ id, code: "changed" }] });
      expect(await unread()).toEqual([id]);
    });
  });

  describe("whose snooze would be over when a change of it is undone,", () => {
    const minute = hour / 60;
    /** A read thread that is snoozed for five minutes, and a read thread with later activity. */
    const snoozed = async () => {
      const id = await send();
      const until = inHours(5 / 60);
      await change(id, { snoozedUntil: until });
      service.clock.advance(minute);
      const other = await send();
      for (const call of [team.call, maria.call]) await readAll(call);
      return { id, other, until };
    };
    const bulk = async (ids: string[], wanted: object) =>
      Object((await team.call("POST", `${team.at}/feedback/bulk`, { ids, change: wanted })).body).undo;

    it.each([
      ["resolves it", () => ({ status: "resolved" })],
      [
        "begins it and snoozes it until tomorrow",
        () => ({ status: "in_progress", snoozedUntil: inHours(24) }),
      ],
      ["snoozes it until tomorrow", () => ({ snoozedUntil: inHours(24) })],
      ["ends its snooze", () => ({ snoozedUntil: null })],
    ])("is unread for everybody since the end of its snooze if the change %s", async (_, wanted) => {
      const { id, other, until } = await snoozed();
      const undo = await bulk([id], wanted());
      service.clock.advance(6 * minute);
      for (const call of [team.call, maria.call]) await readAll(call);
      const undone = await team.call("POST", `${team.at}/feedback/bulk/undo`, { undo });
      expect(undone.body).toMatchObject({ changed: 1, skippedCount: 0 });
      for (const call of [team.call, maria.call]) expect(await unread(call)).toEqual([id]);
      expect(await triage()).toEqual([id, other]);
      expect((await team.call("GET", `${team.at}/feedback?order=activity&limit=1`)).body).toMatchObject({
        items: [{ id, activeAt: until, snoozedUntil: null, status: "open" }],
      });
      for (const userId of [team.owner.id, maria.id]) {
        const counts = await unreadCounts(service.deps.database, userId);
        expect(counts.find(({ appId }) => appId === team.app.id)?.unread).toBe(1);
      }
    });

    it("is unread for everybody after the undo of its merge", async () => {
      const { id, other } = await snoozed();
      await team.call("POST", `/feedback/${id}/merge`, { into: other });
      service.clock.advance(6 * minute);
      for (const call of [team.call, maria.call]) await readAll(call);
      const { body } = await team.call("POST", `/feedback/${id}/unmerge`);
      expect(body).toMatchObject({ feedback: { snoozedUntil: null } });
      expect([await unread(), await unread(maria.call)]).toEqual([[id], [other, id]]);
    });

    it("is unread for everybody after the undo of a merge that ended its snooze", async () => {
      const { id, other } = await snoozed();
      await team.call("POST", `/feedback/${other}/merge`, { into: id });
      service.clock.advance(6 * minute);
      for (const call of [team.call, maria.call]) await readAll(call);
      await team.call("POST", `/feedback/${other}/unmerge`);
      expect([await unread(), (await unread(maria.call)).toSorted()]).toEqual([[id], [id, other].toSorted()]);
    });

    it("stays read after the undo of its merge if its sender has answered before that time", async () => {
      await team.call("PATCH", team.at, { senderPages: true });
      const sent = await service.request("POST", "/api/v1/feedback/remote", {
        headers: { "x-api-key": team.app.key },
        body: { type: "bug", message: "It broke." },
      });
      const [id, other] = [sent.field("id"), await send()];
      await snooze(id, 1);
      await team.call("POST", `/feedback/${id}/merge`, { into: other });
      await answer(sent.field("statusUrl"), "It still does.");
      await readAll(team.call);
      service.clock.advance(2 * hour);
      await team.call("POST", `/feedback/${id}/unmerge`);
      expect(await unread()).toEqual([]);
    });
  });

  it("stays snoozed after a note, a repeat and a change of its tags, but not after an answer of its sender", async () => {
    await team.call("PATCH", team.at, { senderPages: true });
    const report = { type: "bug", message: "It broke.", dedupeKey: "oven" };
    const sent = await service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": team.app.key },
      body: report,
    });
    const id = sent.field("id");
    await snooze(id, 5);
    await maria.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Later." });
    await send(report);
    await change(id, { addTags: ["oven"] });
    expect([await triage(), await list("snoozed=true&tag=oven")]).toEqual([[], [id]]);
    await answer(sent.field("statusUrl"), "It still does.");
    expect([await triage(), await list("snoozed=true")]).toEqual([[id], []]);
    expect(await unread()).toEqual([id]);
    service.clock.advance(6 * hour);
    const { body } = await team.call("GET", `/feedback/${id}`);
    expect(body).toMatchObject({ feedback: { snoozedUntil: null } });
  });

  it("is no longer snoozed after a change of its status; only an open thread can be snoozed, for up to a year", async () => {
    const id = await send();
    await snooze(id, 5);
    expect((await change(id, { status: "resolved" })).body).toMatchObject({
      feedback: { snoozedUntil: null },
    });
    expect(await snooze(id, 5)).toMatchObject({ status: 409, body: { code: "wrong_state" } });
    expect((await change(id, { status: "open", snoozedUntil: inHours(1) })).status).toBe(200);
    for (const hours of [-1, 0, 367 * 24]) expect((await snooze(id, hours)).status).toBe(400);
    const viewer = await team.join("viewer");
    expect((await change(id, { snoozedUntil: null }, viewer.call)).status).toBe(403);
    expect((await viewer.call("GET", `/feedback/${id}`)).body).toMatchObject({
      feedback: { snoozedUntil: expect.any(String) },
    });
  });

  it("can be shown again by a person, and its events show who snoozed it and until when", async () => {
    const id = await send();
    const until = inHours(3);
    await change(id, { snoozedUntil: until });
    await change(id, { snoozedUntil: until });
    await change(id, { snoozedUntil: null }, maria.call);
    expect(await triage()).toEqual([id]);
    expect([await unread(), await unread(maria.call)]).toEqual([[id], []]);
    expect((await team.call("GET", `/feedback/${id}/events`)).body).toMatchObject({
      items: [
        { kind: "snooze", by: team.owner.email, from: null, to: until },
        { kind: "snooze", by: maria.email, from: until, to: null },
      ],
    });
  });

  it("does not return while the clock is uncertain, but returns afterwards", async () => {
    const id = await send();
    await snooze(id, 24);
    service.clock.jump(48 * hour);
    expect(await list("snoozed=true")).toEqual([id]);
    service.clock.jump(-48 * hour);
    expect(await list("snoozed=true")).toEqual([id]);
    service.clock.pass(24 * hour);
    expect(await list("snoozed=true")).toEqual([]);
    expect(await unread()).toEqual([id]);
  });
});

describe("the search for ended snoozes", () => {
  it("reads only an index", async () => {
    const traced = tracedDatabase(sqlite);
    const service = await startService({ engine: traced.engine });
    const { deps } = service;
    const plan = await planOf(traced, deps.database, () => endDueSnoozes(deps));
    expect(plan).toContain("INDEX feedback_snoozed (snoozed_until<?)");
    expect(plan).not.toContain("TEMP B-TREE");
    await service.stop();
  });
});
