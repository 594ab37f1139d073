import type { StatementRunner } from "../drivers/connection.ts";
import type { Statements } from "../transaction.ts";

/** The statements of a SQLite connection, as units use them. SQLite has one writer, so `lock` has nothing to do. */
export function statementsOf(connection: StatementRunner): Statements {
  return {
    engine: "sqlite",
    get: (sql, ...values) => connection.get(sql, values),
    all: (sql, ...values) => connection.all(sql, values),
    run: (sql, ...values) => connection.run(sql, values),
    lock: async () => {},
  };
}
