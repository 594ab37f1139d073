import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./folders.ts";

/** The maximum age of a lock. A change takes milliseconds, so an older lock is from a killed process. */
const staleMs = 5_000;
const pauseMs = 10;
const fileName = "innkeep.lock";

/**
 * Runs `change` under a lock, so that no process overwrites the settings of another process. Throws file system
 * errors.
 */
export async function inTurn<Result>(folder: string, change: () => Result): Promise<Result> {
  makeFolder(folder, 0o700);
  const lock = join(folder, fileName);
  let own = taken(lock);
  while (own === undefined) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    own = taken(lock);
  }
  try {
    return change();
  } finally {
    // Another process may have created a new lock while this process was suspended.
    if (identityOf(lock) === own) rmSync(lock, { force: true });
  }
}

/**
 * Takes the lock and returns its identity. Returns undefined if the lock exists. Removes the lock of a killed
 * process.
 */
function taken(lock: string): string | undefined {
  if (makes(lock)) return identityOf(lock) ?? "";
  const stale = staleIdentityOf(lock);
  if (stale !== undefined) removeStale(lock, stale);
  return undefined;
}

/** Removes the lock of a killed process. Without the claim file, a second process could remove a new lock. */
function removeStale(lock: string, identity: string): void {
  const claim = `${lock}.${identity}`;
  if (!makes(claim)) {
    // The process that created a stale claim file was killed, like the process that created the lock.
    if (staleIdentityOf(claim) !== undefined) rmSync(claim, { force: true });
    return;
  }
  if (identityOf(lock) === identity) rmSync(lock, { force: true });
  rmSync(claim, { force: true });
}

/** Creates a file. Returns false if it already exists. */
function makes(file: string): boolean {
  try {
    writeFileSync(file, "", { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Returns a text that identifies a lock file. A later file with the same name has a different identity. */
function identityOf(file: string): string | undefined {
  const found = statOf(file);
  return found && `${found.ino}-${found.mtimeNs}`;
}

/** Returns the identity of a stale lock file. A future file time is stale, because the clock was set back. */
function staleIdentityOf(file: string): string | undefined {
  const found = statOf(file);
  if (!found || Math.abs(Date.now() - Number(found.mtimeMs)) <= staleMs) return undefined;
  return `${found.ino}-${found.mtimeNs}`;
}

const statOf = (file: string) => statSync(file, { throwIfNoEntry: false, bigint: true });
