import { createClosingGate } from "../closing-gate.ts";
import type { Database, Reader } from "../database.ts";
import { createSignals } from "../engine-signals.ts";
import type { BesideConnection, Connection, SqliteDriver } from "./connection.ts";
import { dataVersion, watchForeignChanges } from "./foreign-changes.ts";
import { createReaders } from "./readers.ts";
import { whenFree } from "./when-free.ts";
import { checkpointPages, createWriteLog } from "./write-log.ts";
import { createWriter } from "./writer.ts";

interface SqliteOptions {
  /** Whether another program copies the log and writes it back: then SQLite never does so by itself. */
  readonly isCopied: boolean;
}

/** Opens a SQLite file with one writing connection and one or more reading connections. */
export async function openSqlite(
  driver: SqliteDriver,
  file: string,
  { isCopied }: SqliteOptions,
): Promise<Database> {
  const writing = await connect(driver, file, false);
  if (isCopied) await writing.exec("PRAGMA wal_autocheckpoint = 0");
  const reading: Connection[] = [];
  for (let n = 0; n < driver.readers; n++) reading.push(await connect(driver, file, true));

  const signals = createSignals();
  const writer = createWriter(writing, signals);
  const readers = createReaders(reading);
  const foreignChanges = watchForeignChanges(writer, await dataVersion(writing));
  const log = createWriteLog(file, writer, {
    lockWaitMs: driver.lockWaitMs,
    openBeside: () => connectBeside(driver, file),
    isCopied,
  });
  const gate = createClosingGate();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    foreignChanges.stop();
    await gate.close();
    await readers.close();
    // Refreshes the statistics for the next start. A failure does not matter.
    await writer.between((connection) => connection.exec("PRAGMA optimize")).catch(() => {});
    await writer.close();
    await log.close();
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
    remembers: true,
    emptyLog: log.emptyLog,
    log,
    close: () => (closing ??= close()),
  };
}

/** Calls `use` with a connection of its own, in one reading transaction. */
async function readAtOneInstant<Result>(
  open: () => Promise<Connection>,
  use: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  const connection = await open();
  try {
    await connection.exec("BEGIN");
    // A transaction sees the database as it is at its first read.
    await whenFree(() => connection.get("SELECT 1 AS one FROM sqlite_master LIMIT 1", []));
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
    if (!readOnly) await whenFree(() => connection.exec("PRAGMA journal_mode = WAL"));
    await connection.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF");
    // Overwrites deleted content with zeros.
    await connection.exec("PRAGMA secure_delete = ON");
    await connection.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return connection;
}

/** A connection that only writes the log back. */
async function connectBeside(driver: SqliteDriver, file: string): Promise<BesideConnection> {
  const connection = await driver.openBeside(file);
  try {
    // Only a connection that has read the file knows that there is a log.
    await connection.exec(
      `PRAGMA busy_timeout = ${driver.lockWaitMs}; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; SELECT 1 FROM sqlite_master LIMIT 1`,
    );
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
    `SQLite ${version} is too old: Innkeep needs 3.51.3 or newer. Update Node.js to the newest release of its line, or use PostgreSQL.`,
  );
}

/** Whether this version of SQLite has no known fault that can corrupt a database. */
export function isSafeVersion(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return major * 1_000_000 + minor * 1_000 + patch >= 3_051_003;
}
