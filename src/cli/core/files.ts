import { readFile, realpath } from "node:fs/promises";
import { CliError } from "./cli-error.ts";
import { createFile, writeInOneStep } from "./write-file.ts";

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
