import type { StatementRunner } from "../drivers/connection.ts";
import type { Statements } from "../transaction.ts";

/** What units speak to SQLite with. */
export function statementsOf(connection: StatementRunner): Statements {
  return {
    engine: "sqlite",
    get: (sql, ...values) => connection.get(sql, values),
    all: (sql, ...values) => connection.all(sql, values),
    run: (sql, ...values) => connection.run(sql, values),
    lock: async () => {},
  };
}
