import type { Value } from "../database.ts";

/** Runs statements one after another. */
export interface StatementRunner {
  get<Row extends object>(sql: string, values: readonly Value[]): Promise<Row | undefined>;
  all<Row extends object>(sql: string, values: readonly Value[]): Promise<Row[]>;
  /**
   * Runs one statement. Returns the number of rows that an INSERT, UPDATE or DELETE changed. For other statements the
   * number has no meaning.
   */
  run(sql: string, values: readonly Value[]): Promise<number>;
}

/**
 * One connection to a SQLite file, for any driver. The caller must wait for the end of each call before the next call.
 */
export interface Connection extends StatementRunner {
  /** Runs statements that have no values and return no rows. */
  exec(sql: string): Promise<void>;
  close(): Promise<void>;
}

export interface SqliteDriver {
  /**
   * How long one call may wait for a lock inside SQLite. The time is short for drivers whose calls block the event
   * loop.
   */
  readonly lockWaitMs: number;
  /** How many reading connections to open. */
  readonly readers: number;
  open(file: string, options: { readOnly: boolean }): Promise<Connection>;
}

const capacity = 500;

interface StatementCache<Statement> {
  get(sql: string): Statement;
  drop(sql: string): void;
  clear(): void;
}

/** Creates a cache of prepared statements by their text. If it has more than 500 statements, it releases the oldest. */
export function statementCache<Statement>(
  prepare: (sql: string) => Statement,
  release: (statement: Statement) => void,
): StatementCache<Statement> {
  const statements = new Map<string, Statement>();

  function drop(sql: string): void {
    const statement = statements.get(sql);
    if (statement === undefined) return;
    statements.delete(sql);
    release(statement);
  }

  function add(sql: string): Statement {
    const [oldest] = statements.keys();
    if (oldest !== undefined && statements.size >= capacity) drop(oldest);
    const statement = prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  return {
    get: (sql) => statements.get(sql) ?? add(sql),
    drop,
    clear: () => [...statements.keys()].forEach(drop),
  };
}
