import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Files } from "../files/files.ts";
import { createLocalFiles } from "../files/local-files.ts";
import { SettingError } from "../settings/setting-error.ts";
import type { DataLocation } from "../settings/settings.ts";
import { dumpRows } from "../store/deployment/dump.ts";
import { lockFor } from "../store/deployment/folder-lock.ts";
import { withSnapshot } from "../store/deployment/snapshot.ts";
import { type Table, tablesOf } from "../store/deployment/tables.ts";
import type { Database, Reader } from "../store/engine/database.ts";
import { appliedMigrations } from "../store/engine/migrate.ts";
import { type StoredFile, storedFiles, uploads } from "../store/requests/uploads.ts";
import { type ArchiveWriter, createArchive } from "./archive/archive-writer.ts";
import { formatVersion, headerName, secretName } from "./archive/backup-format.ts";
import { exists, filesFolder, secretFile } from "./data-location.ts";

/** The length in characters at which an entry of rows is written and the next one begins. */
const entryLength = 1_048_576;

/**
 * Copies the state of the database at one instant, the files to which it refers, and the secret of the data folder into one
 * tar file, while the server goes on. Gives the numbers of rows and files, and the files that are missing or damaged.
 */
export async function backUp(database: Database, location: DataLocation, file: string) {
  if (await exists(file)) throw new SettingError(`${file} already exists. Choose another file name.`);
  await mkdir(location.data, { recursive: true, mode: 0o700 });
  const lock = await lockFor("backup", location.data);
  try {
    await removeScratch(location);
    const archive = await createArchive(file).catch((cause) => {
      throw new SettingError(`${file} cannot be written (${cause.code}).`);
    });
    return { file, ...(await fill(archive, database, location)) };
  } finally {
    await lock.release();
  }
}

async function fill(archive: ArchiveWriter, database: Database, location: DataLocation) {
  const scratch = await mkdtemp(join(location.data, scratchPrefix));
  try {
    const { rows, files } = await withSnapshot(database, scratch, (snapshot) =>
      addDatabase(archive, snapshot),
    );
    const source = { database, files: createLocalFiles(filesFolder(location)) };
    const added = await addFiles(archive, source, files);
    await addSecret(archive, location);
    await archive.finish();
    return { rows, ...added };
  } catch (error) {
    await archive.abandon();
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const scratchPrefix = "backup-";

/** Deletes the copy of the database that a killed backup has left. */
async function removeScratch({ data }: DataLocation): Promise<void> {
  const names = await readdir(data);
  for (const name of names.filter((each) => each.startsWith(scratchPrefix)))
    await rm(join(data, name), { recursive: true, force: true });
}

async function addDatabase(archive: ArchiveWriter, snapshot: Reader) {
  const tables = await tablesOf(snapshot);
  await archive.addText(
    headerName,
    JSON.stringify({
      format: formatVersion,
      migrations: (await appliedMigrations(snapshot)).map(({ number, name }) => ({ number, name })),
      tables: tables.map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) })),
    }),
  );
  let rows = 0;
  for (const table of tables) rows += await addTable(archive, snapshot, table);
  const files: StoredFile[] = [];
  for await (const file of storedFiles(snapshot)) files.push(file);
  return { rows, files };
}

async function addTable(archive: ArchiveWriter, snapshot: Reader, table: Table): Promise<number> {
  let rows = 0;
  let entries = 0;
  let text = "";
  const flush = async () => {
    entries += 1;
    await archive.addText(`database/${table.name}/${String(entries).padStart(6, "0")}.ndjson`, text);
    text = "";
  };
  for await (const lines of dumpRows(snapshot, table)) {
    rows += lines.length;
    text += `${lines.join("\n")}\n`;
    if (text.length >= entryLength) await flush();
  }
  if (text !== "") await flush();
  return rows;
}

interface AddedFiles {
  readonly files: number;
  /** SHA-256 of the files that could not be copied. */
  readonly missing: readonly string[];
}

/** Adds the files to the archive. A file does not count as missing if its thread was deleted during the backup. */
async function addFiles(
  archive: ArchiveWriter,
  { database, files }: { readonly database: Database; readonly files: Files },
  wanted: readonly StoredFile[],
): Promise<AddedFiles> {
  const missing: string[] = [];
  let added = 0;
  for (const file of wanted) {
    if (await addFile(archive, files, file)) added += 1;
    else if (await uploads.isReferenced(database, file.sha256)) missing.push(file.sha256);
  }
  return { files: added, missing };
}

/** Adds a file to the archive. Gives false if the file cannot be read or its content has changed. */
async function addFile(archive: ArchiveWriter, files: Files, { sha256, size }: StoredFile): Promise<boolean> {
  let readable = true;
  async function* read() {
    try {
      yield* await files.open(sha256);
    } catch (error) {
      readable = false;
      throw error;
    }
  }
  try {
    return (await archive.add(`files/${sha256}`, { size, chunks: read() }, sha256)) !== undefined;
  } catch (error) {
    if (readable) throw error;
    return false;
  }
}

async function addSecret(archive: ArchiveWriter, location: DataLocation): Promise<void> {
  if (await exists(secretFile(location)))
    await archive.addText(secretName, await readFile(secretFile(location), "utf8"));
}
