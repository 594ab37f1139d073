import { link, lstat, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import path, { dirname, join, type PlatformPath, relative, resolve } from "node:path";
import { makeFolder } from "../../credentials/folders.ts";
import { CliError, usageError } from "./cli-error.ts";

/**
 * Writes a file in one step: readers see the old text or the new one. Its folder is made if it is missing, and a link
 * stays a link.
 */
export const replaceFile = async (path: string, text: string): Promise<void> =>
  writeInOneStep(await realpath(path).catch(() => path), text);

/** Writes a new file. Throws a CliError if another program has just made one of this name, unless it has this text. */
export async function addFile(path: string, text: string): Promise<void> {
  if (!(await createFile(path, text))) await assertUnchanged(path, text);
}

/** Throws a CliError if a file no longer has the text that was read: somebody is editing it. */
export async function assertUnchanged(path: string, text: string): Promise<void> {
  const now = await readFile(path, "utf8").catch(() => undefined);
  if (now === text) return;
  throw new CliError({
    exit: "conflict",
    code: "file_changed",
    message: `${path} was changed while this command ran, so it was left as it is.`,
    next: "Run the command again.",
  });
}

/**
 * Writes a file in one step: readers see the old text or the new one. Its folder is made if it is missing, and its mode
 * stays. A link in its place is replaced; what it leads to stays as it is.
 */
export async function writeInOneStep(file: string, text: string): Promise<void> {
  const mode = await stat(file).then(
    (found) => found.mode & 0o777,
    () => 0o644,
  );
  await withPart(file, { text, mode }, (part) => rename(part, file));
}

/** Writes a new file in one step. Returns false, and writes nothing, if its name is taken. */
async function createFile(file: string, text: string): Promise<boolean> {
  try {
    await withPart(file, { text, mode: 0o644 }, async (part) => {
      // Some file systems have no links. Then a crash may leave a part of the text.
      await link(part, file).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "EEXIST") throw error;
        return writeFile(file, text, { mode: 0o644, flag: "wx" });
      });
    });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Writes the text to a temporary file and calls `use` with it. Removes that file afterwards if it still exists. */
async function withPart(
  file: string,
  { text, mode }: { readonly text: string; readonly mode: number },
  use: (part: string) => Promise<void>,
): Promise<void> {
  const part = join(dirname(file), `.${crypto.randomUUID()}.part`);
  makeFolder(dirname(file));
  try {
    await writeFile(part, text, { mode, flag: "wx" });
    await use(part);
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * Throws a usage error if a path under the working folder leads out of it through a link: in a stranger's checkout a link
 * may lead to any folder of the machine. A person may name a path outside of the working folder. (rule C25)
 */
export async function assertInside(cwd: string, named: string): Promise<void> {
  const absolute = resolve(cwd, named);
  if (!isUnder(cwd, absolute)) return;
  const there = await nearest(absolute);
  const root = await realpath(cwd);
  if (relative(root, there) === "" || isUnder(root, there)) return;
  throw usageError(
    `${named} leads through a link to ${there}, which is not under the working folder.`,
    "Replace the link by a folder, or name the place that is meant.",
  );
}

/** Whether an absolute path is below a folder, which may be the root of a drive or of a share. */
export function isUnder(folder: string, inner: string, paths: PlatformPath = path): boolean {
  const inside = paths.relative(folder, inner);
  return inside !== "" && inside.split(paths.sep)[0] !== ".." && !paths.isAbsolute(inside);
}

/** The real path, or that of the nearest folder above it that exists. */
async function nearest(given: string): Promise<string> {
  for (let folder = given; ; folder = dirname(folder)) {
    const there = await realpath(folder).catch(() => undefined);
    if (there !== undefined) return there;
    if (await lstat(folder).catch(() => undefined))
      throw usageError(`${folder} is a link that leads nowhere.`);
    if (folder === dirname(folder)) return folder;
  }
}
