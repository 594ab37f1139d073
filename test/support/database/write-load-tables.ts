import { expect } from "vitest";
import type { Database } from "../../../server/database/database.ts";
import type { Migration } from "../../../server/database/migrate.ts";

/** The tables that the write load fills. */
export const loadTables: Migration = {
  number: 1,
  name: "load",
  statements: ["singles", "left_halves", "right_halves"].map(
    (table) => `CREATE TABLE ${table} (id TEXT PRIMARY KEY)`,
  ),
};

/** Checks that every confirmed row is stored completely, and that there is no partial write. */
export async function expectNothingLost(database: Database, acknowledged: Iterable<string>): Promise<void> {
  const ids = async (table: string) =>
    (await database.all<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }) => id);
  const [singles, left, right] = [await ids("singles"), await ids("left_halves"), await ids("right_halves")];
  const kept = new Set([...singles, ...left]);
  expect([...acknowledged].filter((id) => !kept.has(id))).toEqual([]);
  expect(left).toEqual(right);
}

/** Checks that SQLite finds no fault in the file. */
export async function expectSoundFile(database: Database): Promise<void> {
  if (database.engine === "sqlite")
    expect(await database.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
}
