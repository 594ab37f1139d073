import { lstat, realpath } from "node:fs/promises";
import path, { dirname, type PlatformPath, relative, resolve } from "node:path";
import { usageError } from "./cli-error.ts";

/**
 * A link in a checkout of a stranger may lead to any folder of the machine. Only what is named under the working folder comes
 * with a checkout; a person may name any other place. Throws a usage error. (rule C25)
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

/** Where a path leads, or the nearest folder above it that is there. */
async function nearest(given: string): Promise<string> {
  for (let folder = given; ; folder = dirname(folder)) {
    const there = await realpath(folder).catch(() => undefined);
    if (there !== undefined) return there;
    if (await lstat(folder).catch(() => undefined))
      throw usageError(`${folder} is a link that leads nowhere.`);
    if (folder === dirname(folder)) return folder;
  }
}
