import { countOf } from "../../src/words/phrases.ts";
import type { Transaction } from "../database/database.ts";
import { type Migration, schemaOf, tooOld } from "../database/migrate.ts";
import { migrations, replaced } from "../database/migrations.ts";
import { type DatabaseAddress, openDatabase } from "../database/open.ts";
import { storedFiles, uploads } from "../files/store.ts";
import {
  type Archive,
  type ArchiveEntry,
  type BackupContents,
  type BackupHeader,
  fileEntries,
  newerBackup,
  readContents,
  readHeader,
  rowEntries,
} from "./archive.ts";
import {
  afterLoad,
  emptyBeforeLoad,
  emptyTable,
  inLoadOrder,
  loadRows,
  type Table,
  tablesOf,
} from "./store.ts";

/** Throws an Error if the backup is too new or too old for this program. */
function migrationsOf({ migrations: applied }: BackupHeader): readonly Migration[] {
  const schema = schemaOf(applied, migrations);
  if (schema === "newer") throw new Error(newerBackup);
  if (schema === "older") throw tooOld("backup", applied, replaced);
  return schema;
}

/** An open backup. */
export interface Backup {
  readonly archive: Archive;
  readonly header: BackupHeader;
  /** The numbers of rows and files in the backup; undefined in a backup of an older version. */
  readonly contents: BackupContents | undefined;
}

/** Reads the header and contents of a backup. Throws an Error if this program cannot read the backup. */
export async function readBackup(archive: Archive): Promise<Backup> {
  const backup = { archive, header: await readHeader(archive), contents: await readContents(archive) };
  migrationsOf(backup.header);
  return backup;
}

interface Loaded {
  readonly rows: number;
  /** The SHA-256 of files that are not in the backup, although rows refer to them. */
  readonly lost: readonly string[];
}

/** Fills a new database. Returns the row count and the missing files. Throws an Error if row counts differ. */
export async function loadDatabase(address: DatabaseAddress, backup: Backup): Promise<Loaded> {
  const { archive, header } = backup;
  const database = await openDatabase(address, { migrations: migrationsOf(header) });
  try {
    const tables = tablesIn(header, await tablesOf(database));
    return await database.write(async (tx) => {
      const counts = new Map<string, number>();
      for (const table of [...tables].reverse()) await emptyTable(tx, table);
      for (const table of inLoadOrder(tables)) {
        await emptyBeforeLoad(tx, table);
        counts.set(table.name, await loadTable(tx, archive, table));
      }
      assertCounts(backup, counts);
      const lost = await removeLost(tx, new Set(fileEntries(archive).map(([sha256]) => sha256)));
      await afterLoad(tx);
      return { rows: [...counts.values()].reduce((sum, count) => sum + count, 0), lost };
    });
  } finally {
    await database.close();
  }
}

async function loadTable(tx: Transaction, archive: Archive, table: Table): Promise<number> {
  let rows = 0;
  try {
    for (const entry of rowEntries(archive, table.name))
      rows += await loadRows(tx, table, await linesOf(archive, entry));
  } catch (cause) {
    throw new Error(`The rows of the table ${table.name} cannot be restored (${messageOf(cause)}).`, {
      cause,
    });
  }
  return rows;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function assertCounts({ archive, contents }: Backup, counts: ReadonlyMap<string, number>): void {
  if (!contents) return;
  const names = new Set([...Object.keys(contents.rows), ...counts.keys()]);
  const faults = [...names].flatMap((name) => {
    const [found, said] = [counts.get(name) ?? 0, contents.rows[name] ?? 0];
    return found === said ? [] : [`The table ${name} has ${countOf(found, "row")}, not ${said}.`];
  });
  const files = fileEntries(archive).length;
  if (files !== contents.files)
    faults.push(`The backup contains ${countOf(files, "file")}, not ${contents.files}.`);
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

/** Returns the tables of the new database, with the columns in the order of the backup. */
function tablesIn(header: BackupHeader, present: readonly Table[]): Table[] {
  return header.tables.map(({ name, columns }) => {
    // The names in a backup become SQL. Only names of existing tables and columns are used.
    const table = present.find((candidate) => candidate.name === name) ?? unknown(name);
    const ordered = columns.map((column) => table.columns.find((candidate) => candidate.name === column));
    return { name: table.name, columns: ordered.map((column) => column ?? unknown(name)) };
  });
}

function unknown(table: string): never {
  throw new Error(`The table ${table} of the backup does not match this version of Innkeep.`);
}

const linesOf = async (archive: Archive, entry: ArchiveEntry): Promise<string[]> =>
  (await archive.readText(entry)).split("\n").filter((line) => line !== "");

/** Removes references to files that were deleted during the backup. Returns the SHA-256 of these files. */
async function removeLost(tx: Transaction, present: ReadonlySet<string>): Promise<string[]> {
  const lost: string[] = [];
  for await (const { sha256 } of storedFiles(tx)) if (!present.has(sha256)) lost.push(sha256);
  for (const sha256 of lost) await uploads.removeBySha256(tx, sha256);
  return lost;
}
