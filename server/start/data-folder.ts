import { access, chmod, constants, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { SettingError } from "../settings/setting-error.ts";
import type { Settings } from "../settings/settings.ts";
import { type FolderLock, type LockOptions, lockFolder } from "../store/deployment/folder-lock.ts";

type Place = Pick<Settings, "data" | "databaseUrl">;

/**
 * Makes the data folder, readable by its owner only, and locks it for this server if its database is in it. Throws a
 * SettingError if the folder cannot be used, and FolderInUse if another server keeps it.
 */
export async function takeDataFolder(
  place: Place,
  warn: (text: string) => void,
  waiting: LockOptions,
): Promise<FolderLock> {
  await makeFolder(place.data, warn);
  // Several servers of one PostgreSQL share the folder.
  if (place.databaseUrl !== undefined) return { release: async () => {} };
  const lock = await lockFolder(place.data, waiting);
  try {
    await assertDatabaseIsThere(place.data);
  } catch (error) {
    await lock.release();
    throw error;
  }
  return lock;
}

async function makeFolder(data: string, warn: (text: string) => void): Promise<void> {
  try {
    await mkdir(data, { recursive: true, mode: 0o700 });
    await access(data, constants.W_OK);
  } catch (cause) {
    throw new SettingError(`INNKEEP_DATA must be a folder that can be written, not \`${data}\`.`, { cause });
  }
  await tighten(data).catch((error) =>
    warn(
      `Others on this machine can look into the folder ${data} (${error.code}). Make it private: chmod 700.\n`,
    ),
  );
}

async function tighten(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  if ((mode & 0o077) !== 0) await chmod(folder, 0o700);
}

/** Files without their database are the rest of a deployment: a new database would make orphans of them all. */
async function assertDatabaseIsThere(data: string): Promise<void> {
  const file = join(data, "innkeep.db");
  if ((await sizeOf(file)) > 0) return;
  const rest = (await hasFiles(join(data, "files"))) || (await sizeOf(`${file}-wal`)) > 0;
  if (!rest) return;
  throw new SettingError(
    `${file} is missing or empty, but ${data} holds the files of a server. Put the database back, or restore a backup into a new folder. To begin anew, set INNKEEP_DATA to another folder.`,
  );
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

/** Whether kept files, in their folders of two digits, are there. */
export async function hasFiles(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => /^[\da-f]{2}$/.test(each))) {
    const inside = await readdir(join(folder, name), { recursive: true });
    if (inside.some((path) => /[\da-f]{64}$/.test(path))) return true;
  }
  return false;
}
