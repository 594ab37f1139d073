import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Files } from "../files/files.ts";
import { createLocalFiles } from "../files/local-files.ts";
import { SettingError } from "../setting-error.ts";
import type { Database, Reader } from "../store/database.ts";
import { dumpRows } from "../store/dump.ts";
import { appliedTo } from "../store/migrate.ts";
import { withSnapshot } from "../store/snapshot.ts";
import { type Table, tablesOf } from "../store/tables.ts";
import { storedFiles, uploads } from "../store/uploads.ts";
import { type ArchiveWriter, createArchive } from "./archive-writer.ts";
import { formatVersion, headerName, secretName } from "./backup-format.ts";
import { exists, filesFolder, type Place, secretFile } from "./place.ts";

/** So many characters of rows are enough for an entry of their own. */
const entryLength = 1_048_576;

/**
 * Copies the database as it is at one instant, the files that it refers to and the secret of the data folder into one
 * tar file, while the server goes on serving. Gives how much it holds.
 */
export async function backUp(database: Database, place: Place, file: string) {
  if (await exists(file)) throw new SettingError(`${file} exists already. Name a new file.`);
  await mkdir(place.data, { recursive: true, mode: 0o700 });
  const archive = await createArchive(file).catch((cause) => {
    throw new SettingError(`${file} cannot be written (${cause.code}).`);
  });
  const scratch = await mkdtemp(join(place.data, "backup-"));
  try {
    const { rows, files } = await withSnapshot(database, scratch, (snapshot) =>
      addDatabase(archive, snapshot),
    );
    const added = await addFiles(archive, database, createLocalFiles(filesFolder(place)), files);
    await addSecret(archive, place);
    await archive.finish();
    return { file, rows, files: added };
  } catch (error) {
    await archive.abandon();
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface StoredFile {
  readonly sha256: string;
  readonly size: number;
}

async function addDatabase(archive: ArchiveWriter, snapshot: Reader) {
  const tables = await tablesOf(snapshot);
  await archive.addText(
    headerName,
    JSON.stringify({
      format: formatVersion,
      migrations: (await appliedTo(snapshot)).map(({ number, name }) => ({ number, name })),
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

/** A file that is gone because its thread was deleted meanwhile stays out. */
async function addFiles(
  archive: ArchiveWriter,
  database: Database,
  files: Files,
  wanted: readonly StoredFile[],
): Promise<number> {
  let added = 0;
  for (const { sha256, size } of wanted) {
    const bytes = await files.open(sha256).catch(() => undefined);
    if (bytes) {
      if ((await archive.add(`files/${sha256}`, size, bytes)) !== sha256) throw damaged(sha256);
      added += 1;
    } else if (await uploads.isReferenced(database, sha256)) throw damaged(sha256);
  }
  return added;
}

const damaged = (sha256: string) =>
  new Error(`The file ${sha256} is missing or damaged. \`innkeep admin check\` lists all such files.`);

async function addSecret(archive: ArchiveWriter, place: Place): Promise<void> {
  if (await exists(secretFile(place)))
    await archive.addText(secretName, await readFile(secretFile(place), "utf8"));
}
