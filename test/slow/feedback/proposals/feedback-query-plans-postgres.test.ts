import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refreshStatistics } from "../../../../server/database/statistics.ts";
import { findRuns, findThreads } from "../../../../server/feedback/agent-work/store/work.ts";
import { agentWork, awaitingProposals } from "../../../../server/feedback/home/store.ts";
import { unreadCounts } from "../../../../server/feedback/unread/store/news.ts";
import { postgres } from "../../../support/database/databases.ts";
import { fromTop, hotReads, owner } from "../../../support/database/hot-reads.ts";
import { planOf } from "../../../support/database/plans.ts";
import { tracedDatabase } from "../../../support/database/traced-database.ts";
import { type Service, startService } from "../../../support/service/service.ts";

const apps = 20;
const threads = 6_000;

/** Threads of many apps, with a proposal on every tenth, which all belong to the account `owner`. */
const filling = [
  `INSERT INTO users (id, email, password_hash, created_at) VALUES ('owner', 'owner@example.org', '', '2026-01-01T00:00:00.000Z')`,
  `INSERT INTO apps (id, owner_id, name, feedback_enabled, changelog_enabled, created_at)
   SELECT 'app' || n, 'owner', 'App', 1, 1, '2026-01-01T00:00:00.000Z' FROM generate_series(0, ${apps - 1}) AS n`,
  `INSERT INTO app_members (app_id, user_id, role, created_at)
   SELECT id, 'owner', 'owner', '2026-03-01T00:00:00.000Z' FROM apps WHERE owner_id = 'owner'`,
  `INSERT INTO feedback (id, app_id, subject, message, category, status, metadata, files, occurrences, indexed, created_at, waiting)
   SELECT 'thread' || n, 'app' || n % ${apps}, 'It broke', 'It broke.',
     (ARRAY['bug', 'feature', 'question', 'general'])[1 + n % 4],
     (ARRAY['open', 'in_progress', 'resolved', 'archived'])[1 + n / ${apps} % 4], '{}', '{}', 1, 0,
     to_char(timestamp '2026-01-01' + n * interval '30 minutes', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'),
     CASE WHEN n / ${apps} % 10 = 0 THEN 'approval' END
   FROM generate_series(1, ${threads}) AS n`,
  `INSERT INTO runs (id, feedback_id, app_id, status, summary, plan, created_at)
   SELECT 'run' || id, id, app_id, CASE WHEN id LIKE '%7' THEN 'approved' ELSE 'awaiting_approval' END, 'Mend it', '1.', created_at
   FROM feedback WHERE waiting IS NOT NULL`,
  "INSERT INTO tags (id, app_id, name, name_key, created_at) SELECT 'hot ' || id, id, 'hot', 'hot', '2026-03-01T00:00:00.000Z' FROM apps",
  `INSERT INTO thread_tags (feedback_id, tag_id, created_at, active_at, status)
   SELECT id, 'hot ' || app_id, created_at, created_at, status FROM feedback`,
];

describe("PostgreSQL with many threads and statistics", () => {
  const traced = tracedDatabase(postgres);
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine: traced.engine });
    await service.deps.database.write(async (tx) => {
      for (const sql of filling) await tx.run(sql);
      await refreshStatistics(tx);
    });
  });
  afterAll(() => service.stop());

  it.each(hotReads)("reads %s through the index %s, without reading all threads", async (_, index, read) => {
    const plan = await planOf(traced, service.deps.database, (database) => read(database, "app7"));
    const column = "(?:app_id|assignee_id|waiting|lower\\(\\(sender_email\\)::text\\))";
    expect(plan).toMatch(new RegExp(`${index}\\b.*\\n *Index Cond: \\(*${column} = `));
    expect(plan).not.toMatch(/Seq Scan on feedback/);
  });

  it("reads the count of unread threads from the index alone", async () => {
    const plan = await planOf(traced, service.deps.database, (database) => unreadCounts(database, "owner"));
    expect(plan).toMatch(/Index Only Scan (Backward )?using feedback_by_activity/);
  });

  it.each([
    ["an agent's list of proposals", "runs_by_app", undefined],
    ["an agent's list of the approved proposals", "runs_by_status", "approved"],
  ] as const)("reads %s through the index %s", async (_, index, status) => {
    const search = { viewer: owner, status };
    const plan = await planOf(traced, service.deps.database, (database) =>
      findRuns(database, search, fromTop),
    );
    expect(plan).toMatch(new RegExp(`${index}\\b`));
  });

  it.each([
    ["alone", {}],
    ["with a type", { type: "general" }],
    ["with a status and a type", { status: "open", type: "bug" }],
    ["without a waiting proposal", { waiting: "none" }],
    ["with a time", { updatedSince: "2026-01-01T00:00:00.000Z" }],
  ] as const)(
    "reads an agent's list of a tag %s in the order of its index, and ends with the page",
    async (_, filters) => {
      const search = { viewer: owner, filters: { tags: ["hot"], ...filters } };
      const plan = await planOf(traced, service.deps.database, (database) =>
        findThreads(database, search, fromTop),
      );
      expect(plan).toMatch(/Index (Only )?Scan Backward using thread_tags_by_(age|activity)/);
      expect(plan).not.toMatch(/Bitmap Heap Scan on thread_tags/);
    },
  );

  it.each([true, false])(
    "reads proposals that await a decision in their order, the oldest first: %s",
    async (oldestFirst) => {
      const plan = await planOf(traced, service.deps.database, (database) =>
        awaitingProposals.list(database, "owner", { ...fromTop, oldestFirst }),
      );
      expect(plan).toMatch(/runs_by_status\b/);
      expect(plan).not.toMatch(/Seq Scan on (feedback|runs)/);
    },
  );

  it("reads approved plans that no worker has claimed by the index of threads that wait", async () => {
    const now = "2027-01-01T00:00:00.000Z";
    const plan = await planOf(traced, service.deps.database, (database) =>
      agentWork.approved(database, { userId: "owner", now, most: 11 }),
    );
    expect(plan).toMatch(/feedback_by_waiting(_and_activity)?\b.*\n *Index Cond: .*waiting = 'approved'/);
    expect(plan).not.toMatch(/Seq Scan on (feedback|runs)/);
  });
});
