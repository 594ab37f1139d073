import { link, lstat, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import path, { dirname, join, type PlatformPath, relative, resolve } from "node:path";
import { makeFolder, withPath } from "../../credentials/folders.ts";
import { CliError, usageError } from "./cli-error.ts";

/**
 * Replaces the text of a file in one step, so other programs never read an incomplete text. Creates the folder if it is
 * missing. If the path is a link, writes the file that the link points to.
 */
export const replaceFile = async (path: string, text: string): Promise<void> =>
  writeInOneStep(await realpath(path).catch(() => path), text);

/**
 * Writes a new file. Throws a CliError if a file with this name already exists and has a different text. Another
 * program may have just created that file.
 */
export async function addFile(path: string, text: string): Promise<void> {
  if (!(await createFile(path, text))) await assertUnchanged(path, text);
}

/** Throws a CliError if somebody has changed the file since this command read it. `text` is the text that was read. */
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
 * Replaces the text of a file in one step, so other programs never read an incomplete text. Creates the folder if it is
 * missing, and keeps the mode of the file. If the path is a link, replaces the link and does not change its target.
 */
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
      // Some file systems have no hard links. On those, a crash may leave a file with only a part of the text.
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

/** Writes the text to a temporary file and calls `use` with its path. Then removes the file if it still exists. */
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

/**
 * Throws a usage error if a path in the working folder leads through a link to a place outside of that folder.
 * A link in a repository of a stranger may point to any folder of the machine. A path outside of the working
 * folder is allowed if the person gives it directly. (rule C25)
 */
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

/**
 * Whether an absolute path is below a folder. The folder may be the root of a drive or of a network share.
 */
export function isUnder(folder: string, inner: string, paths: PlatformPath = path): boolean {
  const inside = paths.relative(folder, inner);
  return inside !== "" && inside.split(paths.sep)[0] !== ".." && !paths.isAbsolute(inside);
}

/**
 * Returns the real path. If the path does not exist, returns the real path of the nearest existing folder above it.
 * Throws a usage error for a link to a path that does not exist.
 */
async function nearest(given: string): Promise<string> {
  for (let folder = given; ; folder = dirname(folder)) {
    const there = await realpath(folder).catch(() => undefined);
    if (there !== undefined) return there;
    if (await lstat(folder).catch(() => undefined))
      throw usageError(`${folder} is a link to a path that does not exist.`);
    if (folder === dirname(folder)) return folder;
  }
}
