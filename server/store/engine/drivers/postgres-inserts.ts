import type { Caller, Database, Value } from "../database.ts";
import { isRefused } from "../errors.ts";
import { bulkInsertPostgresSql, insertSql } from "../insert-statement.ts";
import { createSharedQueue, type SharedQueue } from "../shared-queue.ts";

/** Runs one statement outside a transaction. */
export type RunAlone = (sql: string, ...values: Value[]) => Promise<unknown>;

/**
 * Creates `Database.insert` for PostgreSQL: rows that wait for the same table share one statement and its commit. If
 * PostgreSQL refuses that statement, each row is tried alone.
 */
export function createInsert(run: RunAlone): Database["insert"] {
  const queues = new Map<string, SharedQueue<WaitingRow>>();

  function queueOf(table: string, columns: readonly string[]): SharedQueue<WaitingRow> {
    const name = `${table}(${columns.join()})`;
    const known =
      queues.get(name) ??
      createSharedQueue((rows: readonly WaitingRow[]) => addTogether(run, { table, columns, rows }));
    queues.set(name, known);
    return known;
  }

  return (table, row) =>
    new Promise((resolve, reject) =>
      queueOf(table, Object.keys(row)).add({ row, caller: { resolve, reject } }),
    );
}

interface WaitingRow {
  readonly row: Readonly<Record<string, Value>>;
  readonly caller: Caller<void>;
}

interface WaitingRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly WaitingRow[];
}

/** Never rejects: it tells each caller the result. */
async function addTogether(run: RunAlone, { table, columns, rows }: WaitingRows): Promise<void> {
  const alone = ({ row, caller }: WaitingRow) =>
    run(insertSql(table, columns), ...Object.values(row)).then(() => caller.resolve(), caller.reject);
  const [first, second] = rows;
  if (first !== undefined && second === undefined) return alone(first);
  try {
    await run(bulkInsertPostgresSql(table, columns), JSON.stringify(rows.map(({ row }) => row)));
  } catch (error) {
    if (isRefused(error)) await Promise.all(rows.map(alone));
    else for (const { caller } of rows) caller.reject(error);
    return;
  }
  for (const { caller } of rows) caller.resolve();
}
