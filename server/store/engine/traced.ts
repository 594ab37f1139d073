import type { Connection, StatementRunner } from "./drivers/connection.ts";

/** Runs statements one at a time, and tells whether they may have left a trace in the open transaction. */
export interface Traced {
  readonly runner: StatementRunner;
  /** Begins anew: nothing was done yet. */
  reset(): void;
  /** Rows were changed, or a statement failed: SQLite may then have undone more than that statement. */
  hasTrace(): boolean;
}

export function traced(connection: Connection): Traced {
  let trace = false;

  async function note<Result>(statement: () => Promise<Result>, changed: (result: Result) => boolean) {
    const before = trace;
    // Stays so where the statement fails.
    trace = true;
    const result = await statement();
    trace = before || changed(result);
    return result;
  }

  return {
    runner: {
      get: (sql, values) =>
        note(
          () => connection.get(sql, values),
          () => !isRead(sql),
        ),
      all: (sql, values) =>
        note(
          () => connection.all(sql, values),
          () => !isRead(sql),
        ),
      run: (sql, values) =>
        note(
          () => connection.run(sql, values),
          (rows) => rows > 0 || !isCounted(sql),
        ),
    },
    reset() {
      trace = false;
    },
    hasTrace: () => trace,
  };
}

/** Other statements may change rows although they give rows. */
const isRead = (sql: string): boolean => /^\s*SELECT\b/i.test(sql);

/** Of other statements, such as those that change the schema, the number of rows tells nothing. */
const isCounted = (sql: string): boolean => /^\s*(INSERT|UPDATE|DELETE)\b/i.test(sql);
