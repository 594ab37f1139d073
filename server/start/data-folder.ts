import { access, chmod, constants, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../src/credentials/folders.ts";
import { isFullDisk, systemReason } from "../../src/words/phrases.ts";
import { type FolderLock, type LockOptions, lockFolder } from "../database/folder-lock.ts";
import { type DataLocation, SettingError } from "../settings/settings.ts";

/**
 * Creates and locks the private data folder. Throws a SettingError if the folder is unusable, and FolderInUse
 * if another process uses it.
 */
export async function takeDataFolder(
  { data, databaseUrl }: DataLocation,
  warn: (text: string) => void,
  waiting: LockOptions,
): Promise<FolderLock> {
  await makeDataFolder(data, warn);
  // With PostgreSQL there is no lock, because several servers of one database may share the folder.
  if (databaseUrl !== undefined) return { release: async () => {} };
  const onWait = (patienceMs: number) => warn(busyFolder(data, patienceMs));
  const lock = await lockFolder(data, { ...waiting, onWait });
  try {
    await assertDatabaseIsThere(data);
  } catch (error) {
    await lock.release();
    throw error;
  }
  return lock;
}

const busyFolder = (data: string, patienceMs: number): string =>
  `Another server, or a restore, uses the folder ${data}. Waiting until it ends, for up to ${Math.ceil(patienceMs / 1_000)} s.\n`;

async function makeDataFolder(data: string, warn: (text: string) => void): Promise<void> {
  try {
    makeFolder(data, 0o700);
    await access(data, constants.W_OK);
  } catch (cause) {
    if (isFullDisk(cause)) throw cause;
    throw new SettingError(`INNKEEP_DATA must be a writable folder, not \`${data}\`.`, { cause });
  }
  await makePrivate(data).catch((error) =>
    warn(
      `Other users of this machine can read the folder ${data} (${systemReason(error)}). Make it private: chmod 700.\n`,
    ),
  );
}

async function makePrivate(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  if ((mode & 0o077) !== 0) await chmod(folder, 0o700);
}

/**
 * Throws a SettingError if the folder contains files but no database. A new database would not refer to these files.
 */
export async function assertDatabaseIsThere(data: string): Promise<void> {
  const file = join(data, "innkeep.db");
  if ((await sizeOf(file)) > 0) return;
  const hasRemains = (await hasFiles(join(data, "files"))) || (await sizeOf(`${file}-wal`)) > 0;
  if (!hasRemains) return;
  throw new SettingError(
    `${file} is missing or empty, but ${data} contains the files of a server. Put the database back, or restore a backup into a new folder. To start with no data, set INNKEEP_DATA to another folder.`,
  );
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

/** Whether the folder contains stored files. Stored files are in subfolders whose names are two hexadecimal digits. */
export async function hasFiles(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => /^[\da-f]{2}$/.test(each))) {
    const inside = await readdir(join(folder, name), { recursive: true });
    if (inside.some((path) => /[\da-f]{64}$/.test(path))) return true;
  }
  return false;
}

/** Returns the text of a file, or undefined if the file does not exist. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
