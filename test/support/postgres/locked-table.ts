import pg from "pg";
import { expect } from "vitest";
import type { TestDatabase } from "../database/databases.ts";
import { eventually } from "../eventually.ts";

export interface LockedTable {
  /** Resolves as soon as this number of statements wait for each other or for the table. */
  waiting(count: number): Promise<void>;
  release(): Promise<void>;
}

/**
 * Each statement waits for one lock. A statement that waits for a row waits for its transaction, which has no database
 * in `pg_locks`.
 */
export const waiters = `WITH here AS (SELECT oid FROM pg_database WHERE datname = current_database())
  SELECT 1 FROM pg_locks waiting WHERE NOT granted AND (database IN (SELECT oid FROM here) OR EXISTS (
    SELECT 1 FROM pg_locks held WHERE held.pid = waiting.pid AND held.database IN (SELECT oid FROM here)))`;

/** Blocks every write to a table of PostgreSQL, or every use of it, until the table is released. */
export async function lockTable(
  { address }: TestDatabase,
  table: string,
  against: "writes" | "everything" = "writes",
): Promise<LockedTable> {
  const client = new pg.Client({ connectionString: "url" in address ? address.url : "" });
  await client.connect();
  client.on("error", () => {});
  const mode = against === "writes" ? "EXCLUSIVE" : "ACCESS EXCLUSIVE";
  await client.query(`BEGIN; LOCK TABLE ${table} IN ${mode} MODE`);
  return {
    waiting: (count) => eventually(async () => expect((await client.query(waiters)).rowCount).toBe(count)),
    async release() {
      await client.query("COMMIT");
      await client.end();
    },
  };
}
