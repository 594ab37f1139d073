import { setTimeout as sleep } from "node:timers/promises";
import type { ReceivedFile } from "../../src/contract/files.ts";
import { type Files, FilesUnavailable } from "./files.ts";

/**
 * Stores files, and deletes files to which no upload refers. Several requests may use the same file
 * simultaneously.
 */
export interface KeptFiles {
  /**
   * Makes files permanent and calls `work`, which adds uploads. After a failure, deletes the files if the
   * storage answers.
   */
  keepFor<Result>(received: readonly ReceivedFile[], work: () => Promise<Result>): Promise<Result>;
  /**
   * Keeps other servers from deleting the files until the transaction ends. Call this first. Throws
   * FilesUnavailable. Does nothing on SQLite.
   */
  secure(tx: LockingTransaction, received: readonly ReceivedFile[]): Promise<void>;
  /** Deletes those of the given files to which no upload refers now. */
  removeUnreferenced(hashes: readonly string[]): Promise<void>;
  /**
   * Like `removeUnreferenced`, but in the background. Calls `failed` for each failure. The daily cleanup
   * repeats failed deletions.
   */
  removeLater(hashes: readonly string[], failed: (error: unknown) => void): void;
}

/** The part of a transaction that `secure` uses. */
export interface LockingTransaction {
  readonly engine: "sqlite" | "postgres";
  get<Row extends object>(sql: string, ...values: string[]): Promise<Row | undefined>;
  run(sql: string): Promise<number>;
  lock(name: string): Promise<unknown>;
}

/** Locks and checks files. Other servers cannot add uploads of a locked file until its deletion is decided. */
export interface FileLocks {
  lock(name: string): Promise<unknown>;
  isReferenced(sha256: string): Promise<boolean>;
}

export type WithFileLocks = (decide: (locks: FileLocks) => Promise<void>) => Promise<void>;

/**
 * Returns whether the deployment still uses this storage. Until the transaction ends, the files cannot be moved to
 * another storage.
 */
export type IsInUse = (tx: LockingTransaction) => Promise<boolean>;

/**
 * Creates a KeptFiles for a storage. `withFileLocks` locks files against other servers and checks whether uploads refer
 * to them.
 */
export function createKeptFiles(
  files: Files,
  withFileLocks: WithFileLocks,
  isInUse: IsInUse = async () => true,
): KeptFiles {
  const { hold, release, removalsEnd, removeUnreferenced } = createHolds(files, withFileLocks);
  let later = Promise.resolve();
  const removeLater: KeptFiles["removeLater"] = (hashes, failed) => {
    for (let at = 0; at < hashes.length; at += atOnce) {
      const some = hashes.slice(at, at + atOnce);
      later = later.then(() => removeUnreferenced(some)).catch(failed);
    }
  };

  return {
    removeUnreferenced,
    removeLater,
    async secure(tx, received) {
      const hashes = [...new Set(received.map(({ sha256 }) => sha256))].sort();
      if (tx.engine === "sqlite" || hashes.length === 0) return;
      if (!(await isInUse(tx))) throw new FilesUnavailable(new Error(moved));
      for (const sha256 of hashes) await tx.lock(lockOf(sha256));
      const sizes = await withTimeout(Promise.all(hashes.map((sha256) => files.size(sha256))));
      if (sizes.includes(undefined))
        throw new FilesUnavailable(new Error("a file was removed while its report was stored"));
    },
    async keepFor(received, work) {
      const hashes = [...new Set(received.map(({ sha256 }) => sha256))];
      hashes.forEach(hold);
      try {
        await removalsEnd(hashes);
        await Promise.all(received.map((file) => files.keep(file)));
        const result = await work();
        hashes.forEach(release);
        return result;
      } catch (error) {
        hashes.forEach(release);
        // A storage that does not answer could delete a file late, after the same file was sent again.
        if (!isSilence(error)) await soon(removeUnreferenced(hashes).catch(() => undefined));
        throw error;
      }
    },
  };
}

/** Counts how many requests of this server use each file. A file that is in use is not deleted. */
function createHolds(files: Files, withFileLocks: WithFileLocks) {
  const held = new Map<string, number>();
  const removing = new Map<string, Promise<void>>();
  const limited = createLimiter(atOnce);

  const hold = (sha256: string) => {
    held.set(sha256, (held.get(sha256) ?? 0) + 1);
  };
  const release = (sha256: string) => {
    const holders = (held.get(sha256) ?? 1) - 1;
    if (holders === 0) held.delete(sha256);
    else held.set(sha256, holders);
  };
  // Waits until running removals end. Their callers get the errors. No removal begins for a file in `held`.
  const removalsEnd = async (hashes: readonly string[]) => {
    await Promise.allSettled(hashes.map((sha256) => removing.get(sha256)));
  };
  const removeOne = async (sha256: string) => {
    if (held.has(sha256) || removing.has(sha256)) return;
    const removal = withFileLocks(async ({ lock, isReferenced }) => {
      await lock(lockOf(sha256));
      if (!(await isReferenced(sha256))) await files.remove(sha256);
    });
    removing.set(sha256, removal);
    await removal.finally(() => removing.delete(sha256));
  };
  const removeUnreferenced = async (hashes: readonly string[]) => {
    await Promise.all([...new Set(hashes)].map((sha256) => limited(() => removeOne(sha256))));
  };
  return { hold, release, removalsEnd, removeUnreferenced };
}

/** Throws FilesUnavailable after a second. A storage that hangs must not occupy connections to the database. */
async function withTimeout<Sizes>(sizes: Promise<Sizes>): Promise<Sizes> {
  const over = new AbortController();
  const late = sleep(secureTimeoutMs, undefined, { ref: false, signal: over.signal }).then(() => {
    throw new FilesUnavailable(new Error("The storage does not answer"), { isSilence: true });
  });
  return Promise.race([sizes, late]).finally(() => over.abort());
}

const secureTimeoutMs = 1_000;

/** Waits at most half a second, because the database may hang. The daily cleanup deletes the remaining files. */
const soon = (removal: Promise<void>): Promise<void> =>
  Promise.race([removal, sleep(removalWaitMs, undefined, { ref: false })]);

const removalWaitMs = 500;

/** How many files are deleted at the same time. Each deletion occupies a connection to PostgreSQL. */
const atOnce = 4;

/** Creates a function that runs at most `most` tasks at the same time. Other tasks wait. */
function createLimiter(most: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work: () => Promise<void>): Promise<void> => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

const moved =
  "The files were moved to another storage. Restart this server with the INNKEEP_S3_URL of that storage. If the files are in the data folder now, restart it without INNKEEP_S3_URL.";

const isSilence = (error: unknown): boolean => error instanceof FilesUnavailable && error.isSilence;

const lockOf = (sha256: string): string => `file:${sha256}`;
