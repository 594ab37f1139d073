import type pg from "pg";
import type { Reader } from "../../../server/database/database.ts";
import { numberPlaceholders } from "../../../server/database/postgres.lazy.ts";

/** The answer of an engine for a text: the names of the columns of its rows. Undefined if it does not return them. */
export type Prepare = (sql: string) => Promise<readonly string[] | undefined>;

/** Asks PostgreSQL to plan a statement and to describe its rows. It runs nothing. */
export const prepareOnPostgres =
  (client: pg.Client): Prepare =>
  (sql) =>
    new Promise((resolve, reject) => {
      let names: readonly string[] | undefined;
      // The driver calls these when the server has answered.
      client.query({
        submit(connection) {
          connection.parse({ name: "", text: numberPlaceholders(sql), types: [] }, true);
          connection.describe({ type: "S", name: "" }, true);
          connection.sync();
        },
        handleRowDescription({ fields }: { readonly fields: readonly { readonly name: string }[] }) {
          names = fields.map(({ name }) => name);
        },
        handleError: reject,
        handleReadyForQuery: () => resolve(names),
      });
    });

/**
 * Lets SQLite compile a statement, and returns the columns of a SELECT. The columns of RETURNING are known only from a
 * row.
 */
export const prepareOnSqlite =
  (reader: Reader): Prepare =>
  async (sql) => {
    await reader.all(`EXPLAIN ${sql}`);
    if (!/^(\/\*.*?\*\/\s*)?(SELECT|WITH)\b/.test(sql)) return undefined;
    const values = [...numberPlaceholders(sql).matchAll(/\$\d+/g)].map(() => 1);
    const rows = await reader.all(`SELECT r.* FROM (SELECT 1) LEFT JOIN (${sql}) AS r ON 0`, ...values);
    return Object.keys(rows[0] ?? {});
  };
