import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockFor } from "../database/folder-lock.ts";
import { livingProcesses } from "./process-tree.ts";

const prefix = "innkeep-dev-";

/** Makes the folder of a throwaway server. Its name holds the id of this process, unless it is kept. */
export async function makeFolder(keep: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), keep ? "innkeep-kept-" : `${prefix}${process.pid}-`));
  await mkdir(dataOf(folder), { mode: 0o700 });
  return folder;
}

export const dataOf = (folder: string): string => join(folder, "data");

/** Removes the folders of throwaway servers that were killed together with the program that had started them. */
export async function removeOldFolders(): Promise<void> {
  const own = `${prefix}${process.pid}-`;
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix) && !name.startsWith(own));
  if (names.length === 0) return;
  const running = new Set((await livingProcesses()).map(({ id }) => id));
  for (const name of names) {
    const processId = Number(name.slice(prefix.length).split("-")[0]);
    if (!running.has(processId)) await removeUnused(join(tmpdir(), name)).catch(() => undefined);
  }
}

/** Leaves a folder that a server uses: in another container its process has another id. */
async function removeUnused(folder: string): Promise<void> {
  if (!(await isOwn(folder))) return;
  const lock = await lockFor("server", dataOf(folder), { patienceMs: 0 });
  try {
    await rm(folder, { recursive: true, force: true });
  } finally {
    await lock.release();
  }
}

/** Everybody may write into the folder of temporary files. A link, or a folder of another user, could lead anywhere. */
async function isOwn(folder: string): Promise<boolean> {
  for (const path of [folder, dataOf(folder)]) {
    const entry = await lstat(path);
    if (!entry.isDirectory() || (process.getuid && entry.uid !== process.getuid())) return false;
  }
  return true;
}
