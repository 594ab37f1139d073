import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../server/database/database.ts";
import { refreshStatistics } from "../../server/database/statistics.ts";
import { mails } from "../../server/mail/outgoing/store.ts";
import { fill } from "../bench/growth/fill.ts";
import { sizeOf } from "../bench/growth/size.ts";
import { databases } from "../support/database/databases.ts";
import { credentialRows, hottestReads, personId } from "../support/database/hottest-reads.ts";
import { planOf } from "../support/database/plans.ts";
import { tracedDatabase } from "../support/database/traced-database.ts";
import { type Service, startService } from "../support/service/service.ts";

/** A thousand threads, and 20,000 test sessions. */
const size = sizeOf(1_000);

/** Stops PostgreSQL from creating statistics by itself, which it would do after a minute. */
async function forbidAnalysis(database: Database): Promise<void> {
  const names = await database.all<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  await database.write(async (tx) => {
    for (const { name } of names) await tx.run(`ALTER TABLE ${name} SET (autovacuum_enabled = false)`);
  });
}

describe.each(databases)("the most frequent statements on $name", (engine) => {
  const traced = tracedDatabase(engine);
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine: traced.engine });
    const { database } = service.deps;
    const person = { email: "ada@example.org", password_hash: "", created_at: "2026-01-01T00:00:00.000Z" };
    await database.insert("users", { id: personId, ...person });
    if (engine.engine === "postgres") await forbidAnalysis(database);
    await fill(database, size, { personId, secret: "a secret for drafts" });
    await database.write(async (tx) => {
      for (const sql of credentialRows) await tx.run(sql);
    });
  });
  afterAll(() => service.stop());

  const everyRead = () =>
    it.each(hottestReads)("read %s through an index", async (_, tables, read) => {
      const plan = await planOf(traced, service.deps.database, read);
      for (const [alias, index] of Object.entries(tables)) {
        const byIndex = new RegExp(
          engine.engine === "sqlite"
            ? `SEARCH ${alias}\\b.* USING .*INDEX \\S*${index}`
            : `Index (Only )?Scan .*using \\S*${index}.*\n *Index Cond:`,
        );
        expect(plan).toMatch(byIndex);
        expect(plan).not.toMatch(engine.engine === "sqlite" ? new RegExp(`SCAN ${alias}\\b`) : /Seq Scan/);
      }
    });

  const everyPlan = () => {
    everyRead();

    it("read why mail cannot be sent through the index of the faults", async () => {
      const plan = await planOf(traced, service.deps.database, (db) => mails.waitingOf(db, personId));
      expect(plan).toContain("mails_faults");
    });
  };

  describe("without statistics", everyPlan);

  describe("with statistics", () => {
    beforeAll(() => service.deps.database.write(refreshStatistics));
    everyPlan();
  });
});
