import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../server/store/engine/database.ts";
import { refreshStatistics } from "../../../server/store/engine/statistics.ts";
import { findThreads } from "../../../server/store/feedback/found-threads.ts";
import { listThreads } from "../../../server/store/feedback/inbox.ts";
import { indexForSearch } from "../../../server/store/feedback/search/feedback-search.ts";
import { databases, postgres } from "../../support/database/databases.ts";
import { tracedDatabase } from "../../support/database/traced-database.ts";
import { type Service, startService } from "../../support/service/service.ts";

/** Threads far from each other in the order of arrival, as if there were a hundred thousand. */
const places = [
  3, 900, 1_200, 6_900, 31_990, 32_010, 40_000, 63_900, 64_100, 95_000, 98_500, 99_100, 99_990, 100_000,
];

/** So many old threads with a word of their own that they are not read one by one. */
const old = Array.from({ length: 230 }, (_, at) => 5_000 + at);

interface Placed {
  readonly appId: string;
  readonly seq: number;
  readonly subject: string;
  readonly status: string;
}

const place = (database: Database, placed: Placed): Promise<void> =>
  database.write((tx) => tx.insert("feedback", rowOf(placed)));

const rowOf = ({ appId, seq, subject, status }: Placed) => ({
  ...{ seq, id: `00000000-0000-4000-8000-${String(seq).padStart(12, "0")}`, app_id: appId, subject, status },
  ...{ message: "It broke.", category: "bug", metadata: "{}", files: "[]", occurrences: 1, indexed: 0 },
  created_at: new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString(),
});

describe.each(databases)("a search on $name through threads that came long ago and lately", (engine) => {
  let service: Service;
  let userId: string;
  let appId: string;
  beforeAll(async () => {
    service = await startService({ engine });
    const owner = await service.makeUser();
    userId = owner.id;
    appId = (await service.makeApp(owner)).id;
    const { id: foreign } = await service.makeApp(await service.makeUser());
    const { database } = service.deps;
    for (const [at, seq] of places.entries()) {
      const status = at % 3 === 0 ? "open" : "resolved";
      await place(database, { appId, seq, subject: at % 2 === 0 ? "zebra even" : "zebra odd", status });
      await place(database, { appId: foreign, seq: seq + 1, subject: "zebra", status });
    }
    await database.write(async (tx) => {
      for (const seq of old)
        await tx.insert("feedback", rowOf({ appId, seq, subject: "lion", status: "open" }));
    });
    await indexForSearch(database);
  });
  afterAll(() => service.stop());

  const newestFirst = places.toReversed();
  const even = places.filter((_, at) => at % 2 === 0).toReversed();
  const open = places.filter((_, at) => at % 3 === 0).toReversed();

  /** All that a search finds, page by page. */
  async function pages(
    read: (before: number) => Promise<readonly { readonly seq: number }[]>,
  ): Promise<number[]> {
    const found: number[] = [];
    for (let before = Number.MAX_SAFE_INTEGER; ; before = found.at(-1) ?? 0) {
      const page = await read(before);
      if (page.length === 0) return found;
      found.push(...page.map(({ seq }) => seq));
    }
  }

  it.each([1, 2, 4, 50])("finds each thread once, newest first, %i at a time", async (limit) => {
    const { database } = service.deps;
    const viewer = { userId, appId: null, needs: "owner", kind: "agentToken" } as const;
    const ofAgent = (filters: object) => (before: number) =>
      findThreads(database, { viewer, filters }, { position: [String(before)], limit });
    const ofConsole = (filters: object) => (before: number) =>
      listThreads(database, { appId, userId: "owner", ...filters }, { position: [String(before)], limit });
    for (const of of [ofAgent, ofConsole]) {
      expect(await pages(of({ q: "zebra" }))).toEqual(newestFirst);
      expect(await pages(of({ q: "zebra even" }))).toEqual(even);
      expect(await pages(of({ q: "zebra", status: "open" }))).toEqual(open);
      expect(await pages(of({ q: "zebra", type: "bug", status: "open" }))).toEqual(open);
      expect(await pages(of({ q: "zebra", type: "feature" }))).toEqual([]);
      expect(await pages(of({ q: "giraffe" }))).toEqual([]);
      expect(await pages(of({ q: "zebra eve" }))).toEqual(even);
      expect(await pages(of({ q: "even even zeb" }))).toEqual(even);
    }
    const lions = await ofConsole({ q: "li" })(Number.MAX_SAFE_INTEGER);
    expect(lions).toEqual([]);
    for (const q of ["lio", "lion", "broke lion"]) {
      const [first] = await ofConsole({ q })(Number.MAX_SAFE_INTEGER);
      expect(first?.seq).toBe(old.at(-1));
    }
    const since = new Date(Date.UTC(2026, 0, 1) + 95_000_000).toISOString();
    expect(await pages(ofAgent({ q: "zebra", updatedSince: since }))).toEqual(
      newestFirst.filter((seq) => seq >= 95_000),
    );
    expect(await pages(ofAgent({ q: "zebra", waiting: "approval" }))).toEqual([]);
  });
});

describe("PostgreSQL serves", () => {
  const traced = tracedDatabase(postgres);
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine: traced.engine });
  });
  afterAll(() => service.stop());

  const everySearch = () => {
    it.each(["zebra", "zebra even", "nosuch", "zeb"])("a search for %s by its index, whole", async (q) => {
      const { database } = service.deps;
      const { id: appId } = await service.makeApp();
      const page = { position: [String(Number.MAX_SAFE_INTEGER)], limit: 21 };
      const ran = await traced.statementsOf(() => listThreads(database, { appId, userId: "owner", q }, page));
      const searches = ran.filter(({ sql }) => sql.includes("searched_feedback"));
      expect(searches.length).toBeGreaterThan(0);
      for (const { sql, values } of searches) {
        const plan = await database.write(async (tx) => {
          // A sequence of a few rows is always cheaper.
          await tx.run("SET LOCAL enable_seqscan = off");
          return tx.all(`EXPLAIN ${sql}`, ...values);
        });
        expect(JSON.stringify(plan)).toContain("Bitmap Index Scan on feedback_search");
      }
    });
  };

  describe("without statistics:", everySearch);

  describe("with statistics of many threads:", () => {
    beforeAll(async () => {
      const { id: appId } = await service.makeApp();
      const { database } = service.deps;
      await database.write(async (tx) => {
        await tx.run(
          `INSERT INTO feedback (id, app_id, subject, message, category, status, metadata, files, occurrences, indexed, created_at)
           SELECT CAST(gen_random_uuid() AS text), ?, 'zebra', 'It broke.', 'bug', 'open', '{}', '[]', 1, 0, '2026-01-01T00:00:00.000Z'
           FROM generate_series(1, 5000)`,
          appId,
        );
        await refreshStatistics(tx);
      });
    });
    everySearch();
  });
});
