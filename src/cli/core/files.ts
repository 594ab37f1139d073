import { link, lstat, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import path, { dirname, join, type PlatformPath, relative, resolve } from "node:path";
import { makeFolder, withPath } from "../../credentials/folders.ts";
import { CliError, usageError } from "./cli-error.ts";

/** Replaces a file in one step, or creates it. A link stays, and its target changes. */
export const replaceFile = async (path: string, text: string): Promise<void> =>
  writeInOneStep(await realpath(path).catch(() => path), text);

/** Writes a new file. Throws a CliError if the file exists with a different text. */
export async function addFile(path: string, text: string): Promise<void> {
  if (!(await createFile(path, text))) await assertUnchanged(path, text);
}

/** Throws a CliError if somebody has changed the file since this command read `text` from it. */
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

/** Replaces a file in one step, and keeps its mode. A link is replaced, and its target stays. */
export async function writeInOneStep(file: string, text: string): Promise<void> {
  const mode = await stat(file).then(
    (found) => found.mode & 0o777,
    () => 0o644,
  );
  await withPart(file, { text, mode }, (part) => rename(part, file));
}

/**
 * Writes a new file in one step. If a file with this name exists already, writes nothing and returns false.
 */
async function createFile(file: string, text: string): Promise<boolean> {
  try {
    await withPart(file, { text, mode: 0o644 }, async (part) => {
      // On a file system without hard links, the text is written directly. A crash may then leave an incomplete
      // file.
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

/** Writes `text` to a temporary file and calls `use` with its path. Removes the file at the end. */
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
  } catch (error) {
    throw withPath(error, file);
  } finally {
    await rm(part, { force: true });
  }
}

/** Throws a usage error if a path in `cwd` leads out of `cwd` through a link. (rule C25) */
export async function assertInside(cwd: string, named: string): Promise<void> {
  const absolute = resolve(cwd, named);
  if (!isUnder(cwd, absolute)) return;
  const there = await nearest(absolute);
  const root = await realpath(cwd);
  if (relative(root, there) === "" || isUnder(root, there)) return;
  throw usageError(
    `${named} leads through a link to ${there}, which is not under the working folder.`,
    "Replace the link by a folder, or give the real path.",
  );
}

/** Whether an absolute path is below a folder, which may be the root of a drive or share. */
export function isUnder(folder: string, inner: string, paths: PlatformPath = path): boolean {
  const inside = paths.relative(folder, inner);
  return inside !== "" && inside.split(paths.sep)[0] !== ".." && !paths.isAbsolute(inside);
}

/** Returns the real path of `given` or its nearest existing parent. Throws a usage error for a broken link. */
async function nearest(given: string): Promise<string> {
  for (let folder = given; ; folder = dirname(folder)) {
    const there = await realpath(folder).catch(() => undefined);
    if (there !== undefined) return there;
    if (await lstat(folder).catch(() => undefined))
      throw usageError(`${folder} is a link to a path that does not exist.`);
    if (folder === dirname(folder)) return folder;
  }
}
