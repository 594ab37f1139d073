import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refreshStatistics } from "../../../server/database/statistics.ts";
import { databases } from "../../support/database/databases.ts";
import { hotTeamReads } from "../../support/database/hot-reads.ts";
import { planOfLast } from "../../support/database/plans.ts";
import { tracedDatabase } from "../../support/database/traced-database.ts";
import { type Service, startService } from "../../support/service/service.ts";

const at = "2026-03-01T00:00:00.000Z";
const numbers = `WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 3000)`;
const text = (number: string) => `CAST(${number} AS text)`;

/** An app of the account `owner`, with tags and read marks on every thread. */
const filling = [
  `INSERT INTO users (id, email, password_hash, created_at) VALUES ('owner', 'owner@example.org', '', '${at}')`,
  `INSERT INTO apps (id, owner_id, name, feedback_enabled, changelog_enabled, created_at)
   VALUES ('app', 'owner', 'App', 1, 1, '${at}')`,
  `INSERT INTO app_members (app_id, user_id, role, created_at) VALUES ('app', 'owner', 'owner', '${at}')`,
  `INSERT INTO feedback (id, app_id, subject, message, category, status, metadata, files, occurrences, indexed, created_at)
   ${numbers} SELECT 'thread' || ${text("n")}, 'app', 'It broke', 'It broke.', 'bug',
     CASE WHEN n % 2 = 0 THEN 'open' ELSE 'resolved' END, '{}', '{}', 1, 0,
     '2026-0' || ${text("1 + n / 500")} || '-01T00:00:00.000Z' FROM numbers`,
  `INSERT INTO tags (id, app_id, name, name_key, created_at) VALUES ('hot', 'app', 'hot', 'hot', '${at}'), ('cold', 'app', 'cold', 'cold', '${at}')`,
  `INSERT INTO thread_tags (feedback_id, tag_id, created_at, active_at, status)
   SELECT id, CASE WHEN status = 'open' THEN 'hot' ELSE 'cold' END, created_at, created_at, status FROM feedback`,
  `INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, active_at)
   SELECT 'app', 'owner', id, CASE WHEN id LIKE '%99' THEN -1 ELSE 0 END, created_at FROM feedback`,
];

describe.each(databases)("a team on $name", (engine) => {
  const traced = tracedDatabase(engine);
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine: traced.engine });
    await service.deps.database.write(async (tx) => {
      for (const sql of filling) await tx.run(sql);
    });
  });
  afterAll(() => service.stop());

  const everyRead = () =>
    it.each(hotTeamReads)("reads %s through the index %s", async (_, index, read) => {
      const plan = await planOfLast(traced, service.deps.database, (database) => read(database, "app"));
      expect(plan).toMatch(new RegExp(`${index}\\b`));
      expect(plan).not.toMatch(/Seq Scan on (feedback|thread_)|SCAN (f|l|t|x)\b/);
    });

  describe("without statistics", everyRead);

  describe("with statistics", () => {
    beforeAll(() => service.deps.database.write(refreshStatistics));
    everyRead();
  });
});
