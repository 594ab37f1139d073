import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { listThreadsOf } from "../../support/worlds/agents/listed-threads.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

/** One query for each order of the list. */
const orders: readonly Record<string, string>[] = [
  {},
  { updatedSince: "2000-01-01T00:00:00Z" },
  { q: "broke" },
];

describe.each(databases)("GET /api/v1/agent/feedback?tag=NAME on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const asPerson = (method: string, path: string, body: object) =>
    service.request(method, `/api/v1/console${path}`, { headers: cast.person, body });
  const edit = async (id: string, body: object) =>
    expect(await asPerson("PATCH", `/feedback/${id}`, body)).toMatchObject({ status: 200 });
  const tagged = async (addTags: readonly string[], report: object = {}) => {
    const id = await submitFeedback(service, cast, report);
    await edit(id, { addTags });
    return id;
  };
  const list = (query: Record<string, string>) => listThreadsOf(service, cast, query);
  const found = async (query: Record<string, string>) => (await list(query)).items.map(({ id }) => id);
  const secondApp = async () => {
    const { key } = await service.makeApp(cast.owner);
    return { ...cast, key: { "x-api-key": key } };
  };

  it("returns the threads that have all of the tags", async () => {
    const both = await tagged(["Login", "android"]);
    const one = await tagged(["login"]);
    await tagged(["android"]);
    await submitFeedback(service, cast);
    expect(await found({ tag: "LOGIN" })).toEqual([one, both]);
    expect(await found({ tag: "login, Android" })).toEqual([both]);
    expect(await found({ tag: "login,login" })).toEqual([one, both]);
    expect(await found({ tag: "login,android,unknown" })).toEqual([]);
    expect(await found({ tag: "unknown" })).toEqual([]);
    expect(await found({ tag: "unknown", q: "broke" })).toEqual([]);
  });

  it("can be combined with every other filter", async () => {
    const bug = await tagged(["login", "old"], { subject: "Broken kettle" });
    const wish = await tagged(["login"], { subject: "Whistling kettle", type: "feature" });
    await tagged(["other"], { subject: "Broken kettle" });
    expect(await found({ tag: "login", q: "kettle" })).toEqual([wish, bug]);
    expect(await found({ tag: "login,old", q: "kettle" })).toEqual([bug]);
    expect(await found({ tag: "login", type: "feature" })).toEqual([wish]);
    await edit(bug, { status: "resolved" });
    expect(await found({ tag: "login", status: "open" })).toEqual([wish]);
    expect(await found({ tag: "login", status: "resolved" })).toEqual([bug]);
    await propose(service, cast, wish);
    expect(await found({ tag: "login", waiting: "approval" })).toEqual([wish]);
    expect(await found({ tag: "login", waiting: "none" })).toEqual([bug]);
  });

  it("with updatedSince returns the threads that were active since then, the last active one first", async () => {
    const [first, second] = [await tagged(["login"]), await tagged(["login", "old"])];
    await tagged(["login"]);
    service.clock.advance(60_000);
    const updatedSince = service.clock.now().toISOString();
    await edit(second, { status: "in_progress" });
    service.clock.advance(1_000);
    await edit(first, { status: "in_progress" });
    expect(await found({ tag: "login", updatedSince })).toEqual([first, second]);
    expect(await found({ tag: "login,old", updatedSince })).toEqual([second]);
  });

  it("returns each thread of all apps once, over several pages, in every order", async () => {
    const other = await secondApp();
    const ids: string[] = [];
    for (const app of [cast, other, cast, other, cast]) {
      const id = await submitFeedback(service, app, { message: "It broke." });
      await edit(id, { addTags: ["login", "old"] });
      await edit(await submitFeedback(service, app, { message: "It broke." }), { addTags: ["old"] });
      ids.unshift(id);
      service.clock.advance(1_000);
    }
    for (const order of orders) {
      const pages: string[] = [];
      for (let cursor: unknown = ""; cursor !== null; ) {
        const query = {
          ...order,
          tag: "login,old",
          limit: "2",
          ...(cursor !== "" && { cursor: String(cursor) }),
        };
        const answer = await service.request("GET", `/api/v1/agent/feedback?${new URLSearchParams(query)}`, {
          headers: cast.agent,
        });
        const { items, nextCursor } = Object(answer.body);
        pages.push(...items.map(({ id }: { id: string }) => id));
        cursor = nextCursor;
      }
      expect(pages).toEqual(ids);
    }
  });

  it("uses the tags of each app separately, so that no thread matches tags of two apps", async () => {
    const other = await secondApp();
    const mine = await tagged(["login"]);
    const theirs = await submitFeedback(service, other);
    await edit(theirs, { addTags: ["old"] });
    expect(await found({ tag: "login" })).toEqual([mine]);
    expect(await found({ tag: "old" })).toEqual([theirs]);
    expect(await found({ tag: "login,old" })).toEqual([]);
    expect(await found({ tag: "old", appId: cast.appId })).toEqual([]);
  });

  it("answers a tag of somebody else's app as a tag that does not exist", async () => {
    const stranger = await makeAppWithAgent(service);
    const theirs = await submitFeedback(service, stranger);
    await service.request("PATCH", `/api/v1/console/feedback/${theirs}`, {
      headers: stranger.person,
      body: { addTags: ["secret"] },
    });
    await tagged(["login"]);
    for (const more of orders)
      expect((await list({ tag: "secret", ...more })).items).toEqual(
        (await list({ tag: "unknown", ...more })).items,
      );
    expect((await listThreadsOf(service, stranger, { tag: "secret" })).items).toMatchObject([{ id: theirs }]);
  });

  it("shows no thread of a blocked sender", async () => {
    const id = await tagged(["login"]);
    expect(await found({ tag: "login" })).toEqual([id]);
    await service.deps.database.write((tx) =>
      tx.run("UPDATE feedback SET status = 'blocked' WHERE id = ?", id),
    );
    for (const more of orders) expect(await found({ tag: "login", ...more })).toEqual([]);
  });

  it("returns changed threads with the tag; a new tag alone is not a change", async () => {
    const [first, second] = [await tagged(["login"]), await tagged(["old"])];
    const { changes } = await list({ tag: "login" });
    const changed = () => found({ tag: "login", changedAfter: changes });
    await edit(second, { addTags: ["login"] });
    expect(await changed()).toEqual([]);
    await edit(first, { status: "resolved" });
    await edit(await submitFeedback(service, cast), { addTags: ["old"] });
    expect(await changed()).toEqual([first]);
    await edit(second, { status: "resolved" });
    expect(await changed()).toEqual([first, second]);
    expect(await found({ tag: "login,old", changedAfter: changes })).toEqual([second]);
    expect(await found({ tag: "unknown", changedAfter: changes })).toEqual([]);
  });
});
