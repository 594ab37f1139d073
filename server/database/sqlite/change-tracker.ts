import type { Connection, StatementRunner } from "./connection.ts";

/** Runs statements one at a time and records whether they may have changed the open transaction. */
export interface ChangeTracker {
  readonly runner: StatementRunner;
  /** Forgets the statements so far. */
  reset(): void;
  /** Whether rows were changed or a statement failed. After a failure SQLite may have undone more than that statement. */
  mayHaveChanged(): boolean;
}

/** Wraps a connection so that it records changes. */
export function trackChanges(connection: Connection): ChangeTracker {
  let mayHaveChanged = false;

  async function note<Result>(statement: () => Promise<Result>, changed: (result: Result) => boolean) {
    const before = mayHaveChanged;
    // Stays true if the statement fails.
    mayHaveChanged = true;
    const result = await statement();
    mayHaveChanged = before || changed(result);
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
      mayHaveChanged = false;
    },
    mayHaveChanged: () => mayHaveChanged,
  };
}

/** Statements other than SELECT may change rows although they also give rows. */
const isRead = (sql: string): boolean => /^\s*SELECT\b/i.test(sql);

/** For other statements, such as those that change the schema, the number of rows has no meaning. */
const isCounted = (sql: string): boolean => /^\s*(INSERT|UPDATE|DELETE)\b/i.test(sql);
