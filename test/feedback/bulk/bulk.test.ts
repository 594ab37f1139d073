import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { settling } from "../../../server/feedback/unread/rules.ts";
import { unreadCounts } from "../../../server/feedback/unread/store/news.ts";
import { limits } from "../../../src/contract/limits.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { fillThreads, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

const minute = 60_000;

const tomorrow = new Date(Date.now() + 24 * 60 * minute).toISOString();

describe.each(databases)("a bulk change on $name", (engine) => {
  let service: Service;
  let team: Team;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    team = await makeTeam(service);
  });
  afterAll(() => service.stop());

  const send = (report: object = {}) => sendFeedback(service, team.app.key, report);
  const bulk = (body: object, call = team.call) => call("POST", `/apps/${team.app.id}/feedback/bulk`, body);
  const undo = (token: string, call = team.call) =>
    call("POST", `/apps/${team.app.id}/feedback/bulk/undo`, { undo: token });
  const undoOf = ({ body }: { readonly body: unknown }): string => Object(body).undo;
  const stateOf = async (id: string) => {
    const { feedback, tags, assignee } = Object((await team.call("GET", `/feedback/${id}`)).body);
    const names = tags.map(({ name }: { name: string }) => name);
    return [feedback.status, names.join(), assignee?.email ?? null, feedback.snoozedUntil];
  };
  const list = async (query: string, call = team.call): Promise<string[]> =>
    Object((await call("GET", `${team.at}/feedback?${query}`)).body).items.map(
      ({ id }: { id: string }) => id,
    );
  const now = () => service.clock.now().toISOString();
  const readUntil = async (userId: string) => {
    const sql = "SELECT read_until AS at FROM app_members WHERE app_id = ? AND user_id = ?";
    return (await service.deps.database.get<{ at: string }>(sql, team.app.id, userId))?.at ?? "";
  };

  it("changes each thread in the same way as a single change, and can be undone once", async () => {
    const ids = [await send(), await send()];
    const [first = "", second = ""] = ids;
    await team.call("PATCH", `/feedback/${first}`, { addTags: ["old"], assignee: "me" });
    const before = [await stateOf(first), await stateOf(second)];
    const change = { status: "in_progress", addTags: ["new"], removeTags: ["old"], assignee: null };
    const done = await bulk({ ids, change });
    expect(done).toMatchObject({ status: 200, body: { changed: 2, skipped: [], skippedCount: 0 } });
    for (const id of ids) expect(await stateOf(id)).toEqual(["in_progress", "new", null, null]);
    const kinds = Object((await team.call("GET", `/feedback/${first}/events`)).body).items.map(
      ({ kind }: { kind: string }) => kind,
    );
    expect(kinds.slice(-3).toSorted()).toEqual(["assignee", "status", "tags"]);
    expect(await undo(undoOf(done))).toMatchObject({ status: 200, body: { changed: 2, skippedCount: 0 } });
    expect([await stateOf(first), await stateOf(second)]).toEqual(before);
    expect(await undo(undoOf(done))).toMatchObject({ status: 409, body: { code: "wrong_state" } });
  });

  it("that resolves or archives threads marks them as read for the person until it is undone", async () => {
    const viewer = await team.join("viewer");
    const ids = [await send(), await send()].toSorted();
    const unread = async (call = team.call) => (await list("unread=true", call)).toSorted();
    const done = await bulk({ ids, change: { status: "resolved" } });
    expect([await unread(), await unread(viewer.call)]).toEqual([[], ids]);
    await undo(undoOf(done));
    expect(await unread()).toEqual(ids);
    await team.call("PATCH", `/feedback/${ids[0]}`, { status: "archived" });
    await team.call("PATCH", `/feedback/${ids[1]}`, { status: "in_progress" });
    expect([await unread(), await unread(viewer.call)]).toEqual([[ids[1]], ids]);
  });

  it.each([
    ["resolves", { status: "resolved" }],
    ["assigns", { assignee: "me" }],
    ["tags", { addTags: ["new"] }],
    ["snoozes", { snoozedUntil: tomorrow }],
    ["marks as read", { read: true }],
  ])(
    "that %s a thread leaves the thread at its place in the list after its undo (rule F51)",
    async (_, change) => {
      const viewer = await team.join("viewer");
      const [oldest = "", ...later] = [await send(), await send(), await send()];
      const byActivity = later.toReversed().concat(oldest);
      await team.call("PATCH", `${team.at}/feedback/read`, { until: now() });
      const lists = async () => [
        await list("order=activity"),
        (await list("unread=true")).toSorted(),
        await list("order=activity", viewer.call),
      ];
      const before = await lists();
      service.clock.advance(minute);
      const done = await bulk({ ids: [oldest], change });
      service.clock.advance(minute);
      expect((await undo(undoOf(done))).body).toMatchObject({ changed: 1 });
      expect(await lists()).toEqual(before);
      expect(before[0]).toEqual(byActivity);
      for (const { id, call } of [{ ...team.owner, call: team.call }, viewer]) {
        const counts = await unreadCounts(service.deps.database, id);
        const count = counts.find(({ appId }) => appId === team.app.id)?.unread;
        expect(count).toBe((await list("unread=true", call)).length);
      }
    },
  );

  it("that snoozes an unread thread marks it as unread again when it is undone", async () => {
    const id = await send();
    const done = await bulk({ ids: [id], change: { snoozedUntil: tomorrow } });
    expect(await list("unread=true")).toEqual([]);
    await undo(undoOf(done));
    expect(await list("unread=true")).toEqual([id]);
  });

  describe("of a snoozed thread with a new note", () => {
    const inDays = (days: number) =>
      new Date(service.clock.now().getTime() + days * 24 * 60 * minute).toISOString();
    /** A thread that `owner` and `reader` have not read since the note of `author`. `finished` has read it. */
    const snoozedWithNote = async () => {
      const [author, reader, finished] = [
        await team.join("maintainer"),
        await team.join("viewer"),
        await team.join("viewer"),
      ];
      const [id, until] = [await send(), inDays(1)];
      await team.call("PATCH", `/feedback/${id}`, { snoozedUntil: until });
      service.clock.advance(minute);
      await author.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Ask Ada." });
      await finished.call("PUT", `/feedback/${id}/read`, { read: true });
      service.clock.advance(minute);
      return { id, until, author, reader, finished };
    };
    const isUnread = async (id: string, call = team.call) => (await list("unread=true", call)).includes(id);

    it.each([
      ["ends its snooze", () => ({ snoozedUntil: null })],
      ["resolves it", () => ({ status: "resolved" })],
      ["snoozes it until another time", () => ({ snoozedUntil: inDays(2) })],
      [
        "begins it and snoozes it until another time",
        () => ({ status: "in_progress", snoozedUntil: inDays(2) }),
      ],
    ])(
      "that %s leaves it unread after the undo for the members who had not read the note",
      async (_, change) => {
        const { id, until, author, reader, finished } = await snoozedWithNote();
        const done = await bulk({ ids: [id], change: change() });
        service.clock.advance(minute);
        expect((await undo(undoOf(done))).body).toMatchObject({ changed: 1 });
        expect((await stateOf(id)).at(-1)).toBe(until);
        for (const call of [team.call, reader.call]) expect(await isUnread(id, call)).toBe(true);
        for (const { call } of [author, finished]) expect(await isUnread(id, call)).toBe(false);
        for (const [userId, unread] of [[reader.id, 1] as const, [finished.id, 0] as const]) {
          const counts = await unreadCounts(service.deps.database, userId);
          expect(counts.find(({ appId }) => appId === team.app.id)?.unread).toBe(unread);
        }
      },
    );

    it("that snoozes it until another time leaves it read for a member who reads all threads before the undo", async () => {
      const { id, reader } = await snoozedWithNote();
      const done = await bulk({ ids: [id], change: { snoozedUntil: inDays(2) } });
      service.clock.advance(minute);
      expect((await reader.call("PUT", `${team.at}/feedback/read`, {})).status).toBe(204);
      await undo(undoOf(done));
      expect(await isUnread(id, reader.call)).toBe(false);
      expect(await isUnread(id)).toBe(true);
    });

    it("that snoozes it until another time leaves it unread for a member who reads only newer threads before the undo", async () => {
      const { id, reader } = await snoozedWithNote();
      const done = await bulk({ ids: [id], change: { snoozedUntil: inDays(2) } });
      const snoozedAt = now();
      service.clock.advance(4 * minute);
      await fillThreads(service, team.app.id, Array(settling.most + 10).fill({}));
      for (const newer of (await list("limit=100")).slice(0, settling.most + 10))
        expect((await reader.call("PUT", `/feedback/${newer}/read`, { read: true })).status).toBe(200);
      expect((await readUntil(reader.id)) > snoozedAt).toBe(true);
      await undo(undoOf(done));
      expect(await list("unread=true", reader.call)).toEqual([id]);
    });

    it.each([
      ["ends its snooze", { snoozedUntil: null }],
      ["resolves it", { status: "resolved" }],
    ])("that %s leaves it read for a member who reads it before the undo", async (_, change) => {
      const { id, reader } = await snoozedWithNote();
      const done = await bulk({ ids: [id], change });
      await reader.call("PUT", `/feedback/${id}/read`, { read: true });
      await undo(undoOf(done));
      expect(await isUnread(id, reader.call)).toBe(false);
    });
  });

  describe("that is undone after many threads were read", () => {
    const readAll = (call = team.call) => call("PUT", `${team.at}/feedback/read`, { until: now() });
    const countFor = async (userId: string) =>
      (await unreadCounts(service.deps.database, userId)).find(({ appId }) => appId === team.app.id)?.unread;
    /** Adds so many threads that `read_until` moves when a person reads them. Returns their ids. */
    const addMany = async () => {
      await fillThreads(service, team.app.id, Array(settling.most + 10).fill({}));
      return (await list("limit=100")).slice(0, settling.most + 10);
    };

    it.each([
      ["opens again", "resolved", "open"],
      ["begins", "open", "in_progress"],
      ["resolves", "open", "resolved"],
    ])(
      "leaves a thread that it %s unread for the person who had not read it (rule F52)",
      async (_, before, after) => {
        const maria = await team.join("maintainer");
        const many = await addMany();
        await readAll();
        service.clock.advance(minute);
        const id = await send();
        await maria.call("PATCH", `/feedback/${id}`, { status: before });
        const sentUntil = now();
        service.clock.advance(5 * minute);
        const done = await bulk({ ids: [id], change: { status: after } });
        await bulk({ ids: many, change: { status: "in_progress" } });
        const movedTo = await readUntil(team.owner.id);
        expect(movedTo > sentUntil && movedTo < now()).toBe(true);
        service.clock.advance(minute);
        expect((await undo(undoOf(done))).body).toMatchObject({ changed: 1 });
        expect([await list("unread=true"), await countFor(team.owner.id)]).toEqual([[id], 1]);
      },
    );

    it("leaves a thread unread for other members who had not read it, and read for the others (rule F52)", async () => {
      const [reader, finished, late] = [
        await team.join("maintainer"),
        await team.join("viewer"),
        await team.join("viewer"),
      ];
      service.clock.advance(minute);
      const id = await send();
      const sentUntil = now();
      await readAll(finished.call);
      service.clock.advance(5 * minute);
      const many = await addMany();
      const done = await bulk({ ids: [id], change: { status: "resolved" } });
      await bulk({ ids: many, change: { read: true } }, reader.call);
      const movedTo = await readUntil(reader.id);
      expect(movedTo > sentUntil && movedTo < now()).toBe(true);
      expect(await list("unread=true&limit=100", reader.call)).toEqual([id]);
      service.clock.advance(minute);
      await readAll(late.call);
      expect((await undo(undoOf(done))).body).toMatchObject({ changed: 1 });
      expect([await list("unread=true", reader.call), await countFor(reader.id)]).toEqual([[id], 1]);
      expect(await list("unread=true&limit=100", finished.call)).toEqual(many);
      expect([await list("unread=true", late.call), await countFor(late.id)]).toEqual([[], 0]);
    });

    it("leaves a resolved thread read for the person who has read it since it was opened", async () => {
      const maria = await team.join("maintainer");
      const id = await send();
      await maria.call("PATCH", `/feedback/${id}`, { status: "resolved" });
      const done = await bulk({ ids: [id], change: { status: "open" } });
      expect(await list("unread=true")).toEqual([id]);
      await team.call("PUT", `/feedback/${id}/read`, { read: true });
      await undo(undoOf(done));
      expect(await list("unread=true")).toEqual([]);
    });
  });

  it("leaves a thread that somebody answered before the undo at the front of the list", async () => {
    const [oldest, newest] = [await send(), await send()];
    service.clock.advance(minute);
    const done = await bulk({ ids: [oldest, newest], change: { status: "in_progress" } });
    service.clock.advance(minute);
    await team.call("POST", `/feedback/${oldest}/messages`, { direction: "outbound", body: "Soon." });
    service.clock.advance(minute);
    expect((await undo(undoOf(done))).body).toMatchObject({
      changed: 1,
      skipped: [{ id: oldest, code: "changed" }],
    });
    expect(await list("order=activity")).toEqual([oldest, newest]);
    await team.call("POST", `/feedback/${newest}/messages`, { direction: "note", body: "Later." });
    expect(await list("order=activity")).toEqual([newest, oldest]);
  });

  it("that opens a resolved thread restores its day of resolution when it is undone (rule F60)", async () => {
    const id = await send();
    await team.call("PATCH", `/feedback/${id}`, { status: "resolved" });
    const resolvedOn = async () => {
      const { perDay } = Object((await team.call("GET", `${team.at}/statistics`)).body);
      return perDay.flatMap(({ day, resolved }: { day: string; resolved: number }) =>
        resolved ? [day] : [],
      );
    };
    const [today] = await resolvedOn();
    service.clock.advance(24 * 60 * minute);
    const headers = await service.signIn(team.owner);
    const at = `/api/v1/console/apps/${team.app.id}/feedback/bulk`;
    const post = (path: string, body: object) => service.request("POST", path, { headers, body });
    const done = await post(at, { ids: [id], change: { status: "open" } });
    expect((await post(`${at}/undo`, { undo: undoOf(done) })).status).toBe(200);
    const { perDay } = Object(
      (await service.request("GET", `/api/v1/console/apps/${team.app.id}/statistics`, { headers })).body,
    );
    expect(
      perDay.flatMap(({ day, resolved }: { day: string; resolved: number }) => (resolved ? [day] : [])),
    ).toEqual([today]);
  });

  it("restores a tag that was merged into another tag when it is undone", async () => {
    const id = await send();
    await team.call("PATCH", `/feedback/${id}`, { addTags: ["crash"] });
    const made = await team.call("POST", `${team.at}/tags`, { name: "crashes" });
    const tags: { id: string; name: string }[] = Object(
      (await team.call("GET", `${team.at}/tags`)).body,
    ).items;
    const crash = tags.find(({ name }) => name === "crash")?.id;
    const done = await bulk({ ids: [id], change: { removeTags: ["crash"] } });
    await team.call("POST", `/tags/${crash}/merge`, { into: made.field("id") });
    expect((await undo(undoOf(done))).body).toMatchObject({ changed: 1, skippedCount: 0 });
    expect(await stateOf(id)).toEqual(["open", "crashes", null, null]);
  });

  it("leaves out threads of other apps, deleted threads, and threads that do not allow the change", async () => {
    const other = await makeTeam(service);
    const foreign = await sendFeedback(service, other.app.key, {});
    const [id, resolved] = [await send(), await send()];
    await team.call("PATCH", `/feedback/${resolved}`, { status: "resolved" });
    const until = new Date(service.clock.now().getTime() + minute).toISOString();
    const done = await bulk({ ids: [id, foreign, resolved], change: { snoozedUntil: until } });
    expect(done.body).toMatchObject({ changed: 1, skippedCount: 2 });
    expect(Object(done.body).skipped).toEqual(
      expect.arrayContaining([
        { id: foreign, code: "not_found" },
        { id: resolved, code: "wrong_state" },
      ]),
    );
    expect(await list("snoozed=true")).toEqual([id]);
    expect((await undo(undoOf(done))).status).toBe(200);
    expect(await list("snoozed=true")).toEqual([]);
  });

  it("can use the filters of a list that the caller saw", async () => {
    const [first, second] = [await send(), await send()];
    const asOf = now();
    service.clock.advance(10);
    const later = await send();
    const filter = { status: "open" };
    const change = { status: "archived" };
    expect(await bulk({ filter, expected: { total: 3, asOf }, change })).toMatchObject({
      status: 409,
      body: { code: "list_changed" },
    });
    expect((await bulk({ filter, expected: { total: 2, asOf }, change })).body).toMatchObject({ changed: 2 });
    expect(await list("status=archived")).toEqual([second, first]);
    expect(await list("status=open")).toEqual([later]);
    for (const body of [{}, { filter }, { ids: [first], filter, expected: { total: 1, asOf } }])
      expect((await bulk({ ...body, change })).status).toBe(400);
    expect((await bulk({ ids: [first], change: {} })).status).toBe(400);
    expect((await bulk({ ids: [first], change: { assignee: "nobody@example.org" } })).status).toBe(400);
  });

  it("counts only the threads that the caller saw for the maximum number of threads", async () => {
    await fillThreads(service, team.app.id, Array(limits.bulkFound).fill({}));
    const asOf = now();
    service.clock.advance(10);
    await send();
    const request = { filter: { status: "open" }, change: { status: "archived" } };
    const total = limits.bulkFound - 1;
    expect(await bulk({ ...request, expected: { total, asOf } })).toMatchObject({
      status: 409,
      body: { code: "list_changed" },
    });
    expect(await bulk({ ...request, expected: { total, asOf: now() } })).toMatchObject({
      status: 400,
      body: { issues: [{ path: "filter" }] },
    });
  });

  it("that changed no thread can be undone once, too", async () => {
    const done = await bulk({ ids: [service.deps.newId()], change: { status: "resolved" } });
    expect(done).toMatchObject({ status: 200, body: { changed: 0, skippedCount: 1 } });
    const headers = await service.signIn(team.owner);
    const undoWith = (key: string) =>
      service.request("POST", `/api/v1/console/apps/${team.app.id}/feedback/bulk/undo`, {
        headers: { ...headers, "idempotency-key": key },
        body: { undo: undoOf(done) },
      });
    const nothing = { status: 200, body: { changed: 0, skippedCount: 0 } };
    expect(await undoWith("first")).toMatchObject(nothing);
    expect(await undoWith("first")).toMatchObject(nothing);
    expect(await undoWith("second")).toMatchObject({ status: 409, body: { code: "wrong_state" } });
  });

  it("changes more threads than fit into one transaction", async () => {
    const ids: string[] = [];
    for (let at = 0; at < 230; at += 1) ids.push(await send());
    const done = await bulk({
      filter: { status: "open" },
      expected: { total: 230, asOf: now() },
      change: { status: "resolved" },
    });
    expect(done.body).toMatchObject({ changed: 230 });
    await team.call("POST", `/feedback/${ids[0]}/messages`, { direction: "note", body: "Mine." });
    await team.call("DELETE", `/feedback/${ids[1]}`);
    expect((await undo(undoOf(done))).body).toMatchObject({
      changed: 228,
      skipped: [{ id: ids[0], code: "changed" }],
    });
    expect(await list("status=resolved")).toEqual([ids[0]]);
  });

  it("can mark threads as read only for the caller", async () => {
    const maria = await team.join("maintainer");
    const ids = [await send(), await send()];
    const done = await bulk({ ids, change: { read: true } }, maria.call);
    expect([await list("unread=true"), await list("unread=true", maria.call)]).toEqual([
      ids.toReversed(),
      [],
    ]);
    await undo(undoOf(done), maria.call);
    expect(await list("unread=true", maria.call)).toEqual(ids.toReversed());
  });

  it("can be undone only by the person who made it, with the role of that time, within ten minutes", async () => {
    const maria = await team.join("owner");
    const id = await send();
    const change = { status: "resolved" };
    const viewer = await team.join("viewer");
    expect((await bulk({ ids: [id], change }, viewer.call)).status).toBe(403);
    const done = await bulk({ ids: [id], change }, maria.call);
    expect((await undo(undoOf(done))).status).toBe(404);
    await team.call("PATCH", `${team.at}/members/${maria.id}`, { role: "maintainer" });
    expect((await undo(undoOf(done), maria.call)).status).toBe(409);
    const own = await bulk({ ids: [id], change: { status: "open" } });
    service.clock.advance(11 * minute);
    expect((await undo(undoOf(own))).status).toBe(409);
    expect(await list("status=open")).toEqual([id]);
  });
});
