import type { Engine, Reader, Transaction } from "../database/database.ts";
import { dependencyOrder } from "./dependency-order.ts";

export interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/**
 * The tables that a backup contains: all except the list of migrations and those that a restore must not bring back. A
 * table comes after the tables to which it refers.
 */
export const tablesOf = async (reader: Reader): Promise<Table[]> =>
  (await everyTable(reader)).filter(({ name }) => !leftOut.has(name));

/** All tables except the list of migrations, in the same order. */
export async function everyTable(reader: Reader): Promise<Table[]> {
  const columns = await reader.all<Column>(columnsSql[reader.engine]);
  const links = await reader.all<{ table: string; parent: string }>(linksSql[reader.engine]);
  const parentsOf = (name: string) => links.filter(({ table }) => table === name).map(({ parent }) => parent);
  const names = [...new Set(columns.map(({ table }) => table))];
  return dependencyOrder(names, new Map(names.map((name) => [name, parentsOf(name)])))
    .filter((name) => name !== "migrations")
    .map((name) => ({ name, columns: columns.filter(({ table }) => table === name) }));
}

/** Whether a table has no rows. The name must come from `tablesOf`. */
export async function isEmpty(reader: Reader, table: string): Promise<boolean> {
  return (await reader.get(`SELECT 1 AS one FROM ${table} LIMIT 1`)) === undefined;
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

/**
 * A restore must not bring back ended console sessions, used codes and links, recovery codes or refresh tokens that were used since. The last time
 * of the old server is not valid for the new one, and the numbers of changes are those of one database. People who typed an answer at
 * the time of the backup do not type any more.
 */
const leftOut = new Set([
  ...["migrations", "sessions", "sign_in_codes", "last_times"],
  ...["thread_changes", "change_counts", "answering_members"],
  ...["oauth_codes", "oauth_tokens", "account_links", "invitations", "recovery_codes"],
]);

/** Deletes from a copy of the whole database what a restore must not bring back. */
export async function emptyLeftOut(tx: Transaction): Promise<void> {
  const present = (await everyTable(tx)).filter(({ name }) => leftOut.has(name));
  for (const { name } of [...present].reverse()) await tx.run(`DELETE FROM ${name}`);
}

const columnsSql: Record<Engine, string> = {
  sqlite: `SELECT t.name AS "table", c.name, lower(c.type) AS type
    FROM pragma_table_list t JOIN pragma_table_info(t.name) c
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid`,
  postgres: `SELECT c.table_name AS "table", c.column_name AS name, c.data_type AS type
    FROM information_schema.columns c JOIN information_schema.tables t
      ON t.table_schema = c.table_schema AND t.table_name = c.table_name
    WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
    ORDER BY c.table_name, c.ordinal_position`,
};

const linksSql: Record<Engine, string> = {
  sqlite: `SELECT t.name AS "table", f."table" AS parent
    FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) f WHERE t.schema = 'main' AND t.type = 'table'`,
  postgres: `SELECT child.relname AS "table", parent.relname AS parent
    FROM pg_constraint link JOIN pg_class child ON child.oid = link.conrelid
      JOIN pg_class parent ON parent.oid = link.confrelid
    WHERE link.contype = 'f' AND link.connamespace = CAST(current_schema() AS regnamespace)`,
};
