import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { indexForSearch, indexNext, tryAgain } from "../../../server/feedback/search/store/indexing.ts";
import { textsInParts } from "../../../server/feedback/search/store/search.ts";
import { mostText, textsOf } from "../../../server/feedback/search/store/texts.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

const messages = 500;
const plans = 40;
const length = 10_000;

describe.each(databases)("a search on $name in very long threads", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  const found = async (q: string): Promise<string[]> => {
    const answer = await world.call("GET", `/apps/${world.app.id}/feedback?q=${encodeURIComponent(q)}`);
    expect(answer.status).toBe(200);
    return Object(answer.body).items.map(({ id }: { id: string }) => id);
  };

  /** Adds messages that have much text, each with a word that only this message has. */
  async function addLongMessages(id: string): Promise<void> {
    const { database, newId } = service.deps;
    await database.write(async (tx) => {
      for (let n = 0; n < messages; n++)
        await tx.insert("messages", {
          ...{ id: newId(), feedback_id: id, direction: "inbound", metadata: "{}" },
          body: `word${n}x ${"text ".repeat(length / 5)}`.slice(0, length),
          created_at: new Date(Date.UTC(2027, 0, 1) + n * 1_000).toISOString(),
        });
    }, "long");
  }

  /** Adds long plans from the time of the newest messages, each with a word that only this plan has. */
  async function addLongPlans(id: string): Promise<void> {
    const { database, newId } = service.deps;
    await database.write(async (tx) => {
      for (let n = 0; n < plans; n++)
        await tx.insert("runs", {
          ...{ id: newId(), feedback_id: id, status: "superseded", summary: `plan${n}x` },
          plan: "text ".repeat(length / 5),
          created_at: new Date(Date.UTC(2027, 0, 1) + (messages - plans + n) * 1_000).toISOString(),
        });
    }, "long");
  }

  it("reads only the newest texts and the report", async () => {
    const id = await sendFeedback(service, world.app.key, { message: "A zebra." });
    await addLongMessages(id);
    const { database } = service.deps;
    const row = await database.get<{ seq: number }>("SELECT seq FROM feedback WHERE id = ?", id);
    const [thread] = await textsOf(database, [row?.seq ?? 0]);
    const read = thread?.texts.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
    expect(read).toBeGreaterThan(mostText / 2);
    expect(read).toBeLessThan(mostText + 2 * length);
    while (await indexNext(database));
    for (const q of ["zebra", `word${messages - 1}x`, `word${messages - 20}x`])
      expect([q, await found(q)]).toEqual([q, [id]]);
    expect(await found("word0x")).toEqual([]);
  });

  it("finds the newest plans, and leaves out the oldest messages and plans", async () => {
    const id = await sendFeedback(service, world.app.key, { message: "A lemur." });
    await addLongMessages(id);
    await addLongPlans(id);
    while (await indexNext(service.deps.database));
    // Other threads of this test have the same words in their messages.
    for (const q of ["lemur", `plan${plans - 1}x`, `plan${plans - 10}x`, `word${messages - 10}x`])
      expect([q, await found(q)]).toEqual([q, expect.arrayContaining([id])]);
    for (const q of ["plan0x", `word${messages - 40}x`]) expect([q, await found(q)]).toEqual([q, []]);
  });

  it("leaves a thread in the queue that changes during the indexing", async () => {
    const id = await sendFeedback(service, world.app.key, { message: "A heron." });
    const { database } = service.deps;
    let isChanged = false;
    const changing: typeof database = {
      ...database,
      write: async (work, pace) => {
        if (!isChanged) {
          isChanged = true;
          await database.write((tx) =>
            tx.run("UPDATE feedback SET subject = 'Ibis', message = 'An ibis.' WHERE id = ?", id),
          );
        }
        return database.write(work, pace);
      },
    };
    await indexForSearch({ ...service.deps, database: changing });
    expect(isChanged).toBe(true);
    expect(await found("heron")).toEqual([]);
    expect(await found("ibis")).toEqual([id]);
  });

  it("finds all other threads if one thread cannot be indexed", async () => {
    const id = await sendFeedback(service, world.app.key, { message: "A gecko." });
    expect(await found("gecko")).toEqual([id]);
    const { database } = service.deps;
    // A thread whose metadata cannot be read.
    const broken = await sendFeedback(service, world.app.key, { message: "A gecko, too." });
    await database.write((tx) => tx.run("UPDATE feedback SET metadata = '{' WHERE id = ?", broken));
    const older = await sendFeedback(service, world.app.key, { message: "A third gecko." });
    expect(await found("gecko")).toEqual([older, id]);
    const { body } = await world.call("GET", `/apps/${world.app.id}/feedback?q=gecko`);
    expect(Object(body).search.indexing).toBe(false);
    expect(service.logged()).toContain("a thread could not be indexed");
    // The server tries again when the thread changes.
    await database.write((tx) => tx.run("UPDATE feedback SET metadata = '{}' WHERE id = ?", broken));
    expect(await found("gecko")).toEqual([older, broken, id]);
    await database.write(async (tx) => {
      await tx.run(
        "INSERT INTO threads_set_apart (feedback_seq) SELECT seq FROM feedback WHERE id = ?",
        broken,
      );
      await tryAgain(tx);
    });
    expect(await indexNext(database)).toBe(true);
  });

  it("allows other work while it indexes many texts", async () => {
    const { database } = service.deps;
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const id = await sendFeedback(service, world.app.key, { message: "A tapir." });
      await addLongMessages(id);
      ids.push(id);
    }
    const rows = await database.all<{ seq: number }>(
      `SELECT seq FROM feedback WHERE id IN (${ids.map(() => "?").join(", ")})`,
      ...ids,
    );
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    const seen: number[] = [];
    for await (const { seq } of textsInParts(
      database,
      rows.map((row) => row.seq),
    )) {
      if (seen.length === 0) turn();
      seen.push(seq);
    }
    isOver = true;
    expect(seen).toHaveLength(4);
    expect(turns).toBeGreaterThanOrEqual(4);
  });
});
