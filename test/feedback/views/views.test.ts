import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

type Call = Team["call"];

describe.each(databases)("the saved views of an app on $name", (engine) => {
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
  const change = (id: string, body: object) => team.call("PATCH", `/feedback/${id}`, body);
  const reply = (id: string) =>
    team.call("POST", `/feedback/${id}/messages`, { direction: "outbound", body: "We look." });
  const create = (body: object, call: Call = team.call) => call("POST", `/apps/${team.app.id}/views`, body);
  const named = async (call: Call = team.call): Promise<string[]> =>
    Object((await call("GET", `/apps/${team.app.id}/views`)).body).items.map(
      ({ name }: { name: string }) => name,
    );
  const counts = async (call: Call = team.call) =>
    Object((await call("GET", `/apps/${team.app.id}/feedback/counts?views=1`)).body);
  const listed = async (query: object, call: Call = team.call): Promise<string[]> => {
    const parameters = new URLSearchParams({ ...query, limit: "100" });
    const { status, body } = await call("GET", `${team.at}/feedback?${parameters}`);
    expect(status).toBe(200);
    return Object(body).items.map(({ id }: { id: string }) => id);
  };
  const inHours = (hours: number) =>
    new Date(service.clock.now().getTime() + hours * 3_600_000).toISOString();

  it("name whose views fill the list if there are too many", async () => {
    const [maria, viewer] = [await team.join("maintainer"), await team.join("viewer")];
    const fill = async (count: number, shared: boolean, call: Call) => {
      for (let at = 0; at < count; at++)
        expect((await create({ name: `View ${at}`, query: {}, shared }, call)).status).toBe(201);
    };
    const refusalFor = async (call: Call) => {
      const { status, body } = await create({ name: "One more", query: {} }, call);
      return [status, Object(body).error];
    };
    await fill(98, true, team.call);
    await fill(2, false, viewer.call);
    expect(await refusalFor(viewer.call)).toEqual([
      409,
      "You see 100 views of this app: 2 of your own and 98 shared. Delete one of your own first.",
    ]);
    await fill(2, false, maria.call);
    expect(await refusalFor(maria.call)).toEqual([
      409,
      "You see 100 views of this app: 2 of your own and 98 shared. Delete one of them first.",
    ]);
    await fill(2, true, team.call);
    const other = await team.join("viewer");
    expect(await refusalFor(other.call)).toEqual([
      409,
      "This app has 100 shared views, so you cannot save another one. Ask a maintainer to delete shared views.",
    ]);
  });

  it.each(["created", "activity", "oldest_activity"])(
    "find the threads of a sender in each form of Unicode, in the order %s",
    async (order) => {
      const composed = "ren\u00e9@example.org";
      const ids = [
        await send({ email: composed }),
        await send({ email: composed.normalize("NFD") }),
        await send({ email: composed.normalize("NFD").replace("ren", "REN") }),
      ];
      await send({ email: "rene@example.org" });
      for (const sender of [composed, composed.normalize("NFD"), composed.toUpperCase()])
        expect((await listed({ sender, order })).toSorted()).toEqual(ids.toSorted());
    },
  );

  it("count exactly the threads of their lists, for each member", async () => {
    const maria = await team.join("maintainer");
    const [open, mine, answered] = [await send(), await send(), await send()];
    const [snoozed, resolved] = [await send(), await send()];
    const again = await send({ dedupeKey: "again" });
    await change(mine, { assignee: "me", status: "in_progress" });
    await reply(answered);
    await change(snoozed, { snoozedUntil: inHours(2), assignee: "me" });
    await change(resolved, { status: "resolved", assignee: "me" });
    await reply(again);
    await send({ dedupeKey: "again" });
    await change(open, { addTags: ["crash"] });
    await create({ name: "Crashes", query: { tag: "crash", order: "activity" } });
    await create({ name: "Words", query: { q: "nothing" }, shared: true });
    await create({ name: "No such tag", query: { tag: "none" } });
    const { fixed, saved } = await counts();
    const expected: Record<string, string[]> = {
      to_triage: [open, answered, again],
      mine: [mine],
      waiting_on_us: [open, mine, again],
      waiting_on_sender: [answered],
      snoozed: [snoozed],
      resolved: [resolved],
      unassigned: [open, answered, again],
      all: [open, mine, answered, snoozed, resolved, again],
    };
    expect(fixed.map(({ view }: { view: string }) => view)).toEqual(Object.keys(expected));
    for (const { view, query, count } of fixed) {
      const ids = await listed(query);
      expect([view, ids.toSorted()]).toEqual([view, expected[view]?.toSorted()]);
      expect([view, count]).toEqual([view, ids.length]);
    }
    for (const { query, count } of saved) expect(count).toBe((await listed(query)).length);
    expect(saved.map(({ name, count }: { name: string; count: number }) => [name, count])).toEqual([
      ...[
        ["Crashes", 1],
        ["No such tag", 0],
        ["Words", 0],
      ],
    ]);
    const hers = await counts(maria.call);
    expect(hers.fixed).toContainEqual({ view: "mine", query: expect.anything(), count: 0 });
    expect(hers.saved.map(({ name }: { name: string }) => name)).toEqual(["Words"]);
  });

  it("show the same threads as the list for each combination of the new filters and the order", async () => {
    const ids = [await send(), await send(), await send(), await send()];
    const [first = "", second = "", third = ""] = ids;
    await reply(first);
    await change(second, { status: "in_progress", assignee: "me", addTags: ["a"] });
    await change(third, { status: "archived" });
    await change(first, { addTags: ["a"] });
    for (const filter of [{}, { tag: "a" }, { type: "bug" }, { assignee: "none" }, { assignee: "me" }])
      for (const more of [{ waitingOn: "us" }, { waitingOn: "sender" }, { unfinished: "true" }]) {
        const [byAge, byActivity, oldestFirst] = [
          await listed({ ...filter, ...more }),
          await listed({ ...filter, ...more, order: "activity" }),
          await listed({ ...filter, ...more, order: "oldest_activity" }),
        ];
        expect(byActivity.toSorted()).toEqual(byAge.toSorted());
        expect(oldestFirst).toEqual(byActivity.toReversed());
        expect(byAge).not.toContain(third);
      }
    expect(await listed({ unfinished: "true", unread: "true" })).not.toContain(third);
  });

  it("keep the known filters of a view that another version saved, and name the others", async () => {
    const [tagged, other] = [await send(), await send()];
    await change(tagged, { addTags: ["a"] });
    const id = (await create({ name: "Newer", query: { tag: "a", status: "open" } })).field("id");
    const stored = JSON.stringify({ tag: "a", status: "on_hold", mood: "angry" });
    await service.deps.database.write((tx) =>
      tx.run("UPDATE saved_views SET query = ? WHERE id = ?", stored, id),
    );
    const { body } = await team.call("GET", `/apps/${team.app.id}/views`);
    const newer = { id, query: { tag: "a" }, unknownFilters: ["status", "mood"] };
    expect(Object(body).items).toEqual([expect.objectContaining(newer)]);
    expect((await counts()).saved).toEqual([expect.objectContaining({ ...newer, count: 1 })]);
    expect(await listed(newer.query)).not.toContain(other);
    const path = `/apps/${team.app.id}/views/${id}`;
    await team.call("PATCH", path, { query: { tag: "a" } });
    expect((await counts()).saved[0]).not.toHaveProperty("unknownFilters");
  });

  it("count as many threads as the list, for every order and filter", async () => {
    const ids = [await send(), await send(), await send(), await send()];
    const [first = "", second = "", third = ""] = ids;
    await reply(first);
    await change(second, { status: "in_progress", assignee: "me", addTags: ["a"] });
    await change(third, { status: "resolved", addTags: ["a"] });
    await change(first, { snoozedUntil: inHours(2) });
    const states = ["", "status=open", "status=resolved&type=bug", "type=bug"];
    const others = ["", "tag=a", "snoozed=false", "snoozed=true", "assignee=none&unfinished=true"];
    for (const state of states)
      for (const other of [...others, "assignee=me", "waitingOn=us", "unread=true"])
        for (const order of ["", "order=activity", "order=oldest_activity"]) {
          const query = Object.fromEntries(new URLSearchParams([state, other, order].join("&")));
          const given = String(new URLSearchParams({ ...query, matching: "1" }));
          const { body } = await team.call("GET", `${team.at}/feedback/counts?${given}`);
          const found = await listed(query);
          expect([given, Object(body).matching.count]).toEqual([given, found.length]);
        }
  });

  it("are private unless a maintainer shares them", async () => {
    const [maria, viewer] = [await team.join("maintainer"), await team.join("viewer")];
    expect((await create({ name: "Hers", query: {} }, viewer.call)).status).toBe(201);
    expect((await create({ name: "All", query: {}, shared: true }, viewer.call)).status).toBe(403);
    const { body } = await create({ name: "Ours", query: { status: "open" }, shared: true }, maria.call);
    const at = `/apps/${team.app.id}/views/${Object(body).id}`;
    expect(body).toMatchObject({ name: "Ours", query: { status: "open" }, shared: true });
    expect([await named(viewer.call), await named(), await named(maria.call)]).toEqual([
      ["Hers", "Ours"],
      ...[["Ours"], ["Ours"]],
    ]);
    for (const [method, change] of [["PATCH", { name: "Mine" }], ["DELETE"]] as const)
      expect((await viewer.call(method, at, change)).status).toBe(403);
    expect((await team.call("PATCH", at, { name: "Still ours", shared: false })).body).toMatchObject({
      name: "Still ours",
      shared: false,
    });
    expect((await maria.call("DELETE", at)).status).toBe(404);
    const stranger = await team.newcomer();
    expect((await stranger.call("GET", `/apps/${team.app.id}/views`)).status).toBe(404);
    expect((await team.call("DELETE", at)).status).toBe(204);
    expect(await named()).toEqual([]);
  });

  it("of a member who leaves are deleted, and shared views stay", async () => {
    const maria = await team.join("maintainer");
    await create({ name: "Ours", query: {}, shared: true }, maria.call);
    await create({ name: "Hers", query: {} }, maria.call);
    await team.call("DELETE", `${team.at}/members/${maria.id}`);
    expect(await named()).toEqual(["Ours"]);
    const rows = await service.deps.database.all<{ name: string }>(
      "SELECT name FROM saved_views WHERE app_id = ?",
      team.app.id,
    );
    expect(rows).toEqual([{ name: "Ours" }]);
  });

  it("refuse filters that the list refuses", async () => {
    expect((await create({ name: "Both", query: { q: "a", unread: "true" } })).status).toBe(400);
    expect((await create({ name: "None", query: { status: "odd" } })).status).toBe(400);
  });
});
