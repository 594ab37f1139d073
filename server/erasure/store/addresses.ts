import type { Reader } from "../../database/database.ts";
import { loweredAddress } from "../../database/schema/table.ts";
import { addressesIn, addressesInJson } from "../addresses.ts";
import { type Erasing, jsonColumns, nameColumns, type PreviewedCount, textColumns } from "./erase.ts";
import {
  type Cells,
  type Key,
  keyOf,
  type SearchedTableName,
  searchedTable,
  searchedTables,
} from "./find.ts";
import { inScope } from "./person.ts";

/** The maximum number of rows that are read for each column. They are read in one query. */
const mostFound = 1_000;

/** A column that contains only the address of a person and that has an index. */
interface AddressColumn {
  readonly table: SearchedTableName;
  readonly column: string;
  readonly count: PreviewedCount;
  /**
   * Whether the column contains the address as the person wrote it. If not, it contains the normalised address.
   */
  readonly asWritten?: true;
}

const addressColumns: readonly AddressColumn[] = [
  { table: "feedback", column: "sender_email", count: "threads", asWritten: true },
  { table: "messages", column: "sender_email", count: "messages", asWritten: true },
  { table: "messages", column: "foreign_from", count: "messages", asWritten: true },
  { table: "mails", column: "recipient", count: "mails" },
  { table: "mail_addresses", column: "recipient", count: "mails" },
  { table: "mail_originals", column: "recipient", count: "mails" },
  { table: "invitations", column: "email", count: "invitations" },
  { table: "blocked_senders", column: "sender", count: "mails" },
];

/** The keys of the rows of a table that contain the address of a person. */
export interface FoundRows {
  readonly table: string;
  readonly count: PreviewedCount;
  readonly keys: readonly Key[];
}

/**
 * Uses indexes to find what a person sent and received. Returns at most a thousand rows for each column, so that the
 * time does not depend on the amount of other data. (rule P13)
 */
export async function findByAddress(
  reader: Reader,
  { person: { finder }, scope }: Erasing,
): Promise<FoundRows[]> {
  const found: FoundRows[] = [];
  for (const { table: name, column, count, asWritten } of addressColumns) {
    const table = searchedTable(name);
    const own = inScope(scope, table.app);
    const address = asWritten ? loweredAddress[reader.engine](`t.${column}`) : `t.${column}`;
    const rows = await reader.all<Cells>(
      `SELECT ${table.keys.map((key) => `t.${key}`).join(", ")} FROM ${name} t
       WHERE ${address} = ? AND t.${column} IS NOT NULL AND ${own.sql} LIMIT ${mostFound}`,
      finder.address,
      ...own.values,
    );
    found.push({ table: name, count, keys: rows.map((row) => keyOf(table, row)) });
  }
  return found;
}

const rowsAtOnce = 500;

/**
 * Yields all addresses of people in the database, in batches and in lower case. The same address may be yielded several
 * times.
 */
export async function* addressesPresent(reader: Reader): AsyncGenerator<string[]> {
  const accounts = { name: "users", keys: ["id"] };
  for await (const rows of rowsOf(reader, accounts, ["email"]))
    yield rows.flatMap(({ email }) => addressesIn(email ?? ""));
  for (const { name } of searchedTables) yield* addressesInTable(reader, name);
}

async function* addressesInTable(reader: Reader, name: SearchedTableName): AsyncGenerator<string[]> {
  const json = jsonColumns(name);
  const columns = [...new Set([...textColumns(name), ...nameColumns(name)])];
  if (columns.length === 0) return;
  for await (const rows of rowsOf(reader, searchedTable(name), columns)) {
    const found = new Set<string>();
    for (const row of rows)
      for (const column of columns)
        for (const address of json.has(column)
          ? addressesInJson(row[column] ?? "")
          : addressesIn(row[column] ?? ""))
          found.add(address);
    yield [...found];
  }
}

/**
 * Yields the rows of a table in the order of its key. The batches are small, so that the server can answer requests
 * between two batches.
 */
async function* rowsOf(
  reader: Reader,
  table: { readonly name: string; readonly keys: readonly string[] },
  columns: readonly string[],
): AsyncGenerator<Cells[]> {
  const keys = table.keys.join(", ");
  const listed = [...new Set([...table.keys, ...columns])].join(", ");
  for (let after: Key | undefined; ; ) {
    const where = after === undefined ? "" : `WHERE (${keys}) > (${after.map(() => "?").join(", ")})`;
    const rows = await reader.all<Cells>(
      `SELECT ${listed} FROM ${table.name} ${where} ORDER BY ${keys} LIMIT ${rowsAtOnce}`,
      ...(after ?? []),
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = keyOf(table, last);
  }
}
