import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fullDiskText, isFullDisk } from "../../src/words/phrases.ts";
import { diskFaultOf } from "./errors.ts";

/**
 * Returns an Error for the operator if a disk is full, and other errors unchanged. `folder` contains the SQLite
 * database.
 */
export async function explainFullDisk(error: unknown, folder: string): Promise<unknown> {
  const message = await messageOf(error, folder);
  return message === undefined ? error : new Error(message, { cause: error });
}

async function messageOf(error: unknown, folder: string): Promise<string | undefined> {
  if (isFullDisk(error)) return fullDiskText(error.path ? dirname(error.path) : folder, error);
  const fault = diskFaultOf(error);
  if (fault === undefined) return undefined;
  if (fault === "full on PostgreSQL")
    return "The disk of the PostgreSQL server is full: free some space on it, then try again.";
  const tried = await tryWrite(folder);
  if (isFullDisk(tried)) return fullDiskText(folder, tried);
  return fault === "full" ? fullDiskText(folder, { code: "ENOSPC" }) : undefined;
}

/** The size of the file that `tryWrite` writes. SQLite needs less space to read a database. */
const triedBytes = 65_536;

/** Writes a temporary file into `folder`. Returns the error of the operating system, or undefined. */
async function tryWrite(folder: string): Promise<unknown> {
  const file = join(folder, `.${randomUUID()}.part`);
  try {
    await writeFile(file, Buffer.alloc(triedBytes), { mode: 0o600, flag: "wx" });
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
}
