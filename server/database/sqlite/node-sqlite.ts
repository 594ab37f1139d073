import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Value } from "../database.ts";
import { type Connection, type SqliteDriver, statementCache } from "./sqlite.ts";

/** Returns the driver for SQLite in Node.js; undefined before Node 22.13. Each call blocks the event loop. */
export function nodeSqliteDriver(): SqliteDriver | undefined {
  const sqlite = withoutWarning(() => process.getBuiltinModule("node:sqlite"));
  if (sqlite === undefined) return undefined;
  return {
    lockWaitMs: 10,
    readers: 1,
    open: async (file, { readOnly }) => connect(new sqlite.DatabaseSync(file, { readOnly })),
  };
}

/** Hides the warning that SQLite is experimental. Node 22 prints it at every start, and operators cannot act on it. */
export function withoutWarning<Result>(load: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function connect(database: DatabaseSync): Connection {
  const statements = statementCache<StatementSync>(
    (sql) => database.prepare(sql),
    () => {},
  );
  return {
    get: async <Row extends object>(sql: string, values: readonly Value[]) =>
      typed<Row | undefined>(statements.get(sql).get(...values)),
    all: async <Row extends object>(sql: string, values: readonly Value[]) =>
      typed<Row[]>(statements.get(sql).all(...values)),
    run: async (sql, values) => Number(statements.get(sql).run(...values).changes),
    exec: async (sql) => database.exec(sql),
    async close() {
      statements.clear();
      database.close();
    },
  };
}

/** Returns rows with the type that the caller expects. A test checks that the columns of the rows match this type. */
const typed = <Rows>(found: unknown): Rows => found as Rows;
