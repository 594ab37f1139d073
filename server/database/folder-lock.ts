import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "./errors.ts";
import { sqliteDriver } from "./open.ts";
import type { Connection } from "./sqlite.ts";

export interface FolderLock {
  release(): Promise<void>;
}

export interface LockOptions {
  /** How long to wait for the lock if another process has it. */
  readonly patienceMs?: number;
  /** Called once before the wait, if another process has the lock. */
  readonly onWait?: (patienceMs: number) => void;
  /** A signal that ends the wait. The call then rejects. */
  readonly signal?: AbortSignal;
}

/** Thrown if another process uses the folder. */
export class FolderInUse extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FolderInUse";
  }
}

const inUseMessages = {
  server: (folder: string) =>
    `Another server, or a restore, uses the folder ${folder}. Stop it first, or choose another folder with --data or INNKEEP_DATA.`,
  backup: (folder: string) =>
    `Another backup of the folder ${folder} is running. Try again when it has ended.`,
  verify: (folder: string) =>
    `Another verification of a backup is starting in the folder ${folder}. Try again when it has ended.`,
  scratch: (folder: string) => `Another verification of a backup uses the folder ${folder}.`,
};

const fileNames = {
  server: "innkeep.lock",
  backup: "backup.lock",
  verify: "verify.lock",
  scratch: "scratch.lock",
};

const defaultPatienceMs = 10_000;
const pauseMs = 50;

/** Locks a data folder for the one server that uses it. Throws the same errors as `lockFor`. (rule O8) */
export const lockFolder = (folder: string, options: LockOptions = {}): Promise<FolderLock> =>
  lockFor("server", folder, options);

/**
 * Locks a data folder for one purpose. Throws FolderInUse if another process keeps the lock for over
 * `patienceMs`.
 */
export async function lockFor(
  purpose: keyof typeof fileNames,
  folder: string,
  options: LockOptions = {},
): Promise<FolderLock> {
  const { patienceMs = defaultPatienceMs, signal } = options;
  const deadline = performance.now() + patienceMs;
  const connection = await openLock(join(folder, fileNames[purpose]));
  try {
    for (let tries = 1; !(await tryLock(connection)); tries += 1) {
      if (tries === 1) options.onWait?.(patienceMs);
      if (performance.now() > deadline) throw new FolderInUse(inUseMessages[purpose](folder));
      await sleep(pauseMs, undefined, { signal });
    }
  } catch (error) {
    await connection.close();
    throw error;
  }
  return { release: () => connection.close() };
}

// No other code may open this file. On POSIX systems, the lock ends when any code closes the file.
async function openLock(file: string): Promise<Connection> {
  const driver = await sqliteDriver();
  const connection = await driver.open(file, { readOnly: false });
  await chmod(file, 0o600).catch(() => undefined);
  return connection;
}

/** Locks the file with an exclusive transaction that stays open. Nothing is ever written into the file. */
async function tryLock(connection: Connection): Promise<boolean> {
  try {
    await connection.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
