import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database, Reader } from "../../../server/store/engine/database.ts";
import { keepStatistics, refreshStatistics } from "../../../server/store/engine/statistics.ts";
import { feedbackThreads } from "../../../server/store/feedback/feedback.ts";
import { findChanged, findThreads, type Search } from "../../../server/store/feedback/found-threads.ts";
import { listThreads } from "../../../server/store/feedback/inbox.ts";
import { changesSince } from "../../../server/store/feedback/looks/changes-since.ts";
import { threadNews } from "../../../server/store/feedback/looks/thread-news.ts";
import { unreadCounts } from "../../../server/store/feedback/looks/unread-counts.ts";
import { awaitingProposals } from "../../../server/store/feedback/runs/awaiting-proposals.ts";
import { findRuns } from "../../../server/store/feedback/runs/found-runs.ts";
import { indexNext } from "../../../server/store/feedback/search/feedback-search.ts";
import { sqlite } from "../../support/database/databases.ts";
import { tracedDatabase } from "../../support/database/traced-database.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { fillThreads } from "../../support/worlds/owner-with-one-of-each.ts";

const owner = { userId: "owner", appId: null, needs: "owner", kind: "agentToken" } as const;

const filters = (given: object = {}) => ({ userId: "owner", ...given });
const fromTop = { position: ["9999", ""], limit: 51 };

/** Queries that must not scan all threads of an app, and the index of each. */
const reads: readonly (readonly [
  name: string,
  index: string,
  read: (reader: Reader, appId: string) => Promise<unknown>,
])[] = [
  ["counting what awaits a decision", "feedback_by_waiting", (reader) => unreadCounts(reader, "owner")],
  ["counting what is unread", "feedback_by_activity", (reader) => unreadCounts(reader, "owner")],
  [
    "finding what changed since",
    "feedback_by_activity",
    (reader, appId) => changesSince(reader, { appId, userId: "owner", since: "2026-01-01T00:00:00.000Z" }),
  ],
  [
    "listing what awaits a decision",
    "feedback_by_waiting",
    (reader) => awaitingProposals.list(reader, "owner", { newestFirst: true, ...fromTop }),
  ],
  ["the inbox", "feedback_by_app", (reader, appId) => listThreads(reader, { appId, ...filters() }, fromTop)],
  [
    "the inbox of a status",
    "feedback_by_status",
    (reader, appId) => listThreads(reader, { appId, ...filters({ status: "open" }) }, fromTop),
  ],
  [
    "the inbox of a type",
    "feedback_by_category",
    (reader, appId) => listThreads(reader, { appId, ...filters({ type: "bug" }) }, fromTop),
  ],
  [
    "the inbox of a status and a type",
    "feedback_by_status_and_category",
    (reader, appId) => listThreads(reader, { appId, ...filters({ status: "open", type: "bug" }) }, fromTop),
  ],
  ...activityReads(),
  ...agentReads(),
];

/** The inbox by activity: a row for each filter. */
function activityReads() {
  const rows: readonly [string, string, object][] = [
    ["the inbox", "feedback_by_activity", {}],
    ["the inbox of a status", "feedback_by_state_and_activity", { status: "open" }],
    ["the inbox of a type", "feedback_by_state_and_activity", { type: "bug" }],
    ["the inbox of a status and a type", "feedback_by_state_and_activity", { status: "open", type: "bug" }],
    ["what is unread", "feedback_by_activity", { unread: "true" }],
    ["what is unread of a status", "feedback_by_state_and_activity", { unread: "true", status: "open" }],
  ];
  return rows.map(([name, index, given]) => {
    const read = (reader: Reader, appId: string) =>
      listThreads(reader, { appId, ...filters({ order: "activity", ...given }) }, fromTop);
    return [`${name} by activity`, index, read] as const;
  });
}

/** The lists of an agent: a row for each order and filter. */
function agentReads() {
  const since = "2026-01-01T00:00:00.000Z";
  const rows: readonly [string, string, Search["filters"]][] = [
    ["all threads", "feedback_by_app", {}],
    ["threads of a status", "feedback_by_status", { status: "open" }],
    ["threads of a type", "feedback_by_category", { type: "bug" }],
    ["threads of a status and a type", "feedback_by_status_and_category", { status: "open", type: "bug" }],
    ["threads that wait for approval", "feedback_by_waiting", { waiting: "approval" }],
    ["open threads without a proposal", "feedback_by_status", { status: "open", waiting: "none" }],
    ["threads with activity", "feedback_by_activity", { updatedSince: since }],
  ];
  return rows.map(([name, index, given]) => {
    const search = { viewer: owner, filters: given };
    const read = (reader: Reader) => findThreads(reader, search, fromTop);
    return [`an agent's list of ${name}`, index, read] as const;
  });
}

describe("SQLite serves", () => {
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
    const rows = await database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
    return rows.map(({ detail }) => detail).join("\n");
  };

  const everyRead = () => {
    it.each(reads)("%s by %s, without sorting or scanning threads", async (_, index, read) => {
      const plan = await planOf((database) => read(database, appId));
      expect(plan).toMatch(new RegExp(`SEARCH f USING (COVERING )?INDEX ${index} \\(`));
      expect(plan).not.toContain("SCAN f");
    });

    it("what is new on the threads of a page by their ids, and by the newest message of each", async () => {
      const plan = await planOf((database) => threadNews(database, "owner", ["a", "b"]));
      expect(plan).toMatch(/SEARCH feedback USING INDEX \S*feedback\S* \(id=\?\)/);
      expect(plan).toMatch(/SEARCH n USING INDEX messages_by_feedback \(feedback_id=\?\)/);
      expect(plan).toMatch(
        /SEARCH l USING INDEX \S*thread_looks\S* \(app_id=\? AND user_id=\? AND feedback_id=\?\)/,
      );
      expect(plan).not.toContain("SCAN");
    });

    it.each([
      ["an agent's list of proposals", "runs_by_app", undefined],
      ["an agent's list of the approved proposals", "runs_by_status", "approved"],
    ] as const)("%s by %s", async (_, index, status) => {
      const search = { viewer: owner, status };
      const plan = await planOf((database) => findRuns(database, search, fromTop));
      expect(plan).toMatch(new RegExp(`SEARCH r USING COVERING INDEX ${index} \\(`));
      expect(plan).not.toMatch(/SCAN (r|f)\b/);
    });

    it("an agent's list of changes in their order, from the first new one on", async () => {
      const search = { viewer: owner, filters: {} };
      const conditions = [["c.number > ? AND c.number <= ?", 1, 2]] as const;
      const plan = await planOf((database) => findChanged(database, search, { conditions, limit: 21 }));
      expect(plan).toMatch(/SEARCH c USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/);
      expect(plan).not.toContain("TEMP B-TREE");
    });

    it("a repeated report only by its dedupeKey", async () => {
      const plan = await planOf((database) =>
        database.write((tx) => feedbackThreads.findRepeated(tx, { appId }, "key")),
      );
      expect(plan).toMatch(/INDEX feedback_by_dedupe_key \(app_id=\? AND dedupe_key=\?\)/);
      expect(plan).not.toContain("TEMP B-TREE");
    });

    it("a batch for the search index by the index of waiting threads", async () => {
      await fillThreads(service, appId, [{}]);
      const { database } = service.deps;
      const statements = await traced.during(() => indexNext(database));
      for (const sql of statements.filter((text) => /INSERT|UPDATE/.test(text))) {
        const rows = await database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
        const plan = rows.map(({ detail }) => detail).join("\n");
        expect(plan).toContain("INDEX feedback_to_index");
        expect(plan).not.toMatch(/SCAN feedback$/m);
      }
    });
  };

  describe("without statistics:", everyRead);

  describe("with statistics of many threads:", () => {
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
