import type { Database, Engine, Reader, Transaction } from "../../../database/database.ts";
import type { Condition } from "../../../database/lists.ts";

export interface ThreadWatch {
  /**
   * Calls `wake` soon after `listen`, and within half a second after a change. Returns a function that stops
   * these calls.
   */
  listen(wake: () => void): () => void;
}

const everyMs = 500;

/**
 * Queries the database twice a second while a request waits. With NOTIFY, transactions on PostgreSQL would wait
 * for each other.
 */
export function createThreadWatch(
  database: Pick<Database, "engine" | "get" | "all">,
  endSnoozes: () => Promise<void>,
): ThreadWatch {
  const wakers = new Set<{ readonly wake: () => void }>();
  let asking = false;
  let seen = "";

  async function ask(): Promise<void> {
    try {
      // The end of a snooze is a change, too.
      await endSnoozes();
      const present = await threadChanges.newest(database, seen);
      if (present !== seen) for (const { wake } of wakers) wake();
      seen = present;
    } catch {
      // A failed query is ignored, because the next query follows soon.
    }
    asking = wakers.size > 0;
    if (asking) askSoon();
  }

  const askSoon = () => setTimeout(ask, everyMs).unref();

  return {
    listen(wake) {
      const waker = { wake };
      wakers.add(waker);
      seen = "";
      if (!asking) askSoon();
      asking = true;
      return () => wakers.delete(waker);
    },
  };
}

/** A position in the sequence of changes: a number on SQLite, a snapshot on PostgreSQL. */
type Mark = string;

/** The result for a text that is not a mark of this database, for example after a restore. */
export const notAMark = Symbol("not a mark");

/** The SQL for the current mark. A client that sends this mark later gets the changes that were made since. */
export const presentMark: Record<Engine, string> = {
  sqlite: "(SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'thread_changes')",
  postgres: "CAST(pg_current_snapshot() AS text)",
};

const nameOfCount = "(SELECT name FROM change_counts LIMIT 1)";

/** Queries for the changes of threads. A client misses no change and gets no change twice. (rule A30) */
export const threadChanges = {
  /** Returns the mark after the last committed change. */
  async present(reader: Reader): Promise<Mark> {
    const { count, mark } = await readPresent(reader);
    return `${count} ${mark}`;
  },

  /**
   * Returns the mark of a client after it has read a list. For an empty list, `mark` is undefined and the
   * result is `before`.
   */
  seenBy: (before: Mark, mark: string | number | undefined): Mark =>
    mark === undefined ? before : `${before.split(" ").at(0)} ${mark}`,

  /** Returns SQL conditions for the changes `c` after the mark `given`, and a function for the next mark. */
  async after(reader: Reader, given: string): Promise<ChangesAfter | typeof notAMark> {
    const present = await readPresent(reader);
    const [count, base = "", until = present.mark, number = "0", seq = "0", ...more] = given.split(" ");
    if (count !== present.count || more.length > 0) return notAMark;
    const read = { base, until, number, seq };
    return reader.engine === "sqlite" ? afterNumber(present, read) : afterSnapshot(present, read);
  },

  /** Returns `seen` if nothing has changed since the mark `seen`. Otherwise returns the current mark. */
  async newest(reader: Reader, seen: Mark): Promise<Mark> {
    const { mark } = await readPresent(reader);
    if (reader.engine === "sqlite" || seen === "") return mark;
    const change = await reader.get(
      `SELECT 1 AS one FROM thread_changes
       WHERE number >= pg_snapshot_xmin(CAST(? AS pg_snapshot))
         AND NOT pg_visible_in_snapshot(number, CAST(? AS pg_snapshot)) LIMIT 1`,
      seen,
      seen,
    );
    return change ? mark : seen;
  },

  /** Starts a new sequence of changes after an import or a restore. Earlier marks are no longer valid. */
  async restart(tx: Transaction): Promise<void> {
    await tx.run("DELETE FROM thread_changes");
    await tx.run("DELETE FROM change_counts");
    await tx.run(`INSERT INTO change_counts (name) VALUES (${randomName[tx.engine]})`);
  },
};

const randomName: Record<Engine, string> = {
  sqlite: "lower(hex(randomblob(6)))",
  postgres: "left(md5(CAST(random() AS text)), 12)",
};

/** The SQL conditions for the changes after a mark, and the function that returns the next mark. */
export interface ChangesAfter {
  readonly conditions: readonly Condition[];
  /**
   * Returns the mark after a page. `last` is the last change of the page if more pages follow; otherwise
   * undefined.
   */
  readonly next: (last: ChangeKey | undefined) => Mark;
}

/** The sort key of a change: changes are sorted by `number`, then by the `seq` of the thread. */
export interface ChangeKey {
  readonly number: string | number;
  readonly seq: number;
}

interface PresentMark {
  readonly count: string;
  readonly mark: string;
}

interface MarkParts {
  readonly base: string;
  readonly until: string;
  readonly number: string;
  readonly seq: string;
}

async function readPresent(reader: Reader): Promise<PresentMark> {
  const row = await reader.get<{ count: string | null; mark: string | number }>(
    `SELECT ${nameOfCount} AS count, ${presentMark[reader.engine]} AS mark`,
  );
  return { count: row?.count ?? "", mark: String(row?.mark ?? 0) };
}

function afterNumber(present: PresentMark, { base }: MarkParts): ChangesAfter | typeof notAMark {
  if (!isNumber(base) || BigInt(base) > BigInt(present.mark)) return notAMark;
  return {
    conditions: [["c.number > ? AND c.number <= ?", Number(base), Number(present.mark)]],
    next: (last) => `${present.count} ${last?.number ?? present.mark}`,
  };
}

function afterSnapshot(present: PresentMark, read: MarkParts): ChangesAfter | typeof notAMark {
  const { base, until, number, seq } = read;
  const fits = [base, until].every((text) => isSnapshot(text, present.mark)) && [number, seq].every(isNumber);
  if (!fits) return notAMark;
  const from = "CAST(? AS pg_snapshot)";
  return {
    conditions: [
      [`c.number >= pg_snapshot_xmin(${from})`, base],
      [`NOT pg_visible_in_snapshot(c.number, ${from})`, base],
      [`pg_visible_in_snapshot(c.number, ${from})`, until],
      ["(c.number, c.feedback_seq) > (CAST(? AS xid8), CAST(? AS bigint))", number, seq],
    ],
    // If more pages follow, the mark contains the snapshots `base` and `until`, and the last change of the
    // page.
    next: (last) => `${present.count} ${last ? `${base} ${until} ${last.number} ${last.seq}` : until}`,
  };
}

const isNumber = (text: string): boolean => /^\d{1,18}$/.test(text);

/** Whether a text is a snapshot that PostgreSQL accepts and that is not newer than the snapshot `present`. */
function isSnapshot(text: string, present: string): boolean {
  const [xmin = "", xmax = "", running] = text.split(":");
  const between = running === "" ? [] : (running?.split(",") ?? [""]);
  if (![xmin, xmax, ...between].every(isNumber) || text.split(":").length !== 3) return false;
  const ids = between.map(BigInt);
  const ascends = ids.every((id, at) => id >= BigInt(xmin) && id < BigInt(xmax) && id > (ids[at - 1] ?? -1n));
  return (
    ascends &&
    BigInt(xmin) > 0n &&
    BigInt(xmin) <= BigInt(xmax) &&
    BigInt(xmax) <= BigInt(present.split(":")[1] ?? "0")
  );
}
