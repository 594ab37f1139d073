import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../../src/credentials/folders.ts";
import { systemReason } from "../../src/words/phrases.ts";
import { exists, secretFile } from "../admin/data-location.ts";
import type { Database, Reader } from "../database/database.ts";
import { lockFor } from "../database/folder-lock.ts";
import { appliedMigrations, isCurrent } from "../database/migrate.ts";
import { migrations } from "../database/migrations.ts";
import { addToJournal, journalName, journalOf, readJournal } from "../erasure/journal.ts";
import { type Files, FilesUnavailable } from "../files/files.ts";
import { type StoredFile, storedFiles, uploads } from "../files/store.ts";
import type { Recipient } from "../secrets/age.ts";
import { type DataLocation, SettingError } from "../settings/settings.ts";
import { assertPlace, openFiles } from "../start/open-files.ts";
import {
  type ArchiveWriter,
  type BackupContents,
  contentsName,
  createArchive,
  draftOf,
  encryptInto,
  formatVersion,
  headerName,
  publishDraft,
  recipientsIn,
  secretName,
} from "./archive.ts";
import { fullDisk, leftoversIn } from "./scratch.ts";
import { dumpRows, snapshotName, type Table, tablesOf, withSnapshot } from "./store.ts";
import { verify } from "./verify.ts";

/** After this number of characters, the next rows go into a new entry of the archive. */
const entryLength = 1_048_576;

interface Order {
  readonly file: string;
  readonly erasuresFile?: string | undefined;
  /** The public keys for which the backup is encrypted. */
  readonly recipient?: string | undefined;
  /** Whether the backup must be verified before it gets its final name. */
  readonly prove?: boolean | undefined;
  /** The folder in which the backup is restored to verify it. The default is the data folder. */
  readonly scratch?: string | undefined;
}

/**
 * Writes a backup and copies the journal of erasures. Throws a SettingError if the file exists or cannot be
 * written. (rule O9)
 */
export async function backUp(database: Database, location: DataLocation, order: Order) {
  const { file, erasuresFile } = order;
  const recipients = recipientsIn(order.recipient);
  if (await exists(file)) throw new SettingError(`${file} already exists. Choose another file name.`);
  if (await isCurrent(database, migrations)) await assertPlace(database, location);
  makeFolder(location.data, 0o700);
  const lock = await lockFor("backup", location.data);
  try {
    await removeScratch(location);
    const made = await inDraft(file, async () => {
      const result = await make(database, location, { ...order, recipients });
      await copyJournal(journalOf({ data: location.data, erasuresFile }), dirname(file));
      return result;
    });
    return { file, ...made };
  } finally {
    await lock.release();
  }
}

/**
 * Copies the journal of erasures into `folder`. Call this before the backup gets its final name. Throws a
 * SettingError.
 */
async function copyJournal(journal: string, folder: string): Promise<void> {
  const copy = join(folder, journalName);
  const entries = await readJournal(journal);
  await addToJournal(copy, entries).catch((cause) => {
    throw new SettingError(`The journal of erasures ${copy} cannot be written (${systemReason(cause)}).`);
  });
}

/**
 * Renames the draft to `file` if `work` succeeds, or else deletes it. Throws a SettingError if `file` cannot be
 * written.
 */
async function inDraft<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const draft = draftOf(file);
  // The draft may be a symbolic link. Without this line, the backup would overwrite the file behind the link.
  await rm(draft, { force: true }).catch(() => undefined);
  await writeFile(draft, "", { flag: "wx", mode: 0o600 }).catch((cause) => {
    throw new SettingError(`${file} cannot be written (${systemReason(cause)}).`);
  });
  try {
    const result = await work();
    await publishDraft(file);
    return result;
  } catch (error) {
    await rm(draft, { force: true });
    throw fullDisk(error, { place: file, needs });
  }
}

const needs = "The backup needs free space in its folder, and in the data folder for a copy of the database.";

/**
 * Writes a backup into the draft of `file`. An encrypted backup is first written unencrypted into the data
 * folder. (rule O21)
 */
async function make(
  database: Database,
  location: DataLocation,
  { file, recipients, prove, scratch }: Order & { readonly recipients: readonly Recipient[] | undefined },
) {
  const folder = await mkdtemp(join(location.data, scratchPrefix));
  try {
    const plain = recipients ? join(folder, plainName) : draftOf(file);
    const archive = await createArchive(plain);
    const filled = await fill(archive, { database, location, folder });
    if (prove) await verify({ file: plain, scratch: scratch || location.data });
    if (recipients) await encryptInto(file, plain, recipients);
    const { size: bytes } = await stat(draftOf(file));
    return { ...filled, bytes, proven: prove ?? false, encrypted: recipients !== undefined };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(
  archive: ArchiveWriter,
  {
    database,
    location,
    folder,
  }: {
    readonly database: Database;
    readonly location: DataLocation;
    /** The folder for the copy of the database. */
    readonly folder: string;
  },
) {
  try {
    const { rows, files } = await withSnapshot(database, folder, (snapshot) =>
      addDatabase(archive, snapshot),
    );
    const source = { database, files: openFiles(location) };
    const { deleted, ...added } = await addFiles(archive, source, files);
    await addSecret(archive, location);
    const contents: BackupContents = { rows: Object.fromEntries(rows), ...added, deleted };
    await archive.addText(contentsName, JSON.stringify(contents));
    await archive.finish();
    return { rows: [...rows.values()].reduce((sum, count) => sum + count, 0), ...added };
  } catch (error) {
    await archive.abandon();
    throw error;
  }
}

const scratchPrefix = "backup-";
const plainName = "plain.tar";

/** Deletes the temporary copies of a backup whose process was killed. */
async function removeScratch({ data }: DataLocation): Promise<void> {
  const own = { prefix: scratchPrefix, contents: [snapshotName, plainName] };
  for (const folder of await leftoversIn(data, own)) await rm(folder, { recursive: true, force: true });
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
  const rows = new Map<string, number>();
  for (const table of tables) rows.set(table.name, await addTable(archive, snapshot, table));
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
  /** The SHA-256 of the files that could not be copied. */
  readonly missing: string[];
  /** The SHA-256 of files that were deleted during the backup, because their thread was deleted. */
  readonly deleted: string[];
}

async function addFiles(
  archive: ArchiveWriter,
  { database, files }: { readonly database: Database; readonly files: Files },
  wanted: readonly StoredFile[],
): Promise<AddedFiles> {
  const missing: string[] = [];
  const deleted: string[] = [];
  let added = 0;
  for (const file of wanted) {
    if (await addFile(archive, files, file)) added += 1;
    else if (await uploads.isReferenced(database, file.sha256)) missing.push(file.sha256);
    else deleted.push(file.sha256);
  }
  return { files: added, missing, deleted };
}

/** Adds a file to the archive. Returns false if the file is missing or its content has changed. */
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
    // If S3 does not answer, the file may still exist. The whole backup fails, and the operator repeats it.
    if (readable || error instanceof FilesUnavailable) throw error;
    return false;
  }
}

async function addSecret(archive: ArchiveWriter, location: DataLocation): Promise<void> {
  if (await exists(secretFile(location)))
    await archive.addText(secretName, await readFile(secretFile(location), "utf8"));
}
