import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../server/database/database.ts";
import { keepStatistics, refreshStatistics } from "../../../server/database/statistics.ts";
import { findChanged, findRuns, findThreads } from "../../../server/feedback/agent-work/store/work.ts";
import { awaitingProposals } from "../../../server/feedback/home/store.ts";
import { listThreads } from "../../../server/feedback/inbox/store.ts";
import { indexNext } from "../../../server/feedback/search/store/indexing.ts";
import { feedbackThreads, numberThreads } from "../../../server/feedback/threads/store/threads.ts";
import { threadNews } from "../../../server/feedback/unread/store/news.ts";
import { sqlite } from "../../support/database/databases.ts";
import { fromTop, hotReads, owner } from "../../support/database/hot-reads.ts";
import { tracedDatabase } from "../../support/database/traced-database.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { fillThreads } from "../../support/worlds/owner-with-one-of-each.ts";

describe("SQLite", () => {
  const traced = tracedDatabase(sqlite);
  let service: Service;
  let appId: string;
  beforeAll(async () => {
    service = await startService({ engine: traced.engine });
    appId = (await service.makeApp()).id;
  });
  afterAll(() => service.stop());

  const planOf = async (read: (database: Database) => Promise<unknown>) => {
    const { database } = service.deps;
    const [sql = expect.fail("no statement ran")] = await traced.during(() => read(database));
    return planOfSql(sql);
  };

  const planOfSql = async (sql: string) => {
    const rows = await service.deps.database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
    return rows.map(({ detail }) => detail).join("\n");
  };

  const everyRead = () => {
    it.each(hotReads)(
      "reads %s through the index %s, without sorting or scanning threads",
      async (_, index, read) => {
        const plan = await planOf((database) => read(database, appId));
        expect(plan).toMatch(new RegExp(`SEARCH (f|feedback) USING (COVERING )?INDEX ${index} \\(`));
        expect(plan).not.toContain("SCAN f");
      },
    );

    it("reads what is new on the threads of a page by their ids, and by the newest message of each", async () => {
      // For two threads SQLite begins with them anyway, for fifty it would begin with the apps of the member.
      const ids = Array.from({ length: 50 }, (_, n) => `thread ${n}`);
      const plan = await planOf((database) => threadNews(database, "owner", ids));
      expect(plan).toMatch(/SEARCH feedback USING INDEX \S*feedback\S* \(id=\?\)/);
      expect(plan).toMatch(/SEARCH n USING INDEX messages_by_feedback \(feedback_id=\?\)/);
      expect(plan).toMatch(
        /SEARCH l USING INDEX \S*thread_looks\S* \(app_id=\? AND user_id=\? AND feedback_id=\?\)/,
      );
      expect(plan).not.toContain("SCAN");
    });

    it("reads an agent's list from a position of time and id, so that it does not read threads of one instant again", async () => {
      const search = { viewer: owner, filters: {} };
      const plan = await planOf((database) => findThreads(database, search, fromTop));
      expect(plan).toContain("feedback_by_app (app_id=? AND (created_at,id)<(?,?))");
    });

    it.each([
      ["an agent's list of proposals", "runs_by_app", undefined],
      ["an agent's list of the approved proposals", "runs_by_status", "approved"],
    ] as const)("reads %s through the index %s", async (_, index, status) => {
      const search = { viewer: owner, status };
      const plan = await planOf((database) => findRuns(database, search, fromTop));
      expect(plan).toMatch(new RegExp(`SEARCH r USING COVERING INDEX ${index} \\(`));
      expect(plan).not.toMatch(/SCAN (r|f)\b/);
    });

    it.each([
      ["oldest", true, ">"],
      ["newest", false, "<"],
    ])(
      "reads proposals that await a decision in their order, the %s first",
      async (_, oldestFirst, beyond) => {
        const plan = await planOf((database) =>
          awaitingProposals.list(database, "owner", { ...fromTop, oldestFirst }),
        );
        expect(plan).toContain(
          `SEARCH r USING INDEX runs_by_status (app_id=? AND status=? AND (created_at,id)${beyond}(?,?))`,
        );
        expect(plan).not.toMatch(/SCAN (r|f|a)\b/);
      },
    );

    it("reads an agent's list of changes in their order, from the first new change", async () => {
      const search = { viewer: owner, filters: {} };
      const conditions = [["c.number > ? AND c.number <= ?", 1, 2]] as const;
      const plan = await planOf((database) => findChanged(database, search, { conditions, limit: 21 }));
      expect(plan).toMatch(/SEARCH c USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/);
      expect(plan).not.toContain("TEMP B-TREE");
    });

    it("reads the threads that a console search found by their numbers, for any number of threads", async () => {
      await fillThreads(service, appId, Array(60).fill({ message: "A walrus." }));
      while (await indexNext(service.deps.database));
      const page = { position: [String(Number.MAX_SAFE_INTEGER)], limit: 51 };
      const search = { appId, userId: "owner", q: "walrus" };
      const statements = await traced.during(() => listThreads(service.deps.database, search, page));
      expect(await planOfSql(statements.at(-1) ?? "")).toContain(
        "SEARCH f USING INTEGER PRIMARY KEY (rowid=?)",
      );
    });

    it("finds a repeated report through the index of its dedupeKey", async () => {
      const plan = await planOf((database) =>
        database.write((tx) => feedbackThreads.findRepeated(tx, { appId }, "key")),
      );
      expect(plan).toMatch(/INDEX feedback_by_dedupe_key \(app_id=\? AND dedupe_key=\?\)/);
      expect(plan).not.toContain("TEMP B-TREE");
    });

    it("finds a batch for the search index through the index of waiting threads", async () => {
      await fillThreads(service, appId, [{}]);
      const { database } = service.deps;
      const statements = await traced.during(() => indexNext(database));
      for (const sql of statements.filter((text) => /INSERT|UPDATE/.test(text))) {
        const plan = await planOfSql(sql);
        expect(plan).toContain("INDEX feedback_to_index");
        expect(plan).not.toMatch(/SCAN feedback$/m);
      }
    });
  };

  describe("without statistics", everyRead);

  describe("with statistics of many threads", () => {
    beforeAll(async () => {
      const threads = Array.from({ length: 3_000 }, (_, at) => ({
        category: ["bug", "feature", "question", "general"][at % 4] ?? "bug",
        dedupeKey: at % 3 === 0 ? `key ${at}` : null,
      }));
      await fillThreads(service, appId, threads);
      await service.deps.database.write(refreshStatistics);
    });
    everyRead();
  });
});

describe("a new thread on SQLite", () => {
  it("gets the number after the last one, which SQLite finds through the index of numbers", async () => {
    const traced = tracedDatabase(sqlite);
    const service = await startService({ engine: traced.engine });
    const { database } = service.deps;
    const appId = (await service.makeApp()).id;
    await fillThreads(service, appId, [{}]);
    const statements = await traced.during(() => numberThreads(database, appId));
    const sql = statements.find((text) => text.includes("max(number)"));
    const plan = await database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
    expect(plan.map(({ detail }) => detail).join()).toContain(
      "INDEX feedback_by_number (app_id=? AND number>?)",
    );
    await service.stop();
  });
});

describe("housekeeping on SQLite", () => {
  it("creates statistics for a database that is never closed", async () => {
    const service = await startService();
    await fillThreads(service, (await service.makeApp()).id, Array(500).fill({}));
    await service.deps.database.write(keepStatistics);
    const rows = await service.deps.database.all("SELECT idx FROM sqlite_stat1 WHERE tbl = 'feedback'");
    await service.stop();
    expect(rows.length).toBeGreaterThan(3);
  });
});
