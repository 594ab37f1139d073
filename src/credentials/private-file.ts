import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** The text of a file; undefined where there is none, or none that may be read. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Replaces a file in one step; only its owner can read it (0600), or list its folder (0700). */
export async function writePrivately(file: string, text: string, newId: () => string): Promise<void> {
  const folder = dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const part = `${file}.${newId()}`;
  try {
    await writeFile(part, text, { mode: 0o600, flag: "wx" });
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
