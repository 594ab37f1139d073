import { stat } from "node:fs/promises";
import { createClosingGate } from "../closing-gate.ts";
import type { Database, Reader } from "../database.ts";
import { createSignals } from "../signals.ts";
import type { Connection, SqliteDriver } from "./connection.ts";
import { createWriter, retryWhileLocked, type Writer } from "./writer.ts";

/** Opens a SQLite file with one writing connection and one or more reading connections. */
export async function openSqlite(
  driver: SqliteDriver,
  file: string,
  {
    isCopied,
  }: {
    /**
     * Whether another program, such as Litestream, copies the write-ahead log and writes the log into the database
     * file. Then SQLite itself never writes the log into the file. (rule O24)
     */
    readonly isCopied: boolean;
  },
): Promise<Database> {
  const writing = await connect(driver, file, false);
  if (isCopied) await writing.exec("PRAGMA wal_autocheckpoint = 0");
  const reading: Connection[] = [];
  for (let n = 0; n < driver.readers; n++) reading.push(await connect(driver, file, true));

  const signals = createSignals();
  const writer = createWriter(writing, signals);
  const readers = createReaders(reading);
  const foreignChanges = watchForeignChanges(writer, await dataVersion(writing));
  const gate = createClosingGate();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    foreignChanges.stop();
    await gate.close();
    await readers.close();
    // Updates the statistics for the next start. A failure is ignored.
    await writer.between((connection) => connection.exec("PRAGMA optimize")).catch(() => {});
    await writer.close();
  }

  return {
    engine: "sqlite",
    get: readers.get,
    all: readers.all,
    insert: writer.insert,
    write: writer.write,
    snapshot: (use) => gate.pass(() => readAtOneInstant(() => connect(driver, file, true), use)),
    onSignal: signals.subscribe,
    onForeignChange: foreignChanges.subscribe,
    caches: true,
    // The program that copies the write-ahead log is reading it all the time, so the log cannot be emptied.
    emptyLog: async () => isCopied || emptyLog(writer),
    logBytes: () => logBytes(file),
    close: () => (closing ??= close()),
  };
}

/** Opens a separate connection and calls `use` with it, in one reading transaction. */
async function readAtOneInstant<Result>(
  open: () => Promise<Connection>,
  use: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  const connection = await open();
  try {
    await connection.exec("BEGIN");
    // A transaction sees the state that the database has at its first read. So the first read is done immediately.
    await retryWhileLocked(() => connection.get("SELECT 1 AS one FROM sqlite_master LIMIT 1", []));
    return await use({
      engine: "sqlite",
      get: (sql, ...values) => connection.get(sql, values),
      all: (sql, ...values) => connection.all(sql, values),
    });
  } finally {
    await connection.close();
  }
}

async function connect(driver: SqliteDriver, file: string, readOnly: boolean): Promise<Connection> {
  const connection = await driver.open(file, { readOnly });
  try {
    await connection.exec(`PRAGMA busy_timeout = ${driver.lockWaitMs}`);
    await assertSafeVersion(connection);
    if (!readOnly) await retryWhileLocked(() => connection.exec("PRAGMA journal_mode = WAL"));
    // With this setting, a commit is on the disk before it is reported. (rule O1)
    await connection.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF");
    // With this setting, deleted content is overwritten with zeros. (rule O10)
    await connection.exec("PRAGMA secure_delete = ON");
    await connection.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return connection;
}

/** Older versions of SQLite can corrupt a write-ahead log that two connections use. */
async function assertSafeVersion(connection: Connection): Promise<void> {
  const row = await connection.get<{ version: string }>("SELECT sqlite_version() AS version", []);
  const version = row?.version ?? "unknown";
  if (isSafeVersion(version)) return;
  throw new Error(
    `SQLite ${version} is too old: Innkeep needs 3.51.3 or newer. Update Node.js to the newest release of its major version, or use PostgreSQL.`,
  );
}

/** Whether this version of SQLite has none of the known faults that can corrupt a database. */
export function isSafeVersion(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return major * 1_000_000 + minor * 1_000 + patch >= 3_051_003;
}

interface Readers extends Reader {
  close(): Promise<void>;
}

/** Distributes reads among the reading connections of a SQLite file. Each connection runs one statement at a time. */
function createReaders(connections: readonly Connection[]): Readers {
  const gate = createClosingGate();
  const idle = [...connections];
  const waiting: ((connection: Connection) => void)[] = [];

  function acquire(): Connection | Promise<Connection> {
    return idle.pop() ?? new Promise((resolve) => waiting.push(resolve));
  }

  function release(connection: Connection): void {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else next(connection);
  }

  const read = <Result>(statement: (connection: Connection) => Promise<Result>) =>
    gate.pass(async () => {
      const connection = await acquire();
      try {
        return await retryWhileLocked(() => statement(connection));
      } finally {
        release(connection);
      }
    });

  return {
    engine: "sqlite",
    get: (sql, ...values) => read((connection) => connection.get(sql, values)),
    all: (sql, ...values) => read((connection) => connection.all(sql, values)),
    async close() {
      await gate.close();
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

const everyMs = 50;

interface ForeignChanges {
  subscribe(listener: () => void): () => void;
  stop(): void;
}

/**
 * While there are listeners, asks SQLite every 50 ms whether another process has changed the file since `seen`. It uses
 * the writing connection, because there the changes of this process itself do not count.
 */
function watchForeignChanges(writer: Writer, seen: number): ForeignChanges {
  const listeners = new Set<{ hear(): void }>();
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let last = seen;

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    const version = await writer.between(dataVersion).catch(() => last);
    looking = false;
    if (version === last) return;
    last = version;
    for (const listener of listeners) listener.hear();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    stop,
    subscribe(hear) {
      const listener = { hear };
      listeners.add(listener);
      timer ??= setInterval(look, everyMs).unref();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
  };
}

/** Returns a number that changes only when another connection commits. */
async function dataVersion(connection: Connection): Promise<number> {
  const row = await connection.get<{ data_version: number }>("PRAGMA data_version", []);
  if (row === undefined) throw new Error("SQLite reports no data version.");
  return row.data_version;
}

/**
 * The size in pages up to which the write-ahead log grows before SQLite copies it into the database file. It is 16 MiB,
 * so that a page which changes often is not copied after each change.
 */
const checkpointPages = 4_000;

/**
 * Copies SQLite's write-ahead log into the database file and empties the log. Returns false if another connection needs
 * the log.
 */
const emptyLog = (writer: Writer): Promise<boolean> =>
  writer.between(async (writing) => {
    const row = await writing.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)", []);
    return row?.busy === 0;
  });

/** Returns the length of the write-ahead log of a SQLite file, in bytes. */
const logBytes = (file: string): Promise<number> =>
  stat(`${file}-wal`).then(
    ({ size }) => size,
    () => 0,
  );

/**
 * The write-ahead log becomes longer than this only if the program that writes it into the database file has stopped.
 */
const mostBytes = 64 * 1_048_576;

export const isTooLong = (bytes: number): boolean => bytes > mostBytes;

export const longLog =
  "The log of SQLite is longer than 64 MiB: Litestream does not write it into the database file. Check whether Litestream is running.";
