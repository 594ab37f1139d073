import type { Reader } from "../database/database.ts";

/** The faults that SQLite finds in its own file; an empty list on PostgreSQL. */
export async function integrityFaults(reader: Reader): Promise<string[]> {
  if (reader.engine === "postgres") return [];
  const pages = await reader.all<{ integrity_check: string }>("PRAGMA integrity_check(20)");
  const links = await reader.all<{ table: string; parent: string }>("PRAGMA foreign_key_check");
  return [
    ...pages.map((row) => row.integrity_check).filter((text) => text !== "ok"),
    ...links
      .slice(0, 20)
      .map(({ table, parent }) => `A row of ${table} refers to a row of ${parent} that does not exist.`),
  ];
}
