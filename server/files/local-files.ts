import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { ReceivedFile } from "../../src/contract/files.ts";
import { assertName, type ByteSpan, type Files, isName } from "./files.ts";
import {
  createTemporaryFolder,
  oldOf,
  orUnavailableLater,
  privateFolder,
  sizeOf,
  type TemporaryFolder,
} from "./temporary-files.ts";

/**
 * Stores files as `aa/bb/<sha256>`. Temporary files are in the same folder, so that a rename makes them
 * permanent.
 */
export function createLocalFiles(folder: string): Files {
  const root = resolve(folder);
  const temporary = createTemporaryFolder(join(root, "temporary"));

  return {
    ...temporary.files,
    keep: (received) => keep(received, { root, temporary }),
    open: async (sha256, span) => openStream(pathOf(root, sha256), span),
    size: async (sha256) => sizeOf(pathOf(root, sha256)),
    remove: async (sha256) => rm(pathOf(root, sha256), { force: true }),
    setAside: (sha256) => setAside(root, sha256),
    settled: () => settled(root),
  };
}

async function keep(
  received: ReceivedFile,
  { root, temporary }: { root: string; temporary: TemporaryFolder },
) {
  const target = pathOf(root, received.sha256);
  if (!(await temporary.isNew(received, () => sizeOf(target)))) return;
  await orUnavailableLater(moveDurably(received.path, target, root));
}

async function openStream(path: string, span?: ByteSpan) {
  const handle = await orUnavailableLater(open(path));
  return handle.createReadStream(span);
}

// Moves a file and flushes it to the disk. Replaces an existing file, because that file may not be flushed.
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

// Windows cannot open a folder, so folders cannot be flushed to the disk on Windows.
const syncFolder = process.platform === "win32" ? async () => {} : sync;

async function* settled(root: string): AsyncGenerator<string[]> {
  for (const outer of await foldersIn(root))
    for (const inner of await foldersIn(join(root, outer))) {
      const folder = join(root, outer, inner);
      const names = (await readdir(folder)).filter((name) => isName(name));
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

function pathOf(root: string, sha256: string): string {
  assertName(sha256);
  return join(root, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
}
