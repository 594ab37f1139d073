import { withDatabase } from "../../../server/admin/data-location.ts";
import { dumpRows, everyTable, tablesOf } from "../../../server/backup/store.ts";
import type { Database } from "../../../server/database/database.ts";
import type { Deployment } from "./deployment.ts";

/**
 * Every row of a database, also those that a backup does not contain, except the search index and the list of
 * migrations.
 */
export const everyRowOf = (database: Database) =>
  database.snapshot(async (reader) => {
    const rows: unknown[] = [];
    for (const table of await everyTable(reader))
      for await (const lines of dumpRows(reader, table))
        rows.push(...lines.map((line) => [table.name, line]));
    return rows;
  });

/**
 * Every row of a deployment, except the search index and the ids of the deployment and of its change counter, because a
 * restore renews these.
 */
export const rowsOf = (deployment: Deployment) =>
  withDatabase(deployment, "leave", (database) =>
    database.write(async (tx) => {
      const rows: unknown[] = [];
      for (const table of await tablesOf(tx)) {
        const columns = table.columns.filter(
          // A restored server starts new numbers for its events.
          ({ name }) => name !== "indexed" && !(table.name === "events" && name === "number"),
        );
        for await (const lines of dumpRows(tx, { ...table, columns }))
          rows.push(...lines.map((line) => [table.name, JSON.parse(line)]));
      }
      return rows
        .map((row) => JSON.stringify(row))
        .filter((row) => !/^\["deployment",\["(?:changes|id)"/.test(row))
        .sort();
    }),
  );
