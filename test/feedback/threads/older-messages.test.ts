import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { feedbackThreads } from "../../../server/feedback/threads/store/threads.ts";
import { fieldsOf, isText, listAt, textAt, valueAt } from "../../../src/contract/json.ts";
import { limits } from "../../../src/contract/limits.ts";
import { databases } from "../../support/database/databases.ts";
import { planOf } from "../../support/database/plans.ts";
import { tracedDatabase } from "../../support/database/traced-database.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";
import { numbered, type WrittenMessage, writeMessages } from "../../support/worlds/long-thread.ts";

describe.each(databases)("the older messages of a thread on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const readers = ["agent", "console"] as const;
  type Reader = (typeof readers)[number];

  async function threadWith(written: readonly WrittenMessage[]) {
    const id = await submitFeedback(service, cast);
    return { id, ids: await writeMessages(service, id, written) };
  }

  const ask = (reader: Reader, id: string, query = "", headers: Record<string, string> = {}) =>
    service.request("GET", `/api/v1/${reader}/feedback/${id}${query}`, {
      headers: { ...(reader === "agent" ? cast.agent : cast.person), ...headers },
    });

  async function read(reader: Reader, id: string, before?: string) {
    const { status, body } = await ask(reader, id, before === undefined ? "" : `?before=${before}`);
    expect(status).toBe(200);
    const next = valueAt(body, "nextBefore");
    return {
      ids: listAt(body, "messages").map((message) => textAt(message, "id")),
      omitted: valueAt(body, "omittedMessages"),
      next: isText(next) ? next : undefined,
    };
  }

  /** Reads a thread from its newest messages to its oldest. Returns each answer. */
  async function readAll(reader: Reader, id: string) {
    const pages = [await read(reader, id)];
    for (let next = pages[0]?.next; next !== undefined && pages.length < 20; next = pages.at(-1)?.next)
      pages.push(await read(reader, id, next));
    return pages;
  }

  it.each(readers)("are read by the %s in pages, each message once", async (reader) => {
    const { id, ids } = await threadWith(numbered(1_203));
    const pages = await readAll(reader, id);
    expect(pages.map(({ ids }) => ids.length)).toEqual([500, 500, 203]);
    expect(pages.map(({ omitted }) => omitted)).toEqual([703, 203, 0]);
    expect(pages.map(({ next }) => next)).toEqual([ids[703], ids[203], undefined]);
    expect(pages.toReversed().flatMap(({ ids }) => ids)).toEqual(ids);
  });

  it.each(readers)("are read by the %s from any message of the thread", async (reader) => {
    const { id, ids } = await threadWith(numbered(4));
    for (const [place, before] of ids.entries())
      expect(await read(reader, id, before)).toEqual({
        ...{ ids: ids.slice(0, place), omitted: 0, next: undefined },
      });
    expect((await read(reader, id, ids[2]?.toUpperCase())).ids).toEqual(ids.slice(0, 2));
  });

  it.each(readers)("of one instant are read by the %s in the order of their ids", async (reader) => {
    const together = numbered(4).map((message, n) => ({ ...message, isTogether: n > 0 }));
    const { id, ids } = await threadWith(together);
    expect((await read(reader, id, ids[2])).ids).toEqual(ids.slice(0, 2));
  });

  it.each(readers)("fit into 1 MiB in each answer to the %s, and each report is in one", async (reader) => {
    const body = "x".repeat(400_000);
    const { id, ids } = await threadWith([
      ...Array.from({ length: 4 }, () => ({ body, isReport: true })),
      ...numbered(2),
      ...Array.from({ length: 4 }, () => ({ body, isReport: true })),
    ]);
    const pages = await readAll(reader, id);
    // The first answer contains the notes, but not the reports before and after them.
    expect(pages[0]).toEqual({ ids: [...ids.slice(4, 6), ...ids.slice(8)], omitted: 6, next: ids[8] });
    expect(pages.slice(1).map(({ ids }) => ids)).toEqual([ids.slice(4, 8), ids.slice(2, 4), ids.slice(0, 2)]);
    expect(pages.slice(1).map(({ omitted }) => omitted)).toEqual([4, 2, 0]);
  });

  it.each(readers)("are all read by the %s if only notes fit into its first answer", async (reader) => {
    const body = "x".repeat(limits.threadMessageBytes);
    const { id, ids } = await threadWith([
      ...numbered(2),
      { body, isReport: true },
      { body: "note" },
      { body: "note" },
    ]);
    const [first, ...later] = await readAll(reader, id);
    expect(first).toEqual({ ids: ids.filter((_, n) => n !== 2), omitted: 1, next: ids[4] });
    expect(later.map(({ ids }) => ids)).toEqual([ids.slice(3, 4), ids.slice(2, 3), ids.slice(0, 2)]);
  });

  it.each(readers)("leave out hidden messages in the answer to the %s", async (reader) => {
    const { id, ids } = await threadWith([
      { body: "seen" },
      { body: "hidden", direction: "blocked" },
      { body: "seen" },
    ]);
    expect(await read(reader, id, ids[2])).toEqual({ ids: ids.slice(0, 1), omitted: 0, next: undefined });
    expect(await ask(reader, id, `?before=${ids[1]}`)).toMatchObject({ status: 400 });
  });

  it.each(readers)("are refused to the %s with a 400 that names `before`", async (reader) => {
    const { id } = await threadWith(numbered(2));
    const other = await threadWith(numbered(2));
    const unknown = "must be the id of a message of this thread";
    for (const [before, message] of [
      ["seven", "must be a UUID"],
      ["", "must be a UUID"],
      [randomUUID(), unknown],
      [other.ids[1], unknown],
      [id, unknown],
    ]) {
      const answer = await ask(reader, id, `?before=${before}`);
      const issues = [{ path: "before", message }];
      expect(answer, before).toMatchObject({ status: 400, body: { code: "bad_request", issues } });
    }
  });

  it("are not found in a thread that the caller may not read", async () => {
    const { id, ids } = await threadWith(numbered(2));
    const stranger = await makeAppWithAgent(service);
    for (const [reader, headers] of [
      ["agent", stranger.agent],
      ["console", stranger.person],
    ] as const) {
      const query = `?before=${ids[1]}`;
      expect(await ask(reader, id, query, headers)).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
    }
  });

  it("are the same as in an answer that has newer messages, too, beside the same facts", async () => {
    const report = { dedupeKey: "same", message: "It crashes.", name: "Ada" };
    const id = await submitFeedback(service, cast, { ...report, email: "ada@example.org" });
    const say = (body: object) =>
      service.request("POST", `/api/v1/console/feedback/${id}/messages`, { headers: cast.person, body });
    await submitFeedback(service, cast, { ...report, email: "bob@example.org", metadata: { os: 17 } });
    await say({ direction: "outbound", body: "Fixed in 2.1.", everyone: true });
    await propose(service, cast, id);
    await submitFeedback(service, cast, { ...report, email: "eve@example.org" });
    await say({ direction: "note", body: "Not fixed." });
    for (const reader of readers) {
      const { body: newest } = await ask(reader, id);
      const all = listAt(newest, "messages");
      expect(all).toHaveLength(5);
      for (const [place, message] of all.entries()) {
        const { body: older } = await ask(reader, id, `?before=${textAt(message, "id")}`);
        expect(older).toEqual({ ...fieldsOf(newest), messages: all.slice(0, place) });
        expect(JSON.stringify(older).includes("bob@example.org")).toBe(reader === "console" && place > 0);
      }
    }
  });

  it("are read by the id of a thread that was merged into this one", async () => {
    const { id, ids } = await threadWith(numbered(3));
    const merged = await submitFeedback(service, cast);
    const body = { into: id };
    const path = `/api/v1/console/feedback/${merged}/merge`;
    expect(await service.request("POST", path, { headers: cast.person, body })).toMatchObject({
      status: 200,
    });
    for (const reader of readers) {
      expect((await read(reader, merged, ids[1])).ids).toEqual(ids.slice(0, 1));
      // The report of the merged thread is a message of this thread.
      expect((await read(reader, id, merged)).ids).toEqual(ids);
    }
  });

  it.each(readers)("have an ETag of their own for the %s", async (reader) => {
    const { id, ids } = await threadWith(numbered(3));
    const older = `?before=${ids[1]}`;
    const newest = (await ask(reader, id)).headers.get("etag") ?? "";
    const etag = (await ask(reader, id, older)).headers.get("etag") ?? "";
    expect(etag).not.toBe(newest);
    expect((await ask(reader, id, older, { "if-none-match": etag })).status).toBe(304);
    expect((await ask(reader, id, "", { "if-none-match": etag })).status).toBe(200);
    expect((await ask(reader, id, "", { "if-none-match": newest })).status).toBe(304);
  });
});

describe.each(databases)("the statement for the older messages of a thread on $name", (engine) => {
  const traced = tracedDatabase(engine);
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine: traced.engine });
  });
  afterAll(() => service.stop());

  it("finds them through an index, without the newer ones", async () => {
    const viewer = { userId: "a", appId: null, needs: "viewer", kind: "session" } as const;
    const plan = await planOf(traced, service.deps.database, (database) =>
      feedbackThreads.findOlder(database, { id: "a", before: "b" }, viewer),
    );
    const positions =
      engine.engine === "sqlite"
        ? /messages USING (COVERING )?INDEX messages_by_feedback \(feedback_id=\? AND created_at<\?\)/g
        : /messages_by_feedback.*\n *Index Cond: .*ROW\(created_at, id\) < ROW/g;
    expect(plan.match(positions), plan).toHaveLength(2);
    expect(plan).not.toMatch(/SCAN messages|Seq Scan on messages/);
  });
});
