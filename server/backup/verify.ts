import { chmod, lstat, mkdir, mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemReason } from "../../src/words/system-reason.ts";
import type { Database, Reader } from "../database/database.ts";
import { isUnavailable } from "../database/errors.ts";
import { FolderInUse, lockFor } from "../database/folder-lock.ts";
import { type DatabaseAddress, openDatabase } from "../database/open.ts";
import { storedFiles } from "../files/uploads-store.ts";
import { SettingError } from "../settings/setting-error.ts";
import { isLocked, unlock } from "../start/unlock.ts";
import { type Archive, archiveFaults, openArchive } from "./archive.ts";
import { identitiesIn } from "./keys.ts";
import { type Backup, fileEntries, loadDatabase, readBackup, secretName } from "./load.ts";
import { integrityFaults } from "./store.ts";

interface VerifyOrder {
  readonly file: string;
  /** The file of the keys that an encrypted backup is read with. */
  readonly identity?: string | undefined;
  /** The folder in which the scratch database is made. */
  readonly scratch?: string | undefined;
}

/**
 * Proves that a backup can be restored: compares every byte with the manifest, restores the database into a scratch place,
 * and checks it there as `admin check` does. Returns what the backup holds, and the files that were missing already when it
 * was made. Throws an Error whose message lists all faults. Changes nothing.
 */
export async function verify({ file, identity, scratch }: VerifyOrder) {
  const faults: string[] = [];
  const identities = await identitiesIn(identity);
  const archive = await openArchive(file, { identities, onFault: (fault) => faults.push(fault) });
  try {
    for await (const fault of archiveFaults(archive)) faults.push(fault);
    if (faults.length > 0) throw unreliable(file, faults);
    const backup = await readBackup(archive);
    const found = await inScratch(scratch, (folder) => restoreInto(folder, backup));
    if (found.faults.length > 0) throw unreliable(file, found.faults);
    const { rows, missing, secret } = found;
    return { file, verified: true, rows, files: fileEntries(archive).length, missing, secret };
  } finally {
    await archive.close();
  }
}

const mostShown = 100;

function unreliable(file: string, faults: readonly string[]): Error {
  const more = faults.length - mostShown;
  const lines = [...faults.slice(0, mostShown), ...(more > 0 ? [`${more} more faults`] : [])];
  return new Error(`${file} is damaged, or no backup:\n${lines.map((fault) => `- ${fault}`).join("\n")}`);
}

async function restoreInto(folder: string, backup: Backup) {
  await assertRoom(folder, roomFor(backup.archive));
  const address = { file: join(folder, scratchDatabase) };
  const loaded = await load(address, backup);
  if ("fault" in loaded) return { rows: 0, missing: [], secret: "", faults: loaded.fault.split("\n") };
  const { rows, lost } = loaded;
  const { deleted = [], missing = lost } = backup.contents ?? {};
  // Opening applies the migrations that are newer than the backup.
  const database = await openDatabase(address);
  try {
    const faults = [
      ...(await integrityFaults(database)),
      ...(await fileFaults(database, backup.archive)),
      ...lost
        .filter((sha256) => !deleted.includes(sha256) && !missing.includes(sha256))
        .map((sha256) => `Rows name the file ${sha256}, which the backup lacks.`),
    ];
    const secret = await secretIn(database, backup.archive);
    return { rows, missing: lost.filter((sha256) => missing.includes(sha256)), secret, faults };
  } finally {
    await database.close();
  }
}

/** Rows are text in a backup. A database has indexes, too, and its log is as long as it is. */
const roomFor = ({ entries }: Archive): number =>
  16 * 1_048_576 +
  4 * entries.reduce((sum, { name, size }) => sum + (name.startsWith("database/") ? size : 0), 0);

/** Rows that cannot be restored are a fault of the backup. A full disk is none. */
async function load(address: DatabaseAddress, backup: Backup) {
  try {
    return await loadDatabase(address, backup);
  } catch (error) {
    if (!(error instanceof Error) || !isUnavailable(error)) return { fault: messageOf(error) };
    throw new Error(`The scratch place cannot be written: ${error.message}`, { cause: error });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The files have the sizes that rows say. That their bytes are right is known from their names. */
async function fileFaults(reader: Reader, archive: Archive): Promise<string[]> {
  const sizes = new Map(fileEntries(archive).map(([sha256, { size }]) => [sha256, size]));
  const faults: string[] = [];
  for await (const { sha256, size } of storedFiles(reader))
    if (sizes.get(sha256) !== size)
      faults.push(`The file ${sha256} has ${sizes.get(sha256)} bytes instead of ${size}.`);
  return faults;
}

/** Whether a restore also has the secret that opens what the database keeps sealed. */
async function secretIn(database: Database, archive: Archive): Promise<string> {
  const entry = archive.entries.find(({ name }) => name === secretName);
  if (!(await isLocked(database))) return entry ? "in the backup" : "not needed: nothing is sealed yet";
  if (entry === undefined) return elsewhere;
  const opens = unlock(database, { secret: await archive.readText(entry), old: [] });
  return opens.then(
    () => "in the backup",
    (error) => {
      if (error instanceof SettingError) return elsewhere;
      throw error;
    },
  );
}

const elsewhere = "not in the backup: a restore needs the present INNKEEP_SECRET";

/** The name of the database in a scratch folder. */
const scratchDatabase = "scratch.db";

const prefix = "verify-";

const lockName = "scratch.lock";

/** The folders that this process uses. Opening the lock of one of them again would release it. */
const own = new Set<string>();

/**
 * Calls `work` with a new, private folder in `parent`, and removes the folder afterwards. Before that it removes the folders
 * of processes that were killed. Without a parent it is in the temporary folder of the system.
 */
export async function inScratch<Result>(
  parent: string | undefined,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const place = parent ?? (await privateTemporaryFolder());
  const { folder, lock } = await makeFolder(place);
  try {
    return await work(folder);
  } finally {
    await lock.release();
    await rm(folder, { recursive: true, force: true });
    own.delete(folder);
  }
}

async function makeFolder(parent: string) {
  await mkdir(parent, { recursive: true, mode: 0o700 }).catch((cause) => {
    throw new SettingError(`The scratch folder ${parent} cannot be made (${systemReason(cause)}).`);
  });
  // Nobody else tidies up while the new folder has no lock yet.
  const gate = await lockFor("verify", parent);
  try {
    await removeLeftovers(parent);
    const folder = await mkdtemp(join(parent, prefix));
    own.add(folder);
    return { folder, lock: await lockFor("scratch", folder) };
  } finally {
    await gate.release();
  }
}

async function removeLeftovers(parent: string): Promise<void> {
  for (const folder of await leftoversIn(parent, { prefix, contents: [lockName, scratchDatabase] }))
    if (!own.has(folder) && (await isAbandoned(folder))) await rm(folder, { recursive: true, force: true });
}

async function isAbandoned(folder: string): Promise<boolean> {
  try {
    const lock = await lockFor("scratch", folder, { patienceMs: 0 });
    await lock.release();
    return true;
  } catch (error) {
    return !(error instanceof FolderInUse);
  }
}

/** A folder that belongs to this user alone, because others can write to the temporary folder of the system. */
async function privateTemporaryFolder(): Promise<string> {
  const user = process.getuid?.();
  const folder = join(tmpdir(), `innkeep-${user ?? "scratch"}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid } = await lstat(folder);
  if (user !== undefined && uid !== user)
    throw new SettingError(`${folder} belongs to another user. Name a scratch folder with --scratch.`);
  await chmod(folder, 0o700);
  return folder;
}

/** Throws an Error if a folder has less room than this number of bytes. */
export async function assertRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  const [has, needs] = [bavail * bsize, bytes].map((count) => `${Math.ceil(count / 1_048_576)} MiB`);
  throw new SettingError(
    `The scratch folder ${folder} has ${has} of room, and the database of this backup needs about ${needs}. Name another folder with --scratch or INNKEEP_BACKUP_SCRATCH.`,
  );
}

/** How the folders of a command look. */
interface OwnFolders {
  /** What their names begin with. `mkdtemp` adds six characters. */
  readonly prefix: string;
  /** What the names of the files in them begin with. */
  readonly contents: readonly string[];
}

/**
 * The folders in `parent` that killed commands may have left. A person may have folders with similar names: what holds another
 * file, or is a link, is not ours.
 */
export async function leftoversIn(parent: string, { prefix, contents }: OwnFolders): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(parent, { withFileTypes: true })) {
    const random = entry.name.startsWith(prefix) ? entry.name.slice(prefix.length) : "";
    if (!entry.isDirectory() || !/^[a-zA-Z0-9]{6}$/.test(random)) continue;
    const folder = join(parent, entry.name);
    const names = await readdir(folder).catch(() => ["unreadable"]);
    if (names.every((name) => contents.some((beginning) => name.startsWith(beginning)))) found.push(folder);
  }
  return found;
}

const fullMessage = /ENOSPC|EDQUOT|EFBIG|disk is full|disk I\/O error/;

/** What could not be written, and what it needs room for: a sentence. */
interface Writing {
  readonly place: string;
  readonly needs: string;
}

/** The error for the operator if a disk has no room for what a command writes. Gives other errors back. */
export function fullDisk(error: unknown, { place, needs }: Writing): unknown {
  if (!(error instanceof Error)) return error;
  const found = [error.message, messageIn(error.cause)].find((message) => fullMessage.test(message));
  if (found === undefined) return error;
  return new Error(`${place} cannot be written: ${found}. ${needs}`, { cause: error });
}

const messageIn = (error: unknown): string => (error instanceof Error ? error.message : "");
