import { stat } from "node:fs/promises";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type sqlite3Package from "sqlite3";
import type { Database as SqliteFile, Statement } from "sqlite3";
import type { Database, Inserter, Reader, Transaction, Value } from "./database.ts";
import { isBusy, TransactionLost } from "./errors.ts";
import {
  type AppendUnit,
  addedRow,
  appendUnit,
  createClosingGate,
  createSignals,
  type Signals,
  type Statements,
  type Unit,
  workUnit,
} from "./transaction.ts";

/** Opens a SQLite file with one writing connection and one or more reading connections. */
export async function openSqlite(
  driver: SqliteDriver,
  file: string,
  {
    isCopied,
  }: {
    /**
     * Whether another program, such as Litestream, writes the write-ahead log into the database file.
     * (rule O24)
     */
    readonly isCopied: boolean;
  },
): Promise<Database> {
  const { writing, reading } = await connectAll(driver, file);
  if (isCopied) await writing.exec("PRAGMA wal_autocheckpoint = 0");

  const signals = createSignals();
  await keepUndoInMemory(writing);
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
    // The log cannot be emptied while another program copies it, because that program reads the log all the time.
    emptyLog: async () => isCopied || emptyLog(writer),
    logBytes: () => logBytes(file),
    close: () => (closing ??= close()),
  };
}

/** Opens a separate connection, and calls `use` with it in one reading transaction. */
async function readAtOneInstant<Result>(
  open: () => Promise<Connection>,
  use: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  const connection = await open();
  try {
    await connection.exec("BEGIN");
    // A transaction sees the database at the time of its first read. This read fixes the time.
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

/**
 * Opens the writing connection and all reading connections. If one of them cannot be opened, closes the others.
 */
async function connectAll(driver: SqliteDriver, file: string) {
  const writing = await connect(driver, file, false);
  const reading: Connection[] = [];
  try {
    for (let n = 0; n < driver.readers; n++) reading.push(await connect(driver, file, true));
    return { writing, reading };
  } catch (error) {
    for (const connection of [...reading, writing]) await connection.close().catch(() => undefined);
    throw error;
  }
}

async function connect(driver: SqliteDriver, file: string, readOnly: boolean): Promise<Connection> {
  const connection = await driver.open(file, { readOnly });
  try {
    await connection.exec(`PRAGMA busy_timeout = ${driver.lockWaitMs}`);
    await assertSafeVersion(connection);
    if (!readOnly) await retryWhileLocked(() => connection.exec("PRAGMA journal_mode = WAL"));
    // With `synchronous = FULL`, a commit is on the disk before it is reported. (rule O1)
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

/**
 * Throws an Error for versions of SQLite before 3.51.3. These versions can corrupt a write-ahead log that two
 * connections use.
 */
async function assertSafeVersion(connection: Connection): Promise<void> {
  const row = await connection.get<{ version: string }>("SELECT sqlite_version() AS version", []);
  const version = row?.version ?? "unknown";
  if (isSafeVersion(version)) return;
  throw new Error(
    `SQLite ${version} is too old: Innkeep needs 3.51.3 or newer. Update Node.js to the newest release of its major version, or use PostgreSQL.`,
  );
}

/** Whether this version of SQLite is free of the known faults that can corrupt a database. */
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
 * Checks regularly whether another process has changed the file. Changes by the connection of `writer` do not
 * count.
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

/** The length of the log in pages (16 MiB) at which SQLite copies it into the database file. */
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
 * If the write-ahead log exceeds this length, the program that writes it into the database file has stopped.
 */
const mostBytes = 64 * 1_048_576;

export const isTooLong = (bytes: number): boolean => bytes > mostBytes;

export const longLog =
  "The log of SQLite is longer than 64 MiB: Litestream does not write it into the database file. Check whether Litestream is running.";

interface Writer extends Inserter, Pick<Database, "write"> {
  /** Calls `use` with the writing connection between two commits. */
  between<Result>(use: (connection: Connection) => Promise<Result>): Promise<Result>;
  /** Waits for all queued work, then closes the connection. */
  close(): Promise<void>;
}

/**
 * Creates the only writer of a SQLite file. All work that is waiting when a transaction begins is committed together.
 */
function createWriter(connection: Connection, signals: Signals): Writer {
  const queue = createQueue(groupCommit(connection));
  const between: Writer["between"] = (use) => queue.between(() => use(connection));
  const write = <Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> =>
    new Promise((resolve, reject) => queue.add(workUnit(work, signals, { resolve, reject })));
  let longOnes = 0;

  /**
   * Runs long work. SQLite uses temporary files meanwhile, because long work may change much of the database.
   */
  async function writeLong<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    longOnes += 1;
    try {
      await between(keepUndoInFiles);
      return await write(work);
    } finally {
      longOnes -= 1;
      // If this fails, for example because the database is closed, SQLite continues to use temporary files.
      if (longOnes === 0) await between(keepUndoInMemory).catch(() => {});
    }
  }

  return {
    write: (work, pace) => (pace === "long" ? writeLong(work) : write(work)),
    insert: (table, row) =>
      new Promise((resolve, reject) => {
        const { name, columns, values } = addedRow(table, row);
        queue.appendTo(name, columns).add(values, { resolve, reject });
      }),
    between,
    async close() {
      await queue.close();
      await connection.close();
    },
  };
}

/**
 * While triggers run, SQLite keeps the old content of pages. With this content in memory, inserts take half the
 * time.
 */
const keepUndoInMemory = (writing: Connection) => writing.exec("PRAGMA temp_store = MEMORY");
const keepUndoInFiles = (writing: Connection) => writing.exec("PRAGMA temp_store = FILE");

const turn = () => new Promise((resolve) => setImmediate(resolve));

interface Queue {
  add(unit: Unit): void;
  /** Returns the waiting unit for new rows with these columns. A unit is a part of the next transaction. */
  appendTo(table: string, columns: readonly string[]): AppendUnit;
  between<Result>(use: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

function createQueue(commit: (units: readonly Unit[]) => Promise<void>): Queue {
  let units: Unit[] = [];
  let pauses: (() => Promise<void>)[] = [];
  let flushing: Promise<void> | undefined;
  let closed = false;
  const appends = createAppends(add);

  function assertOpen(): void {
    if (closed) throw new Error("The database is closed.");
  }

  /** Waits two turns of the event loop before a commit, so that the commit contains more requests. */
  async function flush(): Promise<void> {
    while (units.length + pauses.length > 0) {
      await turn();
      await turn();
      await pause();
      const taken = units;
      units = [];
      appends.clear();
      await commit(taken);
    }
    flushing = undefined;
  }

  async function pause(): Promise<void> {
    const taken = pauses;
    pauses = [];
    for (const use of taken) await use();
  }

  function add(unit: Unit): void {
    assertOpen();
    units.push(unit);
    flushing ??= flush();
  }

  return {
    add,
    appendTo: appends.appendTo,
    between: (use) =>
      new Promise((resolve, reject) => {
        assertOpen();
        pauses.push(() => use().then(resolve, reject));
        flushing ??= flush();
      }),
    async close() {
      closed = true;
      await flushing;
    },
  };
}

/** Creates a store of units that append rows. The rows of one table with the same columns share one unit. */
function createAppends(add: (unit: Unit) => void) {
  const waiting = new Map<string, WaitingRows[]>();

  function newUnit(table: string, columns: readonly string[]): AppendUnit {
    const unit = appendUnit(table, columns);
    add(unit);
    waiting.set(table, [...(waiting.get(table) ?? []), { columns, unit }]);
    return unit;
  }

  return {
    clear: () => waiting.clear(),
    appendTo(table: string, columns: readonly string[]): AppendUnit {
      const known = waiting.get(table)?.find((rows) => areEqual(rows.columns, columns));
      return known?.unit ?? newUnit(table, columns);
    },
  };
}

interface WaitingRows {
  readonly columns: readonly string[];
  readonly unit: AppendUnit;
}

const areEqual = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name, place) => name === others[place]);

/**
 * Commits units together, and tells each unit whether it succeeded. Undoes only the changes of failed units. Never
 * rejects.
 */
function groupCommit(connection: Connection): (units: readonly Unit[]) => Promise<void> {
  /** Whether a failed transaction may still be open. New statements in such a transaction would be undone later. */
  let unsettled = false;
  const statements = statementsOf(connection);
  const runGuarded = guarded(connection, statements);
  const runUnguarded = unguarded(connection);

  async function settle(): Promise<void> {
    if (unsettled) await rollBack(connection);
    unsettled = false;
  }

  async function commitAlone(unit: Unit): Promise<void> {
    try {
      await settle();
      await retryWhileLocked(() => unit.run(statements));
    } catch (error) {
      const parts = unit.parts();
      if (parts.length > 0) return commitShared(parts);
      return unit.fail(error);
    }
    unit.succeed();
  }

  /**
   * Runs units without savepoints, which take time. If a unit fails after a change, all units run again with
   * savepoints.
   */
  async function commitShared(units: readonly Unit[], runAll = runUnguarded): Promise<void> {
    const queue = [...units];
    let reports: readonly ReportResult[];
    try {
      await settle();
      await retryWhileLocked(() => connection.exec("BEGIN IMMEDIATE"));
      reports = await runAll(queue);
      await connection.exec("COMMIT");
    } catch (error) {
      unsettled = true;
      await settle().catch(() => {});
      const halfWay = error instanceof FailedHalfWay;
      if (halfWay && areMany(units)) return commitShared(units, runGuarded);
      for (const unit of queue) unit.fail(halfWay ? error.cause : error);
      return;
    }
    for (const report of reports) report();
  }

  return async (units) => {
    const [first, second] = units;
    if (first === undefined) return;
    if (second === undefined && first.single) await commitAlone(first);
    else await commitShared(units);
  };
}

const areMany = (units: readonly Unit[]): boolean =>
  units.length > 1 || units.some((unit) => unit.parts().length > 0);

async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.exec("ROLLBACK");
  } catch (error) {
    const undoneAlready = error instanceof Error && error.message.includes("no transaction is active");
    if (!undoneAlready) throw error;
  }
}

/** Runs the units of an open transaction. Returns functions that report the results after the commit. */
type RunAll = (queue: Unit[]) => Promise<readonly ReportResult[]>;

type ReportResult = () => void;

/** The error for a unit that failed without a savepoint. The whole transaction must be undone. */
class FailedHalfWay extends Error {}

/**
 * Runs units without savepoints. Throws `FailedHalfWay` if a unit fails after a change, or if a failed unit has
 * parts.
 */
function unguarded(connection: Connection): RunAll {
  const { runner, reset, mayHaveChanged } = trackChanges(connection);
  const statements = statementsOf(runner);
  return async (queue) => {
    const reports: ReportResult[] = [];
    for (const unit of queue) {
      reset();
      try {
        await unit.run(statements);
        reports.push(() => unit.succeed());
      } catch (error) {
        const whole = unit.parts().length === 0;
        if (!whole || mayHaveChanged())
          throw new FailedHalfWay("A unit has failed after a change.", { cause: error });
        reports.push(() => unit.fail(error));
      }
    }
    return reports;
  };
}

/** Sets a savepoint before each unit. Adds the parts of a failed unit to the queue. */
function guarded(connection: Connection, statements: Statements): RunAll {
  return async (queue) => {
    const reports: ReportResult[] = [];
    await connection.exec("SAVEPOINT unit");
    for (const unit of queue) {
      const failure = await failureOf(unit, statements);
      if (failure === undefined) {
        reports.push(() => unit.succeed());
        await connection.exec("RELEASE unit; SAVEPOINT unit");
        continue;
      }
      await undo(connection, failure);
      const parts = unit.parts();
      if (parts.length === 0) reports.push(() => unit.fail(failure.cause));
      queue.push(...parts);
    }
    return reports;
  };
}

/** Runs a unit. Returns the error if the unit failed; undefined if it succeeded. */
async function failureOf(unit: Unit, statements: Statements): Promise<{ cause: unknown } | undefined> {
  try {
    await unit.run(statements);
    return undefined;
  } catch (cause) {
    return { cause };
  }
}

async function undo(connection: Connection, { cause }: { cause: unknown }): Promise<void> {
  try {
    await connection.exec("ROLLBACK TO unit");
  } catch {
    throw new TransactionLost(cause);
  }
}

/**
 * Returns the functions with which units run statements on a SQLite connection. `lock` does nothing, because
 * SQLite has one writer.
 */
function statementsOf(connection: StatementRunner): Statements {
  return {
    engine: "sqlite",
    get: (sql, ...values) => connection.get(sql, values),
    all: (sql, ...values) => connection.all(sql, values),
    run: (sql, ...values) => connection.run(sql, values),
    lock: async () => false,
  };
}

/** Runs statements one at a time, and records whether they may have changed the data of the open transaction. */
interface ChangeTracker {
  readonly runner: StatementRunner;
  /** Resets the record, so that earlier statements no longer count. */
  reset(): void;
  /** Whether rows may have changed since the last reset. True after a failed statement. */
  mayHaveChanged(): boolean;
}

function trackChanges(connection: Connection): ChangeTracker {
  let mayHaveChanged = false;

  async function note<Result>(statement: () => Promise<Result>, changed: (result: Result) => boolean) {
    const before = mayHaveChanged;
    // If the statement fails, `mayHaveChanged` stays true.
    mayHaveChanged = true;
    const result = await statement();
    mayHaveChanged = before || changed(result);
    return result;
  }

  return {
    runner: {
      get: (sql, values) =>
        note(
          () => connection.get(sql, values),
          () => !isRead(sql),
        ),
      all: (sql, values) =>
        note(
          () => connection.all(sql, values),
          () => !isRead(sql),
        ),
      run: (sql, values) =>
        note(
          () => connection.run(sql, values),
          (rows) => rows > 0 || !isCounted(sql),
        ),
    },
    reset() {
      mayHaveChanged = false;
    },
    mayHaveChanged: () => mayHaveChanged,
  };
}

/** Whether a statement only reads. Statements other than SELECT may change rows, even if they also return rows. */
const isRead = (sql: string): boolean => /^\s*SELECT\b/i.test(sql);

/** Whether SQLite's number of changed rows has a meaning for this statement. */
const isCounted = (sql: string): boolean => /^\s*(INSERT|UPDATE|DELETE)\b/i.test(sql);

const patienceMs = 5_000;

/** Repeats an action for up to five seconds while another process has locked the file. */
async function retryWhileLocked<Result>(action: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    await sleep(5);
  }
}

/** Runs statements one after another. */
interface StatementRunner {
  get<Row extends object>(sql: string, values: readonly Value[]): Promise<Row | undefined>;
  all<Row extends object>(sql: string, values: readonly Value[]): Promise<Row[]>;
  /**
   * Runs one statement. Returns the number of changed rows for INSERT, UPDATE and DELETE; other numbers have no
   * meaning.
   */
  run(sql: string, values: readonly Value[]): Promise<number>;
}

/** One connection to a SQLite file. The caller must wait for the end of each call before the next call. */
export interface Connection extends StatementRunner {
  /** Runs statements that have no values and return no rows. */
  exec(sql: string): Promise<void>;
  close(): Promise<void>;
}

export interface SqliteDriver {
  /** How long one call may wait for a lock. The time is short if calls block the event loop. */
  readonly lockWaitMs: number;
  /** How many reading connections to open. */
  readonly readers: number;
  open(file: string, options: { readOnly: boolean }): Promise<Connection>;
}

const capacity = 500;

interface StatementCache<Statement> {
  get(sql: string): Statement;
  drop(sql: string): void;
  clear(): void;
}

/** Creates a cache of prepared statements by their text. If it has more than 500 statements, it releases the oldest. */
export function statementCache<Statement>(
  prepare: (sql: string) => Statement,
  release: (statement: Statement) => void,
): StatementCache<Statement> {
  const statements = new Map<string, Statement>();

  function drop(sql: string): void {
    const statement = statements.get(sql);
    if (statement === undefined) return;
    statements.delete(sql);
    release(statement);
  }

  function add(sql: string): Statement {
    const [oldest] = statements.keys();
    if (oldest !== undefined && statements.size >= capacity) drop(oldest);
    const statement = prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  return {
    get: (sql) => statements.get(sql) ?? add(sql),
    drop,
    clear: () => [...statements.keys()].forEach(drop),
  };
}

/** Returns the driver for SQLite in Node.js; undefined before Node 22.13. Each call blocks the event loop. */
export function nodeSqliteDriver(): SqliteDriver | undefined {
  const sqlite = withoutWarning(() => process.getBuiltinModule("node:sqlite"));
  if (sqlite === undefined) return undefined;
  return {
    lockWaitMs: 10,
    readers: 1,
    open: async (file, { readOnly }) => connectBuiltIn(new sqlite.DatabaseSync(file, { readOnly })),
  };
}

/** Hides the warning that SQLite is experimental. Node 22 prints it at every start, and operators cannot act on it. */
export function withoutWarning<Result>(load: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function connectBuiltIn(database: DatabaseSync): Connection {
  const statements = statementCache<StatementSync>(
    (sql) => database.prepare(sql),
    () => {},
  );
  return {
    get: async <Row extends object>(sql: string, values: readonly Value[]) =>
      typed<Row | undefined>(statements.get(sql).get(...values)),
    all: async <Row extends object>(sql: string, values: readonly Value[]) =>
      typed<Row[]>(statements.get(sql).all(...values)),
    run: async (sql, values) => Number(statements.get(sql).run(...values).changes),
    exec: async (sql) => database.exec(sql),
    async close() {
      statements.clear();
      database.close();
    },
  };
}

/** Returns rows with the type that the caller expects. A test compares this type with the columns. */
const typed = <Rows>(found: unknown): Rows => found as Rows;

/** The npm package `sqlite3`. Only a server without a usable built-in SQLite loads it. */
type Sqlite3 = typeof sqlite3Package;

/** The driver for the npm package `sqlite3`, for Node.js without SQLite. Its calls run on a pool of four threads. */
export const sqlite3Driver = (sqlite3: Sqlite3): SqliteDriver => ({
  lockWaitMs: 1000,
  readers: 2,
  open: async (file, { readOnly }) => connectPackage(await openFile(sqlite3, file, readOnly)),
});

interface Prepared {
  readonly statement: Statement;
  /** Rejects the waiting call. `sqlite3` reports an error of the preparation only to the callback of `prepare`. */
  reject: (error: Error) => void;
}

function connectPackage(database: SqliteFile): Connection {
  const { use, clear } = createStatements(database);

  // This function reads all rows. `Statement.get` would keep its snapshot of the database, and later reads
  // would return old data.
  const all = <Row extends object>(sql: string, values: readonly Value[]) =>
    use<Row[]>(sql, (statement, resolve, reject) =>
      statement.all<Row>(values, (error, rows) => (error === null ? resolve(rows) : reject(error))),
    );

  const change = (sql: string, values: readonly Value[]) =>
    use<number>(sql, (statement, resolve, reject) =>
      statement.run(values, function (error) {
        if (error === null) resolve(this.changes);
        else reject(error);
      }),
    );

  return {
    all,
    get: async <Row extends object>(sql: string, values: readonly Value[]) =>
      (await all<Row>(sql, values))[0],
    run: async (sql, values) => (givesRows.test(sql) ? (await all(sql, values)).length : change(sql, values)),
    exec: (sql) => settled((done) => database.exec(sql, done)),
    close() {
      clear();
      return settled((done) => database.close(done));
    },
  };
}

/** Prepares statements and calls them. A call rejects if its statement cannot be prepared. */
function createStatements(database: SqliteFile) {
  const statements = statementCache<Prepared>(prepare, ({ statement }) => statement.finalize());

  function prepare(sql: string): Prepared {
    const prepared: Prepared = {
      statement: database.prepare(sql, (error: Error | null) => {
        if (error === null) return;
        statements.drop(sql);
        prepared.reject(error);
      }),
      reject: () => {},
    };
    return prepared;
  }

  function use<Result>(
    sql: string,
    call: (statement: Statement, resolve: (result: Result) => void, reject: (error: Error) => void) => void,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const prepared = statements.get(sql);
      prepared.reject = reject;
      call(prepared.statement, resolve, reject);
    });
  }

  return { use, clear: statements.clear };
}

const givesRows = /\breturning\b/i;

function openFile(sqlite3: Sqlite3, file: string, readOnly: boolean): Promise<SqliteFile> {
  const mode = readOnly ? sqlite3.OPEN_READONLY : sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE;
  return new Promise((resolve, reject) => {
    const database = new sqlite3.Database(file, mode, (error) =>
      error === null ? resolve(database) : reject(error),
    );
  });
}

function settled(start: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error === null ? resolve() : reject(error)));
  });
}
