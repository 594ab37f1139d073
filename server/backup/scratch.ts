import { chmod, lstat, mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder } from "../../src/credentials/folders.ts";
import { systemReason } from "../../src/words/phrases.ts";
import { FolderInUse, lockFor } from "../database/folder-lock.ts";
import { SettingError } from "../settings/settings.ts";

/** The name of the database in a scratch folder. */
export const scratchDatabase = "scratch.db";

const prefix = "verify-";

const lockName = "scratch.lock";

/** The scratch folders of this process. Opening the lock file of such a folder again would release the lock. */
const own = new Set<string>();

/**
 * Calls `work` with a temporary private folder in `parent`. Throws a SettingError if the folder cannot be
 * created.
 */
export async function inScratch<Result>(
  parent: string | undefined,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const place = parent ?? (await privateTemporaryFolder());
  const { folder, lock } = await makeScratch(place);
  try {
    return await work(folder);
  } finally {
    await lock.release();
    await rm(folder, { recursive: true, force: true });
    own.delete(folder);
  }
}

async function makeScratch(parent: string) {
  try {
    makeFolder(parent, 0o700);
  } catch (cause) {
    throw new SettingError(`The scratch folder ${parent} cannot be created (${systemReason(cause)}).`);
  }
  // While `parent` is locked, no other process can remove the new folder before that folder has its own lock.
  const parentLock = await lockFor("verify", parent);
  try {
    await removeLeftovers(parent);
    const folder = await mkdtemp(join(parent, prefix));
    own.add(folder);
    return { folder, lock: await lockFor("scratch", folder) };
  } finally {
    await parentLock.release();
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

/**
 * Returns a folder to which only this user can write. Throws a SettingError if another user owns the folder.
 */
async function privateTemporaryFolder(): Promise<string> {
  const user = process.getuid?.();
  const folder = join(tmpdir(), `innkeep-${user ?? "scratch"}`);
  makeFolder(folder, 0o700);
  const { uid } = await lstat(folder);
  if (user !== undefined && uid !== user)
    throw new SettingError(`${folder} belongs to another user. Name a scratch folder with --scratch.`);
  await chmod(folder, 0o700);
  return folder;
}

/** Throws a SettingError if a folder has less free space than this number of bytes. */
export async function assertFreeSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  const [has, needs] = [bavail * bsize, bytes].map((count) => `${Math.ceil(count / 1_048_576)} MiB`);
  throw new SettingError(
    `The scratch folder ${folder} has ${has} of free space, and the database of this backup needs about ${needs}. Name another folder with --scratch or INNKEEP_BACKUP_SCRATCH.`,
  );
}

/**
 * Returns the temporary folders of killed commands in `parent`. Leaves out folders with other files, because a
 * user may own these folders.
 */
export async function leftoversIn(
  parent: string,
  {
    prefix,
    contents,
  }: {
    /** The beginning of the folders' names. `mkdtemp` adds six characters. */
    readonly prefix: string;
    /** The beginnings of the names of the files in a temporary folder. */
    readonly contents: readonly string[];
  },
): Promise<string[]> {
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

/** The file or folder that could not be written, and a sentence about the needed space. */
interface Writing {
  readonly place: string;
  readonly needs: string;
}

/** Returns an Error for the operator if a disk is full. Returns other errors unchanged. */
export function fullDisk(error: unknown, { place, needs }: Writing): unknown {
  if (!(error instanceof Error)) return error;
  const found = [error.message, messageOf(error.cause)].find((message) => fullMessage.test(message));
  if (found === undefined) return error;
  return new Error(`${place} cannot be written: ${found}. ${needs}`, { cause: error });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "");
