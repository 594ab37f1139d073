import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { quickFolder } from "./quick-folder.ts";

/** A new empty folder inside `parent`, removed when the test has finished. */
export async function temporaryFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, "innkeep-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The paths of all files in a folder and the folders below it. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** A new empty folder that exists until it is removed, and need not survive a power failure. */
export async function removableFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(quickFolder, "innkeep-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
