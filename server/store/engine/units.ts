import type { Transaction, Value } from "./database.ts";
import { bulkInsertSql, insertSql } from "./insert-statement.ts";
import type { Signals } from "./signals.ts";
import { perform, type Statements } from "./transaction.ts";

/** What stands or falls as a whole inside a shared commit. */
export interface Unit {
  /** One statement: alone it needs no transaction around it. */
  readonly single: boolean;
  run(statements: Statements): Promise<void>;
  /** Its effect is durable. */
  succeed(): void;
  /** Nothing of it stays. Says nothing to whoever was told already. */
  fail(error: unknown): void;
  /** What to try one by one when it fails; empty when it cannot be divided. */
  parts(): Unit[];
}

/** Tells one caller how it ended. */
export interface Caller<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** A work of `Database.write`. */
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

/** New rows of one table that have the same columns, as one statement: with `sqlite3` a statement costs more than a row. */
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
      if (lossy.test(json)) throw new Error("SQLite's JSON would not give these rows back as they are.");
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

/** A lone surrogate, as JSON.stringify escapes it: SQLite would make bytes of it that are no UTF-8. */
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
