import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A change takes milliseconds. An older lock is of a process that was killed. */
const staleMs = 5_000;
const pauseMs = 10;
const fileName = "innkeep.lock";

/**
 * Runs `change` while no other process changes the settings of this folder, so that two changes at once are both kept. Throws
 * the error of the file system.
 */
export async function inTurn<Result>(folder: string, change: () => Result): Promise<Result> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = join(folder, fileName);
  while (!takes(lock)) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  try {
    return change();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Takes the lock. Gives false if another process has it. */
function takes(lock: string): boolean {
  try {
    writeFileSync(lock, "", { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    if (isStale(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** A lock from the future, after the clock was set back, is stale too. */
function isStale(lock: string): boolean {
  const found = statSync(lock, { throwIfNoEntry: false });
  return found !== undefined && Math.abs(Date.now() - found.mtimeMs) > staleMs;
}
