import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Reader, Transaction } from "../../server/database/database.ts";
import {
  addStatistics,
  cancelMaking,
  makingOf,
  tablesWithoutStatistics,
} from "../../server/database/statistics.ts";
import { startStatistics } from "../../server/jobs/database-care.ts";
import { databases, sharedDatabases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, startService } from "../support/service/service.ts";

/** More than a megabyte, in a table that PostgreSQL does not analyse by itself. */
const filling = [
  "ALTER TABLE users SET (autovacuum_enabled = false)",
  `INSERT INTO users (id, email, password_hash, created_at)
   SELECT 'user' || n, 'user' || n || '@example.org', repeat('x', 300), '2026-01-01T00:00:00.000Z' FROM generate_series(1, 5000) AS n`,
];

const keepTable = "LOCK TABLE users IN SHARE UPDATE EXCLUSIVE MODE";

/** How many transactions of this database wait for a lock. */
async function waiting(database: Reader): Promise<number> {
  const rows = await database.all(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows.length;
}

describe.each(sharedDatabases)("PostgreSQL with many new rows", (postgres) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine: postgres });
    await service.deps.database.write(async (tx) => {
      for (const sql of filling) await tx.run(sql);
    });
  });
  afterAll(() => service.stop());

  const missing = () => tablesWithoutStatistics(service.deps.database);

  it("gets the statistics of large tables at the start of the server", async () => {
    expect(await missing()).toEqual(["users"]);
    const stop = startStatistics(service.deps);
    await eventually(async () => expect(await missing()).toEqual([]));
    await stop();
  });

  it("also gets the statistics of a new index over an expression", async () => {
    const { database } = service.deps;
    await database.write((tx) => tx.run("CREATE INDEX users_by_length ON users (length(email))"));
    expect(await missing()).toEqual(["users"]);
    expect(await database.write((tx) => addStatistics(tx, new Set()))).toBe("users");
    expect(await missing()).toEqual([]);
  });

  it("does not analyse a table again that it has already analysed", async () => {
    const { database } = service.deps;
    await database.write((tx) => tx.run("CREATE INDEX users_by_upper ON users (upper(email))"));
    expect(await database.write((tx) => addStatistics(tx, new Set(["users"])))).toBeUndefined();
  });
});

describe.each(sharedDatabases)("a server that stops while PostgreSQL collects statistics", (postgres) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine: postgres });
    await service.deps.database.write(async (tx) => {
      for (const sql of filling) await tx.run(sql);
    });
  });
  afterAll(() => service.stop());

  it.each([
    ["for the table, which another transaction locks", (tx: Transaction) => tx.run(keepTable)],
    ["for another server, which collects statistics", (tx: Transaction) => tx.lock("statistics")],
  ])("does not wait %s", async (_, keep) => {
    const { database, log } = service.deps;
    const warned = vi.spyOn(log, "warn");
    const gate = new EventEmitter();
    const kept = once(gate, "kept");
    const keeping = database.write(async (tx) => {
      await keep(tx);
      const opened = once(gate, "open");
      gate.emit("kept");
      await opened;
    }, "long");
    await kept;
    const stop = startStatistics(service.deps);
    await eventually(async () => expect(await waiting(database)).toBe(1));
    await stop();
    expect(await waiting(database)).toBe(0);
    gate.emit("open");
    await keeping;
    expect(warned).not.toHaveBeenCalled();
    expect(await tablesWithoutStatistics(database)).toEqual(["users"]);
  });

  it("does not cancel a statement of a transaction that has ended", async () => {
    const { database } = service.deps;
    const { pid = 0, began = "" } = (await database.write(makingOf)) ?? {};
    const cancelled = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const slow = database.get("SELECT pg_sleep(0.1) AS slept");
        await cancelMaking(database, { pid, began });
        return slow;
      }),
    );
    expect(cancelled).toHaveLength(5);
  });
});

describe.each(databases)("a small database on $name", (engine) => {
  it("does not wait for statistics at the start", async () => {
    const service = await startService({ engine });
    const { database } = service.deps;
    expect(await tablesWithoutStatistics(database)).toEqual([]);
    expect(await database.write((tx) => addStatistics(tx, new Set()))).toBeUndefined();
    await service.stop();
  });
});
