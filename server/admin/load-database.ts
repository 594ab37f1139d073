import { afterLoad, loadRows } from "../store/deployment/dump.ts";
import { type Table, tablesOf } from "../store/deployment/tables.ts";
import type { Transaction } from "../store/engine/database.ts";
import { migrations } from "../store/engine/migrations/all-migrations.ts";
import type { Migration } from "../store/engine/migrations/migrate.ts";
import { type DatabaseAddress, openDatabase } from "../store/engine/open.ts";
import { storedFiles, uploads } from "../store/requests/uploads.ts";
import type { Archive, ArchiveEntry } from "./archive/archive-reader.ts";
import { type BackupHeader, fileEntries, rowEntries } from "./archive/backup-format.ts";

/** The migrations that made the database of the backup. Throws where this program does not know them all. */
export function schemaOf(header: BackupHeader): Migration[] {
  return header.migrations.map(({ number, name }) => {
    const known = migrations.find((migration) => migration.number === number && migration.name === name);
    if (known) return known;
    throw new Error("A newer Innkeep made this backup. Restore it with that one.");
  });
}

/** Fills a new database with the rows of the backup, all in one transaction. Gives how many there were. */
export async function loadDatabase(
  address: DatabaseAddress,
  archive: Archive,
  header: BackupHeader,
): Promise<number> {
  const database = await openDatabase(address, { migrations: schemaOf(header) });
  try {
    const tables = tablesIn(header, await tablesOf(database));
    return await database.write(async (tx) => {
      let rows = 0;
      for (const table of tables)
        for (const entry of rowEntries(archive, table.name)) rows += await load(tx, table, archive, entry);
      await removeLost(tx, new Set(fileEntries(archive).map(([sha256]) => sha256)));
      await afterLoad(tx);
      return rows;
    });
  } finally {
    await database.close();
  }
}

/** The tables of the backup as they are here, with the columns in the order of the backup. */
function tablesIn(header: BackupHeader, present: readonly Table[]): Table[] {
  return header.tables.map(({ name, columns }) => {
    const table = present.find((candidate) => candidate.name === name);
    const ordered = columns.map((column) => table?.columns.find((candidate) => candidate.name === column));
    return { name, columns: ordered.map((column) => column ?? unknown(name)) };
  });
}

function unknown(table: string): never {
  throw new Error(`The backup has a table ${table} that does not fit this version.`);
}

async function load(tx: Transaction, table: Table, archive: Archive, entry: ArchiveEntry): Promise<number> {
  const lines = (await archive.readText(entry)).split("\n").filter((line) => line !== "");
  return loadRows(tx, table, lines);
}

/** Files whose thread was deleted while the backup was made are not in it: what refers to them goes, too. */
async function removeLost(tx: Transaction, present: ReadonlySet<string>): Promise<void> {
  for await (const { sha256 } of storedFiles(tx))
    if (!present.has(sha256)) await uploads.removeBySha256(tx, sha256);
}
