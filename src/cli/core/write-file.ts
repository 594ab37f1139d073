import { link, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../../credentials/make-folder.ts";

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

/** Writes a new file in one step. Gives false, and writes nothing, if its name is taken. */
export async function createFile(file: string, text: string): Promise<boolean> {
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

/** Calls `use` with a new file that has the text. Afterwards that file is gone. */
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
