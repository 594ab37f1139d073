import { mkdirSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { ReceivedFile } from "../../src/contract/files/received-file.ts";
import { systemClock } from "../clock.ts";
import type { ByteSpan, Files } from "./files.ts";
import { createTemporaryFile, orUnavailableLater } from "./temporary-file.ts";

const privateFolder = { recursive: true, mode: 0o700 } as const;
const isName = /^[0-9a-f]{64}$/;
const abandonedAfterMs = 3_600_000;

/**
 * Keeps files in a local folder as `aa/bb/<sha256>`. Temporary files are in the same folder, so that keeping one is a
 * rename.
 */
export function createLocalFiles(folder: string): Files {
  const root = resolve(folder);
  const temporary = join(root, "temporary");
  mkdirSync(temporary, privateFolder);

  return {
    createTemporary: (limit) => createTemporaryFile(temporary, limit),
    dropTemporary: (paths) => dropAll(paths.filter((path) => dirname(path) === temporary)),
    sweepTemporary: () => sweep(temporary),
    keep: (received) => keep(received, { root, temporary }),
    open: async (sha256, span) => openStream(pathOf(root, sha256), span),
    size: async (sha256) => sizeOf(pathOf(root, sha256)),
    remove: async (sha256) => rm(pathOf(root, sha256), { force: true }),
    setAside: (sha256) => setAside(root, sha256),
    settled: () => settled(root),
  };
}

async function keep(received: ReceivedFile, { root, temporary }: { root: string; temporary: string }) {
  const target = pathOf(root, received.sha256);
  if (dirname(received.path) !== temporary) throw new Error("Not a temporary file of this folder");
  const size = await sizeOf(received.path);
  if (size === undefined && (await sizeOf(target)) === received.size) return;
  if (size !== received.size) throw new Error("The temporary file is gone or incomplete");
  await orUnavailableLater(moveDurably(received.path, target, root));
}

async function openStream(path: string, span?: ByteSpan) {
  const handle = await orUnavailableLater(open(path));
  return handle.createReadStream(span);
}

// A file with the same content is replaced, because the earlier copy may not yet be on the disk.
async function moveDurably(from: string, to: string, root: string): Promise<void> {
  await sync(from);
  await mkdir(dirname(to), privateFolder);
  await rename(from, to);
  for (let folder = dirname(to); folder.length >= root.length; folder = dirname(folder))
    await syncFolder(folder);
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// Windows has no descriptor for a folder.
const syncFolder = process.platform === "win32" ? async () => {} : sync;

async function sweep(temporary: string): Promise<void> {
  const names = await readdir(temporary);
  await dropAll(await oldOf(names.map((name) => join(temporary, name))));
}

/** The files that were not written within the last hour. */
async function oldOf(paths: readonly string[]): Promise<string[]> {
  const changes = await Promise.all(paths.map((path) => changedAt(path)));
  // The file system uses the real time, so the movable clock of a development server is not used here.
  const oldest = systemClock.now().getTime() - abandonedAfterMs;
  return paths.filter((_, at) => (changes[at] ?? oldest) < oldest);
}

async function* settled(root: string): AsyncGenerator<string[]> {
  for (const outer of await foldersIn(root))
    for (const inner of await foldersIn(join(root, outer))) {
      const folder = join(root, outer, inner);
      const names = (await readdir(folder)).filter((name) => isName.test(name));
      const paths = await oldOf(names.map((name) => join(folder, name)));
      if (paths.length > 0) yield paths.map((path) => basename(path));
    }
}

const foldersIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /^[0-9a-f]{2}$/.test(name)).sort();

async function setAside(root: string, sha256: string): Promise<void> {
  const folder = join(root, "damaged");
  await mkdir(folder, privateFolder);
  await rename(pathOf(root, sha256), join(folder, sha256));
}

async function dropAll(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => rm(path, { force: true })));
}

function pathOf(root: string, sha256: string): string {
  if (!isName.test(sha256)) throw new Error("Not a SHA-256 in hex");
  return join(root, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await statOf(path))?.size;
}

async function changedAt(path: string): Promise<number | undefined> {
  return (await statOf(path))?.mtimeMs;
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
