import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refreshStatistics } from "../../../server/database/statistics.ts";
import { openListings } from "../../../server/testing/tester/store.ts";
import { databases } from "../../support/database/databases.ts";
import { planOf } from "../../support/database/plans.ts";
import { tracedDatabase } from "../../support/database/traced-database.ts";
import { type Service, startService } from "../../support/service/service.ts";

const at = "2026-03-01T00:00:00.000Z";
const numbers = `WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)`;
const text = (number: string) => `CAST(${number} AS text)`;

/** Two thousand cycles in one listing, each with an open slot. */
const filling = [
  `INSERT INTO users (id, email, password_hash, created_at) VALUES ('owner', 'owner@example.org', '', '${at}')`,
  `INSERT INTO apps (id, owner_id, name, feedback_enabled, changelog_enabled, created_at)
   VALUES ('app', 'owner', 'App', 1, 1, '${at}')`,
  `INSERT INTO listings (id, app_id, app_name, package_name, opt_in_url, test_brief, screens, seats, duration_days, max_missed_days,
     verification_tier, created_at, updated_at)
   VALUES ('listing', 'app', 'App', 'com.example.app', '', 'Walk about.', '[]', 1, 14, 3, 'sdk', '${at}', '${at}')`,
  `INSERT INTO cycles (id, listing_id, status, starts_on, timezone, duration_days, max_missed_days, day_starts, closed_days, next_at,
     created_at)
   ${numbers} SELECT 'cycle' || ${text("n")}, 'listing', 'running', '2026-03-01', 'UTC', 14, 3,
     '["${at}","2026-03-15T00:00:00.000Z"]', 0, '2026-03-03T00:00:00.000Z', '${at}' FROM numbers`,
  `INSERT INTO slots (id, cycle_id, seat, status, created_at)
   ${numbers} SELECT 'slot' || ${text("n")}, 'cycle' || ${text("n")}, 1, 'open', '${at}' FROM numbers`,
];
const asked = { testerId: "tester", now: at, position: ["9999", "g"], limit: 51 };

describe.each(databases)("the list of cycles for a tester on $name", (engine) => {
  const traced = tracedDatabase(engine);
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine: traced.engine });
    await service.deps.database.write(async (tx) => {
      for (const sql of filling) await tx.run(sql);
    });
  });
  afterAll(() => service.stop());

  const isReadInOrder = () =>
    it("is read in the order of its index, and not sorted", async () => {
      const plan = await planOf(traced, service.deps.database, (database) => openListings(database, asked));
      expect(plan).toMatch(
        engine.engine === "sqlite"
          ? /SEARCH c USING .*cycles_open/
          : /Index Scan Backward using cycles_open .*\n *Index Cond/,
      );
      expect(plan).not.toMatch(
        /USE TEMP B-TREE FOR ORDER BY\n.*SEARCH c|Sort Key: c\.|(SCAN|Seq Scan on) [cosr]\b/,
      );
    });
  // A server on PostgreSQL makes missing statistics at once, so it is never long without them.
  if (engine.engine === "sqlite") describe("without statistics", isReadInOrder);
  describe("with statistics", () => {
    beforeAll(() => service.deps.database.write(refreshStatistics));
    isReadInOrder();
  });

  it("has no more cycles than the request asks for", async () => {
    expect(await openListings(service.deps.database, asked)).toHaveLength(51);
  });
});
