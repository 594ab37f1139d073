import * as z from "zod/mini";
import type { Transaction } from "../database/database.ts";
import { type Migration, schemaOf, tooOld } from "../database/migrate.ts";
import { migrations } from "../database/migrations.ts";
import { type DatabaseAddress, openDatabase } from "../database/open.ts";
import { replaced } from "../database/schema/baseline.ts";
import { storedFiles, uploads } from "../files/uploads-store.ts";
import type { Archive, ArchiveEntry } from "./archive.ts";
import { afterLoad, emptyTable, loadRows, type Table, tablesOf } from "./store.ts";

/**
 * The migrations that make the schema of the backup. Throws an Error with a message if it is newer than this program, or too
 * old for it.
 */
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
  /** Undefined in a backup of an older version. */
  readonly contents: BackupContents | undefined;
}

/** Reads what a backup is about. Throws an Error with a message if this program cannot read it. */
export async function readBackup(archive: Archive): Promise<Backup> {
  const backup = { archive, header: await readHeader(archive), contents: await readContents(archive) };
  migrationsOf(backup.header);
  return backup;
}

interface Loaded {
  readonly rows: number;
  /** SHA-256 of the files that rows named and the backup does not hold. */
  readonly lost: readonly string[];
}

/**
 * Fills a new database with the rows of the backup in one transaction. Throws an Error if they are not as many as the backup
 * says.
 */
export async function loadDatabase(address: DatabaseAddress, backup: Backup): Promise<Loaded> {
  const { archive, header } = backup;
  const database = await openDatabase(address, { migrations: migrationsOf(header) });
  try {
    const tables = tablesIn(header, await tablesOf(database));
    return await database.write(async (tx) => {
      const counts = new Map<string, number>();
      for (const table of [...tables].reverse()) await emptyTable(tx, table);
      for (const table of tables) counts.set(table.name, await loadTable(tx, archive, table));
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
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The rows of the table ${table.name} cannot be restored (${why}).`, { cause });
  }
  return rows;
}

function assertCounts({ archive, contents }: Backup, counts: ReadonlyMap<string, number>): void {
  if (!contents) return;
  const names = new Set([...Object.keys(contents.rows), ...counts.keys()]);
  const faults = [...names].flatMap((name) => {
    const [found, said] = [counts.get(name) ?? 0, contents.rows[name] ?? 0];
    return found === said ? [] : [`The table ${name} has ${found} rows instead of ${said}.`];
  });
  const files = fileEntries(archive).length;
  if (files !== contents.files) faults.push(`The backup holds ${files} files instead of ${contents.files}.`);
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

/** The tables of the new database, with the columns in the order of the backup. */
function tablesIn(header: BackupHeader, present: readonly Table[]): Table[] {
  return header.tables.map(({ name, columns }) => {
    // Names of a backup get into statements, so only those of this version are used.
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

/**
 * Removes references to files that are not in the backup, because their thread was deleted while the backup was made. Gives
 * their SHA-256.
 */
async function removeLost(tx: Transaction, present: ReadonlySet<string>): Promise<string[]> {
  const lost: string[] = [];
  for await (const { sha256 } of storedFiles(tx)) if (!present.has(sha256)) lost.push(sha256);
  for (const sha256 of lost) await uploads.removeBySha256(tx, sha256);
  return lost;
}

export const formatVersion = 1;

export const headerName = "backup.json";

export const secretName = "secret";

export const contentsName = "contents.json";

const Header = z.object({
  format: z.literal(formatVersion),
  migrations: z.array(z.object({ number: z.int(), name: z.string() })),
  /** In the order in which a restore fills them. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});

export type BackupHeader = z.output<typeof Header>;

/** The header of a backup. Throws an Error with a message if this program cannot read the backup. */
export async function readHeader(archive: Archive): Promise<BackupHeader> {
  const [first] = archive.entries;
  if (first?.name !== headerName) throw new Error("The file is not a backup of Innkeep.");
  const result = Header.safeParse(JSON.parse(await archive.readText(first)));
  if (result.success) return result.data;
  throw new Error(newerBackup);
}

const Contents = z.object({
  /** How many rows of each table there are. */
  rows: z.record(z.string(), z.int()),
  files: z.int(),
  /** SHA-256 of the files that could not be copied. */
  missing: z.array(z.string()),
  /** SHA-256 of the files that were deleted while the backup was made. Rows still name them. */
  deleted: z.array(z.string()),
});

export type BackupContents = z.output<typeof Contents>;

/** What a backup says that it holds; undefined if it is from before backups said so. */
async function readContents(archive: Archive): Promise<BackupContents | undefined> {
  const entry = archive.entries.find(({ name }) => name === contentsName);
  return entry && Contents.parse(JSON.parse(await archive.readText(entry)));
}

const newerBackup = "This backup was made by a newer version of Innkeep. Restore it with that version.";

/** The entries that contain the rows of a table, in their order. */
export const rowEntries = ({ entries }: Archive, table: string): ArchiveEntry[] =>
  entries.filter(({ name }) => name.startsWith(`database/${table}/`));

/** The entries that are files, by the SHA-256 of their bytes. */
export const fileEntries = ({ entries }: Archive): [sha256: string, entry: ArchiveEntry][] =>
  entries.flatMap((entry) => {
    const sha256 = /^files\/([\da-f]{64})$/.exec(entry.name)?.[1];
    return sha256 === undefined ? [] : [[sha256, entry]];
  });
