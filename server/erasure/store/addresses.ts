import type { Reader } from "../../database/database.ts";
import { loweredAddress } from "../../database/schema/expressions.ts";
import { type Cells, type Key, keyOf, type SearchedTable } from "./find.ts";
import type { Erasing, PreviewedCount } from "./passes.ts";
import { inScope } from "./person.ts";
import { type SearchedTableName, searchedTables } from "./searched-tables.ts";

/** Few enough to read at once. */
const mostFound = 1_000;

/** A column with nothing but the address of a person, which an index finds. */
interface AddressColumn {
  readonly table: SearchedTableName;
  readonly column: string;
  readonly count: PreviewedCount;
  /** It holds the address as the person wrote it. Else it is normalised. */
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

/** Rows of a table that hold a person. */
export interface FoundRows {
  readonly table: string;
  readonly count: PreviewedCount;
  readonly keys: readonly Key[];
}

/** Finds what a person sent and got by indexes: at most a thousand rows by each column, however much the others have. (rule P13) */
export async function findByAddress(
  reader: Reader,
  { person: { finder }, scope }: Erasing,
): Promise<FoundRows[]> {
  const found: FoundRows[] = [];
  for (const { table: name, column, count, asWritten } of addressColumns) {
    const table: SearchedTable = searchedTables[name];
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
