import type { Transaction, Value } from "./database.ts";
import { bulkInsertSql, insertSql } from "./insert-statement.ts";
import type { Signals } from "./signals.ts";
import { perform, type Statements } from "./transaction.ts";

/** The part of a shared commit that succeeds or fails as a whole. */
export interface Unit {
  /** Whether the unit is one statement, which needs no transaction if it runs alone. */
  readonly single: boolean;
  run(statements: Statements): Promise<void>;
  /** Tells the callers that the changes are durable. */
  succeed(): void;
  /** Tells the callers that all changes were undone. Has no effect on callers that already have a result. */
  fail(error: unknown): void;
  /** The smaller units to run one by one after a failure; empty if the unit cannot be divided. */
  parts(): Unit[];
}

/** Settles the promise of one caller. */
export interface Caller<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** The unit of one call of `Database.write`. */
export function workUnit<Result>(
  work: (tx: Transaction) => Promise<Result>,
  signals: Signals,
  caller: Caller<Result>,
): Unit {
  let succeed = () => {};
  return {
    single: false,
    async run(statements) {
      const { result, topics } = await perform(work, statements);
      succeed = () => {
        signals.emit(topics);
        caller.resolve(result);
      };
    },
    succeed: () => succeed(),
    fail: caller.reject,
    parts: () => [],
  };
}

export interface AppendUnit extends Unit {
  add(values: readonly Value[], caller: Caller<void>): void;
}

/**
 * The unit that adds rows with the same columns to one table in one statement. With `sqlite3` a statement costs more
 * than a row.
 */
export function appendUnit(table: string, columns: readonly string[]): AppendUnit {
  const rows: { values: readonly Value[]; unit: Unit }[] = [];
  return {
    single: true,
    add(values, caller) {
      rows.push({ values, unit: rowUnit(insertSql(table, columns), values, caller) });
    },
    async run(statements) {
      const [first, second] = rows;
      if (first !== undefined && second === undefined) return first.unit.run(statements);
      const json = JSON.stringify(rows.map(({ values }) => values));
      if (lossy.test(json)) throw new Error("SQLite's JSON would change the text of these rows.");
      await statements.run(bulkInsertSql(table, columns), json);
    },
    succeed() {
      for (const { unit } of rows) unit.succeed();
    },
    fail(error) {
      for (const { unit } of rows) unit.fail(error);
    },
    parts: () => (rows.length > 1 ? rows.map(({ unit }) => unit) : []),
  };
}

/** A lone surrogate, as JSON.stringify escapes it. SQLite would store it as bytes that are not valid UTF-8. */
const lossy = /\\ud[89a-f]/;

function rowUnit(sql: string, values: readonly Value[], caller: Caller<void>): Unit {
  return {
    single: true,
    run: async (statements) => void (await statements.run(sql, ...values)),
    succeed: caller.resolve,
    fail: caller.reject,
    parts: () => [],
  };
}
