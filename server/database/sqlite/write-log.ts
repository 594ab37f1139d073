import { type FileHandle, open, stat } from "node:fs/promises";
import type { WriteLog } from "../database.ts";
import type { BesideConnection, Connection, WrittenBack } from "./connection.ts";
import type { Writer } from "./writer.ts";

interface ClosableLog extends WriteLog {
  /** Writes the log back and empties it. Returns false if another connection needs the log just now. */
  emptyLog(): Promise<boolean>;
  close(): Promise<void>;
}

/** The log may grow to 16 MiB before SQLite writes it back by itself, so that a page that changes often is written back once. */
export const checkpointPages = 4_000;

/** The same while the server writes the log back beside the writer: SQLite does so itself only if that comes much too late. */
const latePages = 8 * checkpointPages;

/** The writer waits while so many new frames are written back. */
const fewFrames = 100;

/** How many times the log is written back beside a writer that never stops. */
const mostRounds = 8;

interface LogSettings {
  /** How long a call may wait inside SQLite. */
  readonly lockWaitMs: number;
  readonly openBeside: () => Promise<BesideConnection>;
  /** Whether another program copies the log and writes it back. */
  readonly isCopied: boolean;
}

/** Creates the access to the log of `file`. Its calls run one after the other. */
export function createWriteLog(file: string, writer: Writer, settings: LogSettings): ClosableLog {
  const { lockWaitMs, openBeside, isCopied } = settings;
  const beside = createBeside(file, openBeside);
  const inTurn = createQueue();
  let isLate = false;

  async function keepShort() {
    if (!isLate) {
      await writer.between((writing) => writing.exec(`PRAGMA wal_autocheckpoint = ${latePages}`));
      isLate = true;
    }
    let now = await writer.between(lengthOf);
    if (now.log < checkpointPages || now.checkpointed === now.log) return "short";
    for (let round = 0, written = now.checkpointed; round < mostRounds; round++) {
      const row = await beside.writeBack("synced");
      if (row?.busy !== 0 || row.checkpointed <= written) return "held";
      written = row.checkpointed;
      now = await writer.between(lengthOf);
      if (now.log - written < fewFrames) break;
    }
    const last = await writer.between(() => beside.writeBack("unsynced"));
    // The log begins again only if nobody read it at that moment.
    return last?.busy === 0 && last.checkpointed === last.log ? "written" : "partly";
  }

  return {
    keepShort: () => (isCopied ? Promise.resolve("left") : inTurn(keepShort)),
    bytes: () => sizeOf(`${file}-wal`),
    // The program that copies the log reads it all the time, so it cannot be emptied.
    emptyLog: () =>
      isCopied
        ? Promise.resolve(true)
        : inTurn(() => writer.between((writing) => truncate(writing, lockWaitMs))),
    close: () => inTurn(beside.close),
  };
}

/** How long the log is. Call it between two transactions of the writing connection. */
async function lengthOf(writing: Connection): Promise<WrittenBack> {
  const row = await writing.get<WrittenBack>("PRAGMA wal_checkpoint(NOOP)", []);
  if (!row || row.log < 0) throw new Error("SQLite does not say where its log ends.");
  return row;
}

async function truncate(writing: Connection, lockWaitMs: number): Promise<boolean> {
  await writing.exec(`PRAGMA busy_timeout = ${lockWaitMs}`);
  const row = await writing.get<WrittenBack>("PRAGMA wal_checkpoint(TRUNCATE)", []);
  return row?.busy === 0;
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

/** Writes the log back on another thread, while the writer goes on. Its connection is opened when it is first needed. */
function createBeside(file: string, openBeside: () => Promise<BesideConnection>) {
  let opened: Promise<BesideConnection> | undefined;
  let handle: Promise<FileHandle> | undefined;

  async function connection(): Promise<BesideConnection> {
    opened ??= openBeside();
    return opened.catch((error) => {
      opened = undefined;
      throw error;
    });
  }

  /** Nothing depends on how it ends: SQLite can write the log back again. */
  async function closeConnection(): Promise<void> {
    const last = opened;
    opened = undefined;
    await last?.then((connection) => connection.close()).catch(() => undefined);
  }

  const fileHandle = (): Promise<FileHandle> => {
    handle ??= open(file, "r+");
    return handle;
  };

  return {
    /** Writes the log back as far as no open transaction needs it. `synced`: what was written is on the disk, too. */
    async writeBack(how: "synced" | "unsynced"): Promise<WrittenBack | undefined> {
      const row = await (await connection()).writeBack().catch(async (error: unknown) => {
        // The thread may have ended. The next call opens another one.
        await closeConnection();
        throw error;
      });
      // SQLite syncs the file only once the log is written back as a whole. It does so even after this, but then there is little left to do.
      if (how === "synced") await (await fileHandle()).datasync();
      return row;
    },
    /** Call it when SQLite has closed the file: by the rules of POSIX, closing it earlier would release the locks of SQLite. */
    async close(): Promise<void> {
      await closeConnection();
      const last = handle;
      handle = undefined;
      await (await last)?.close();
    },
  };
}

/** Returns a function that does one piece of work after the other. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}

/** So long grows the log of SQLite only if the program that copies it and writes it back has stopped. */
const mostBytes = 64 * 1_048_576;

export const isTooLong = (bytes: number): boolean => bytes > mostBytes;

export const longLog =
  "The log of SQLite is longer than 64 MiB: Litestream does not write it back. Is it running?";
