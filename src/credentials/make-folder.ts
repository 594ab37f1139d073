import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder, and those above it that are missing. Throws the error of the file system. The recursive form of Node never
 * ends in a place such as /proc, where a folder can neither be found nor made.
 */
export function makeFolder(folder: string, mode?: number): void {
  if (makes(folder, mode)) return;
  makeFolder(dirname(folder), mode);
  mkdirSync(folder, { mode });
}

/** Returns false if the folder above is missing. */
function makes(folder: string, mode: number | undefined): boolean {
  try {
    mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    if (isMissing(error) && folder !== dirname(folder) && !isFolder(dirname(folder))) return false;
    if (isFolder(folder)) return true;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
