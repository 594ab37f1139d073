import type { Reader } from "../../database/database.ts";
import { addressesIn, addressesInJson } from "../addresses-in-text.ts";
import { personalData } from "../tables.ts";
import { nameColumns, textColumns } from "./erase.ts";
import { type Cells, type Key, keyOf, type SearchedTable } from "./find.ts";
import { type SearchedTableName, searchedTables } from "./searched-tables.ts";

const rowsAtOnce = 500;

/** All addresses of people that the database holds, in lower case, in batches. One may come several times. */
export async function* addressesPresent(reader: Reader): AsyncGenerator<string[]> {
  const accounts: SearchedTable = { name: "users", keys: ["id"], app: "" };
  for await (const rows of rowsOf(reader, accounts, ["email"]))
    yield rows.flatMap(({ email }) => addressesIn(email ?? ""));
  for (const table of Object.values(searchedTables)) yield* addressesInTable(reader, table.name);
}

async function* addressesInTable(reader: Reader, name: SearchedTableName): AsyncGenerator<string[]> {
  const json = new Set(personalData[name]?.holds.json ?? []);
  const columns = [...new Set([...textColumns(name), ...nameColumns(name)])];
  if (columns.length === 0) return;
  for await (const rows of rowsOf(reader, searchedTables[name], columns)) {
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

/** The rows of a table in the order of its key, as many at once as the server can do between two requests. */
async function* rowsOf(
  reader: Reader,
  table: SearchedTable,
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
