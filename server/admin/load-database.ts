import { afterLoad, emptyTable, loadRows } from "../store/deployment/dump.ts";
import { type Table, tablesOf } from "../store/deployment/tables.ts";
import type { Transaction } from "../store/engine/database.ts";
import type { Migration } from "../store/engine/migrate.ts";
import { migrations } from "../store/engine/migrations/all-migrations.ts";
import { type DatabaseAddress, openDatabase } from "../store/engine/open.ts";
import { storedFiles, uploads } from "../store/requests/uploads.ts";
import type { Archive, ArchiveEntry } from "./archive/archive-reader.ts";
import { type BackupHeader, fileEntries, newerBackup, rowEntries } from "./archive/backup-format.ts";

/** The migrations that were applied to the database of the backup. Throws an Error if this program does not know one. */
export function schemaOf(header: BackupHeader): Migration[] {
  return header.migrations.map(({ number, name }) => {
    const known = migrations.find((migration) => migration.number === number && migration.name === name);
    if (known) return known;
    throw new Error(newerBackup);
  });
}

/** An open backup. */
export interface Backup {
  readonly archive: Archive;
  readonly header: BackupHeader;
}

/** Fills a new database with the rows of the backup in one transaction. Gives the number of rows. */
export async function loadDatabase(address: DatabaseAddress, { archive, header }: Backup): Promise<number> {
  const database = await openDatabase(address, { migrations: schemaOf(header) });
  try {
    const tables = tablesIn(header, await tablesOf(database));
    return await database.write(async (tx) => {
      let rows = 0;
      for (const table of [...tables].reverse()) await emptyTable(tx, table);
      for (const table of tables)
        for (const entry of rowEntries(archive, table.name))
          rows += await loadRows(tx, table, await linesOf(archive, entry));
      await removeLost(tx, new Set(fileEntries(archive).map(([sha256]) => sha256)));
      await afterLoad(tx);
      return rows;
    });
  } finally {
    await database.close();
  }
}

/** The tables of the new database, with the columns in the order of the backup. */
function tablesIn(header: BackupHeader, present: readonly Table[]): Table[] {
  return header.tables.map(({ name, columns }) => {
    const table = present.find((candidate) => candidate.name === name);
    const ordered = columns.map((column) => table?.columns.find((candidate) => candidate.name === column));
    return { name, columns: ordered.map((column) => column ?? unknown(name)) };
  });
}

function unknown(table: string): never {
  throw new Error(`The table ${table} of the backup does not match this version of Innkeep.`);
}

const linesOf = async (archive: Archive, entry: ArchiveEntry): Promise<string[]> =>
  (await archive.readText(entry)).split("\n").filter((line) => line !== "");

/** Removes references to files that are not in the backup, because their thread was deleted while the backup was made. */
async function removeLost(tx: Transaction, present: ReadonlySet<string>): Promise<void> {
  for await (const { sha256 } of storedFiles(tx))
    if (!present.has(sha256)) await uploads.removeBySha256(tx, sha256);
}
