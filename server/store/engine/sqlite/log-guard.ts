import type { Connection } from "../drivers/connection.ts";
import { markOf } from "./log-mark.ts";
import { whenFree } from "./when-free.ts";

/**
 * A reading transaction that stays open. While one reads from the log, nobody can begin it again, and it can be written back only up to
 * where that one reads. While one reads from the file alone, nobody can write the log back.
 */
export interface LogGuard {
  readonly isHeld: boolean;
  /** The length of the log in frames when the transaction began. */
  readonly frames: number;
  /** Opens its connections, so that the writer need not wait for this later. */
  ready(): Promise<void>;
  /** Begins the transaction if there is none. */
  hold(writing: Connection): Promise<void>;
  /**
   * Lets the transaction begin at the end of the log, so that all before it may be written back. There is an open transaction at each
   * moment. Gives the number of frames that are new since.
   */
  move(writing: Connection): Promise<number>;
  /** Ends the transaction for the time of `work`. */
  without<Result>(writing: Connection, work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Creates a guard of the log of `file`, which holds nothing yet. */
export function createLogGuard(file: string, openReader: () => Promise<Connection>): LogGuard {
  let held: Connection | undefined;
  let spare: Connection | undefined;
  /** Opened for the first transaction. */
  let first: Connection | undefined;
  /** At the beginning of the transaction, or later. */
  let at = { run: "", frames: 0 };

  async function take(connection: Connection, writing: Connection): Promise<void> {
    await begin(connection);
    held = connection;
    at = await markOf(writing, file);
  }

  return {
    get isHeld() {
      return held !== undefined;
    },
    get frames() {
      return at.frames;
    },
    async ready() {
      if (!held) first ??= await openReader();
      spare ??= await openReader();
    },
    async hold(writing) {
      if (held) return;
      const connection = first ?? (await openReader());
      first = undefined;
      await take(connection, writing);
    },
    async move(writing) {
      const mark = await markOf(writing, file);
      const known = mark.run === at.run ? at.frames : 0;
      // A transaction at the end of a log that is written back as a whole would read from the file, and no longer keep the log.
      if (!held || mark.frames <= known) return 0;
      const before = held;
      const next = spare ?? (await openReader());
      spare = next;
      await take(next, writing);
      spare = before;
      await before.exec("ROLLBACK");
      return mark.frames - known;
    },
    async without(writing, work) {
      const connection = held ?? (await openReader());
      if (held) await held.exec("ROLLBACK");
      try {
        return await work();
      } finally {
        await take(connection, writing);
      }
    },
    async close() {
      await first?.close();
      await spare?.close();
      await held?.close();
      first = undefined;
      spare = undefined;
      held = undefined;
    },
  };
}

async function begin(connection: Connection): Promise<void> {
  await connection.exec("BEGIN");
  try {
    // A transaction begins with its first read.
    await whenFree(() => connection.get("SELECT 1 AS one FROM sqlite_master LIMIT 1", []));
  } catch (error) {
    await connection.exec("ROLLBACK");
    throw error;
  }
}
