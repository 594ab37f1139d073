// Synchronous on purpose: these files are tiny, and the asynchronous half of node:fs is slow to load.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "./make-folder.ts";

/** The text of a file; undefined if the file is missing or not readable. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Replaces a file in one step. Only its owner can read the file (0600) and a folder that it makes (0700). */
export function writePrivately(file: string, text: string, newId: () => string): void {
  const folder = dirname(file);
  makeFolder(folder, 0o700);
  const part = `${file}.${newId()}`;
  try {
    writeFileSync(part, text, { mode: 0o600, flag: "wx" });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
