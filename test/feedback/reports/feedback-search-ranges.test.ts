import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../server/database/database.ts";
import { refreshStatistics } from "../../../server/database/statistics.ts";
import { findThreads } from "../../../server/feedback/agent-work/store/work.ts";
import { listThreads } from "../../../server/feedback/inbox/store.ts";
import { readQuery } from "../../../server/feedback/search/rules.ts";
import { indexForSearch, indexNext } from "../../../server/feedback/search/store/indexing.ts";
import { searchThreads } from "../../../server/feedback/search/store/search.ts";
import { databases, sharedDatabases } from "../../support/database/databases.ts";
import { tracedDatabase } from "../../support/database/traced-database.ts";
import { type Service, startService } from "../../support/service/service.ts";

/** Threads far from each other in the order of arrival, as if there were a hundred thousand. */
const places = [
  3, 900, 1_200, 6_900, 31_990, 32_010, 40_000, 63_900, 64_100, 95_000, 98_500, 99_100, 99_990, 100_000,
];

/** The position of a thread that arrived long after all others. */
let far = 200_000;

/** So many old threads with a word that only they have: the database does not read them one by one. */
const old = Array.from({ length: 230 }, (_, at) => 5_000 + at);

interface FoundSeqs {
  readonly rows: readonly { readonly seq: number }[];
  readonly reached?: number | undefined;
}

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

const queryOf = (words: readonly string[]) => ({ query: readQuery(words.join(" ")), userId: "owner" });

describe.each(databases)("a search on $name through old and new threads", (engine) => {
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
    await indexForSearch(service.deps);
  });
  afterAll(() => service.stop());

  const newestFirst = places.toReversed();
  const even = places.filter((_, at) => at % 2 === 0).toReversed();
  const open = places.filter((_, at) => at % 3 === 0).toReversed();

  /** All that a search finds, page by page. */
  async function pages(read: (before: number) => Promise<FoundSeqs>): Promise<number[]> {
    const found: number[] = [];
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const { rows, reached } = await read(before);
      found.push(...rows.map(({ seq }) => seq));
      // On a busy machine a search may end early.
      const next = reached ?? rows.at(-1)?.seq;
      if (next === undefined) return found;
      before = next;
    }
  }

  it.each([2, 50])("finds each thread once, the newest first, %i threads at a time", async (limit) => {
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
    expect(lions.rows).toEqual([]);
    for (const q of ["lio", "lion", "broke lion"]) {
      expect((await pages(ofConsole({ q }))).at(0)).toBe(old.at(-1));
    }
    const since = new Date(Date.UTC(2026, 0, 1) + 95_000_000).toISOString();
    expect(await pages(ofAgent({ q: "zebra", updatedSince: since }))).toEqual(
      newestFirst.filter((seq) => seq >= 95_000),
    );
    expect(await pages(ofAgent({ q: "zebra", waiting: "approval" }))).toEqual([]);
  });

  it("that ends early finds the same threads in several parts", async () => {
    const { database } = service.deps;
    // There is no time, and every list counts as long, so each part reads as little as possible.
    const effort = { milliseconds: -1, few: 1, rare: -1 };
    for (const [words, expected] of [
      [["zebra", "odd"], newestFirst.filter((seq) => !even.includes(seq))],
      [["zebra", "lion"], []],
      [["broke", "eve"], even],
    ] as const) {
      const found: number[] = [];
      let parts = 0;
      for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; parts += 1) {
        const page = { conditions: [], before, limit: 50, effort };
        const { seqs, reached } = await searchThreads(
          database,
          { scope: { appIds: [appId] }, ...queryOf(words) },
          page,
        );
        found.push(...seqs);
        before = reached;
      }
      expect(found).toEqual(expected);
      expect(parts).toBeGreaterThan(2);
    }
  });

  it.each([
    ["a rare word", ["zebra"], newestFirst],
    ["the beginning of one", ["zeb"], newestFirst],
    ["a word that no thread has", ["giraffe"], []],
    ["a rare word and a common one", ["broke", "even"], even],
    ["a common word and the beginning of a rare one", ["broke", "eve"], even],
  ])("finds %s in one page, even if the database is slow", async (_, words, expected) => {
    const { database } = service.deps;
    // In SQLite a list is short or long. In PostgreSQL the app is large.
    const few = database.engine === "sqlite" ? 100 : 1;
    const effort = { milliseconds: -1, few, rare: 100 };
    const page = { conditions: [], before: Number.MAX_SAFE_INTEGER, limit: 50, effort };
    const found = await searchThreads(database, { scope: { appIds: [appId] }, ...queryOf(words) }, page);
    expect(found).toEqual({ seqs: expected, reached: undefined });
  });

  it("ends early for a word that many old threads contain and no new thread contains", async () => {
    const { database } = service.deps;
    const page = { conditions: [], before: Number.MAX_SAFE_INTEGER, limit: 50 };
    const effort = { milliseconds: -1, few: 100, rare: 100 };
    const search = { scope: { appIds: [appId] }, ...queryOf(["lion"]) };
    const { seqs, reached } = await searchThreads(database, search, { ...page, effort });
    expect(seqs).toEqual([]);
    expect(reached).toBeGreaterThan(old.at(-1) ?? 0);
  });

  it("is complete at once if one of its lists is short, even if it has no time left", async () => {
    const { database } = service.deps;
    const page = { conditions: [], before: Number.MAX_SAFE_INTEGER, limit: 50 };
    const effort = { milliseconds: -1, few: 5_000, rare: -1 };
    const search = { scope: { appIds: [appId] }, ...queryOf(["zebra", "odd"]) };
    const { seqs, reached } = await searchThreads(database, search, { ...page, effort });
    expect(seqs).toHaveLength(7);
    expect(reached).toBeUndefined();
  });
});

describe.each(sharedDatabases)("PostgreSQL", (postgres) => {
  const traced = tracedDatabase(postgres);
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine: traced.engine });
  });
  afterAll(() => service.stop());

  /** Runs a search, and reads the query plan of each of its statements that uses the index. */
  async function plansOf(search: () => Promise<unknown>): Promise<string[]> {
    const ran = await traced.statementsOf(search);
    const searches = ran.filter(({ sql }) => sql.includes("feedback_search s"));
    return Promise.all(
      searches.map(async ({ sql, values }) => {
        const plan = await service.deps.database.write(async (tx) => {
          // To read a few rows in sequence is always cheaper.
          await tx.run("SET LOCAL enable_seqscan = off");
          return tx.all(`EXPLAIN ${sql}`, ...values);
        });
        return JSON.stringify(plan);
      }),
    );
  }

  const everySearch = () => {
    it.each(["zebra", "zebra even", "nosuch", "zeb"])(
      "answers a search for %s with one use of its index",
      async (q) => {
        const { database } = service.deps;
        const { id: appId } = await service.makeApp();
        const page = { position: [String(Number.MAX_SAFE_INTEGER)], limit: 21 };
        const plans = await plansOf(() => listThreads(database, { appId, userId: "owner", q }, page));
        expect(plans.length).toBeGreaterThan(0);
        for (const plan of plans) expect(plan).toContain("Bitmap Index Scan on feedback_search");
      },
    );

    it.each([
      ["rare words", ["zebra", "even"], 100],
      ["common words", ["zebra", "even"], -1],
      ["a common word and a beginning", ["zebra", "eve"], -1],
    ])("answers a search of a large app for %s with one use of its index", async (_, words, rare) => {
      const { database } = service.deps;
      const appIds = [(await service.makeApp()).id];
      far += 1;
      await place(database, { appId: appIds[0] ?? "", seq: far, subject: "lion", status: "open" });
      const effort = { milliseconds: 60_000, few: 0, rare };
      const page = { conditions: [], before: Number.MAX_SAFE_INTEGER, limit: 21, effort };
      const plans = await plansOf(() =>
        searchThreads(database, { scope: { appIds }, ...queryOf(words) }, page),
      );
      // Two statements for the newest ranges, then those for the following ones.
      expect(plans.length).toBeGreaterThan(2);
      for (const plan of plans) expect(plan).toContain("Bitmap Index Scan on feedback_search");
    });
  };

  it("does not use a list of new words that each search would have to read", async () => {
    const row = await service.deps.database.get<{ options: string }>(
      "SELECT CAST(reloptions AS text) AS options FROM pg_class WHERE relname = 'feedback_search_words'",
    );
    expect(row?.options).toBe("{fastupdate=off}");
  });

  describe("without statistics", everySearch);

  describe("with statistics of many threads", () => {
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
      });
      while (await indexNext(database));
      await database.write(refreshStatistics);
    });
    everySearch();
  });
});
