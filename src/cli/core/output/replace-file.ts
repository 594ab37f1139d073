import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CliError } from "../failures/cli-error.ts";

/**
 * Writes a file in one step: readers see the old text or the new one. Its folder is made if it is missing, and a link
 * stays a link.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const file = await realpath(path).catch(() => path);
  await mkdir(dirname(file), { recursive: true });
  const part = join(dirname(file), `.${crypto.randomUUID()}.part`);
  const mode = await stat(file).then(
    (found) => found.mode & 0o777,
    () => 0o644,
  );
  try {
    await writeFile(part, text, { mode, flag: "wx" });
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
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
