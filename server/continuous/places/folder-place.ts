import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { systemClock } from "../../clock.ts";
import { privateFolder } from "../../files/temporary-folder.ts";
import { type Listed, MissingCopy, type Place } from "./place.ts";

const unfinished = ".unfinished";
const abandonedAfterMs = 3_600_000;

/** Keeps copies in a folder, readable by its owner only. */
export function createFolderPlace(folder: string): Place {
  const root = resolve(folder);
  return {
    put: (name, bytes) => put(root, name, bytes),
    get: (name) =>
      readFile(join(root, name)).catch((error) => {
        throw error.code === "ENOENT" ? new MissingCopy(name) : error;
      }),
    list: (inner) => list(join(root, inner)),
    remove: (names) =>
      remove(
        root,
        names.map((name) => join(root, name)),
      ),
  };
}

/** A folder may be deleted, because it was empty, after it was made. */
const mostTries = 3;

async function put(root: string, name: string, bytes: Buffer): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await putOnce(join(root, name), bytes);
    } catch (error) {
      if (tries === mostTries || !(error instanceof Error && "code" in error && error.code === "ENOENT"))
        throw error;
    }
  }
}

async function putOnce(target: string, bytes: Buffer): Promise<void> {
  const draft = `${target}.${randomBytes(8).toString("hex")}${unfinished}`;
  const made = await mkdir(dirname(target), privateFolder);
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(target));
  if (made === undefined) return;
  // The folders that were made, up to the one that was there before.
  for (let at = dirname(target); at.length >= dirname(made).length; at = dirname(at)) await syncFolder(at);
}

async function list(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const files: Listed[] = [];
  for (const { name } of entries.filter((entry) => entry.isFile())) {
    const listed = await listedAt(folder, name);
    if (listed) files.push(listed);
  }
  const byName = (one: Listed, other: Listed) => (one.name < other.name ? -1 : 1);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return { files: files.sort(byName), folders: folders.sort() };
}

/** Deletes what a killed server has left unfinished. */
async function listedAt(folder: string, name: string): Promise<Listed | undefined> {
  const path = join(folder, name);
  const found = await stat(path).catch(() => undefined);
  if (!found) return undefined;
  if (!name.endsWith(unfinished)) return { name, changedAt: found.mtimeMs };
  if (found.mtimeMs < systemClock.now().getTime() - abandonedAfterMs) await rm(path, { force: true });
  return undefined;
}

async function remove(root: string, paths: readonly string[]): Promise<void> {
  const failures: unknown[] = [];
  for (const path of paths) await rm(path, { force: true }).catch((error) => void failures.push(error));
  for (const folder of new Set(paths.map((path) => dirname(path)))) {
    await syncFolder(folder).catch((error) => {
      if (error.code !== "ENOENT") failures.push(error);
    });
    await removeEmpty(folder, root);
  }
  if (failures.length > 0) throw failures[0];
}

/** Deletes the folder, and those around it, if they are empty. Another copy may come at any moment: then they stay. */
async function removeEmpty(folder: string, root: string): Promise<void> {
  for (let at = folder; at.length > root.length; at = dirname(at)) if (!(await removeFolder(at))) return;
}

const removeFolder = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    () => false,
  );

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}
