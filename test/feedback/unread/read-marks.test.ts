import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { unreadCounts } from "../../../server/feedback/unread/store/news.ts";
import { viewLimits } from "../../../server/feedback/unread/store/read-marks.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  bearer,
  fillThreads,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

const List = z.object({
  items: z.array(z.looseObject({ id: z.string(), subject: z.string(), unread: z.boolean() })),
});

interface Person {
  readonly id: string;
  readonly headers: Record<string, string>;
}

describe.each(databases)("the read state of threads on $name", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let app: { readonly id: string; readonly key: string };
  let owner: Person;
  let viewer: Person;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
    owner = { id: world.owner.id, headers: world.headers };
  });
  beforeEach(async () => {
    app = await service.makeApp(world.owner);
    const person = await service.makeMember(app.id, "viewer");
    viewer = { id: person.id, headers: await service.signIn(person) };
    service.clock.advance(1_000);
  });
  afterAll(() => service.stop());

  const as = async (person: Person, method: string, path: string, body?: unknown) => {
    service.clock.advance(1_000);
    return service.request(method, `/api/v1/console${path}`, { headers: person.headers, body });
  };
  const send = async (subject: string, more: object = {}) => {
    service.clock.advance(1_000);
    return sendFeedback(service, app.key, { subject, ...more });
  };
  const unread = async (person: Person, query = "") => {
    const { body } = await as(person, "GET", `/apps/${app.id}/feedback?unread=true&limit=100${query}`);
    return List.parse(body).items.map(({ subject }) => subject);
  };
  const mark = async (person: Person, id: string, read: boolean) => {
    const answer = await as(person, "PUT", `/feedback/${id}/read`, { read });
    expect(answer).toMatchObject({ status: 200, body: { unread: !read } });
  };
  const markAll = async (person: Person, body: object = {}) =>
    expect((await as(person, "PUT", `/apps/${app.id}/feedback/read`, body)).status).toBe(204);
  const countOf = async (person: Person) =>
    (await unreadCounts(service.deps.database, person.id)).find(({ appId }) => appId === app.id);
  const rowsOf = async (person: Person) => {
    const sql = "SELECT count(*) AS count FROM thread_looks WHERE app_id = ? AND user_id = ?";
    return (await service.deps.database.get<{ count: number }>(sql, app.id, person.id))?.count;
  };

  it("is separate for each person, and a thread can be marked as unread again", async () => {
    const [a] = [await send("a"), await send("b")];
    expect([await unread(owner), await unread(viewer)]).toEqual([
      ["b", "a"],
      ["b", "a"],
    ]);
    await mark(viewer, a, true);
    expect([await unread(owner), await unread(viewer)]).toEqual([["b", "a"], ["b"]]);
    await mark(viewer, a, false);
    await mark(owner, a, true);
    expect([await unread(owner), await unread(viewer)]).toEqual([["b"], ["b", "a"]]);
  });

  it("is read for everything that happened before the person joined", async () => {
    await send("before");
    const person = await service.makeMember(app.id, "maintainer");
    const late = { id: person.id, headers: await service.signIn(person) };
    expect(await unread(late)).toEqual([]);
    await send("after");
    expect(await unread(late)).toEqual(["after"]);
  });

  it("becomes unread by any action of another person, and by no action of the person", async () => {
    const id = await send("a", { dedupeKey: "a" });
    const agent = await service.makeToken(world.owner, "agent");
    await markAll(viewer);
    await markAll(owner);
    const steps: [name: string, act: () => Promise<unknown>][] = [
      ["repeat", () => send("again", { dedupeKey: "a" })],
      ["proposal", () => propose(service, agent, id)],
    ];
    for (const [name, act] of steps) {
      service.clock.advance(1_000);
      await act();
      expect([name, await unread(owner), await unread(viewer)]).toEqual([name, ["a"], ["a"]]);
      for (const person of [owner, viewer]) await mark(person, id, true);
    }
    const { body } = await as(owner, "GET", `/feedback/${id}`);
    const runId = z.looseObject({ latestProposal: z.looseObject({ id: z.string() }) }).parse(body)
      .latestProposal.id;
    const own: [path: string, body: object, method?: string][] = [
      [`/feedback/${id}/messages`, { direction: "note", body: "Seen." }],
      [`/feedback/${id}/messages`, { direction: "outbound", body: "Thanks." }],
      [`/runs/${runId}/decision`, { decision: "approve" }],
      [`/runs/${runId}/recall`, {}],
      [`/feedback/${id}`, { status: "resolved" }, "PATCH"],
    ];
    for (const [path, body, method = "POST"] of own) {
      expect((await as(owner, method, path, body)).status).toBeLessThan(300);
      expect([path, await unread(owner), await unread(viewer)]).toEqual([path, [], ["a"]]);
      await mark(viewer, id, true);
    }
  });

  it("stays unread if the person acts without reading the earlier messages", async () => {
    const id = await send("a");
    await as(owner, "POST", `/feedback/${id}/messages`, { direction: "note", body: "By a script." });
    expect(await unread(owner)).toEqual(["a"]);
  });

  it("can be set for one status or type up to an instant, and the rest stays unread", async () => {
    const done = await send("done");
    await as(owner, "PATCH", `/feedback/${done}`, { status: "resolved" });
    await send("question", { type: "question" });
    await send("bug");
    const until = service.clock.now().toISOString();
    await send("late");
    await markAll(viewer, { status: "open", type: "bug", until });
    expect(await unread(viewer)).toEqual(["late", "question", "done"]);
    expect(await unread(viewer, "&status=resolved")).toEqual(["done"]);
    expect(await unread(viewer, "&type=question")).toEqual(["question"]);
    await markAll(viewer, { type: "question" });
    expect(await unread(viewer)).toEqual(["late", "done"]);
    await markAll(viewer, { status: "open" });
    expect(await unread(viewer)).toEqual(["done"]);
    await markAll(viewer);
    expect([await unread(viewer), await rowsOf(viewer)]).toEqual([[], 0]);
  });

  it("is never in the future, because a future instant means now", async () => {
    await markAll(viewer, { until: "2999-01-01T00:00:00.000Z" });
    await send("a");
    expect(await unread(viewer)).toEqual(["a"]);
  });

  it("is correct on each page, also if marks of older threads are between them", async () => {
    const ids = [await send("a"), await send("b"), await send("c"), await send("d")];
    await markAll(viewer);
    await mark(viewer, ids[1] ?? "", false);
    await mark(viewer, ids[3] ?? "", false);
    await send("e");
    const listed: string[] = [];
    for (let cursor = ""; ; ) {
      const path = `/apps/${app.id}/feedback?unread=true&limit=1${cursor && `&cursor=${cursor}`}`;
      const answer = await as(viewer, "GET", path);
      listed.push(...List.parse(answer.body).items.map(({ subject }) => subject));
      const { nextCursor } = z.looseObject({ nextCursor: z.nullable(z.string()) }).parse(answer.body);
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    expect(listed).toEqual(["e", "d", "b"]);
  });

  it("is counted up to 100, and so are the proposals that a person may decide on", async () => {
    await fillThreads(service, app.id, Array(130).fill({ createdAt: service.clock.now().toISOString() }));
    const id = await send("a");
    await propose(service, await service.makeToken(world.owner, "agent"), id);
    expect(await countOf(viewer)).toMatchObject({ unread: 100, waiting: 0 });
    expect(await countOf(owner)).toMatchObject({ unread: 100, waiting: 1 });
    await markAll(viewer);
    await mark(viewer, id, false);
    expect(await countOf(viewer)).toMatchObject({ unread: 1 });
  });

  it("can be set with one request for any number of threads, and other threads stay unread", async () => {
    const createdAt = service.clock.now().toISOString();
    await send("question", { type: "question" });
    await fillThreads(service, app.id, Array(viewLimits.marked + 5).fill({ createdAt }));
    await markAll(viewer, { type: "bug" });
    expect([await unread(viewer), await rowsOf(viewer)]).toEqual([["question"], 1]);
  });

  it("uses a limited number of rows for each person, and loses no unread thread among the newest", async () => {
    const createdAt = service.clock.now().toISOString();
    const more = viewLimits.most - 1;
    const old = await send("old");
    await fillThreads(service, app.id, Array(more).fill({ createdAt: service.clock.now().toISOString() }));
    const { database } = service.deps;
    await database.write((tx) =>
      tx.run(
        `INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, active_at)
         SELECT app_id, ?, id, 0, created_at FROM feedback WHERE app_id = ? AND created_at > ? AND id <> ?`,
        ...[viewer.id, app.id, createdAt, old],
      ),
    );
    expect([await unread(viewer), await rowsOf(viewer)]).toEqual([["old"], more]);
    for (const subject of ["one more", "and another"]) await mark(viewer, await send(subject), true);
    expect(await unread(viewer)).toEqual(["old"]);
    expect(await rowsOf(viewer)).toBeLessThanOrEqual(viewLimits.kept + viewLimits.keptUnread + 1);
  });

  it("is deleted with the membership, with the thread and with the account", async () => {
    const [a, b] = [await send("a"), await send("b")];
    await mark(viewer, a, true);
    await mark(viewer, b, true);
    await as(owner, "DELETE", `/feedback/${b}`);
    expect(await rowsOf(viewer)).toBe(1);
    expect((await as(owner, "DELETE", `/apps/${app.id}/members/${viewer.id}`)).status).toBe(204);
    expect(await rowsOf(viewer)).toBe(0);
    const person = await service.makeMember(app.id, "viewer");
    await mark({ id: person.id, headers: await service.signIn(person) }, a, true);
    await service.deps.database.write((tx) => tx.run("DELETE FROM users WHERE id = ?", person.id));
    expect(await rowsOf({ id: person.id, headers: {} })).toBe(0);
  });

  it("is hidden from people who are not members, and a token needs the scope to write to set it", async () => {
    const id = await send("a");
    const person = await service.makeUser();
    const stranger = { id: person.id, headers: await service.signIn(person) };
    expect((await as(stranger, "PUT", `/feedback/${id}/read`, { read: true })).status).toBe(404);
    expect((await as(stranger, "PUT", `/apps/${app.id}/feedback/read`, {})).status).toBe(404);
    const token = async (scope: string) => ({
      id: owner.id,
      headers: bearer(await service.makeToken(world.owner, "maintainer", { scopes: [scope] })),
    });
    const refused = await as(await token("feedback:read"), "PUT", `/feedback/${id}/read`, { read: true });
    expect(refused.field("code")).toBe("insufficient_scope");
    await mark(await token("feedback:write"), id, true);
    expect(await unread(owner)).toEqual([]);
  });
});
