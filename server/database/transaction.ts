import type { Caller, Reader, Transaction, Value } from "./database.ts";
import type { Signals } from "./signals.ts";
import { bulkInsertSql, insertSql, insertStatement } from "./statements.ts";

/** A part of a shared transaction, such as the work of one request. The part succeeds or fails as a whole. */
export interface Unit {
  /** Whether the unit is only one statement. Such a unit needs no transaction if it runs alone. */
  readonly single: boolean;
  run(statements: Statements): Promise<void>;
  /** Informs the callers that the changes are durable. */
  succeed(): void;
  /** Informs the callers that all changes were undone. Has no effect on callers that already have a result. */
  fail(error: unknown): void;
  /**
   * Returns the smaller units to run one by one after a failure. The list is empty if the unit cannot be
   * divided.
   */
  parts(): Unit[];
}

/** Creates the unit of one call of `Database.write`. */
export function workUnit<Result>(
  work: (tx: Transaction) => Promise<Result>,
  signals: Signals,
  caller: Caller<Result>,
): Unit {
  let succeed = () => {};
  return {
    single: false,
    async run(statements) {
      const { result, topics } = await perform(work, statements);
      succeed = () => {
        signals.emit(topics);
        caller.resolve(result);
      };
    },
    succeed: () => succeed(),
    fail: caller.reject,
    parts: () => [],
  };
}

export interface AppendUnit extends Unit {
  add(values: readonly Value[], caller: Caller<void>): void;
}

/**
 * Creates the unit that adds rows with the same columns to one table. It uses one statement for all rows, because
 * with the driver `sqlite3` this is faster than one statement for each row.
 */
export function appendUnit(table: string, columns: readonly string[]): AppendUnit {
  const rows: WaitingRow[] = [];
  const rowUnits = () => rows.map((row) => rowUnit(insertSql(table, columns), row));
  return {
    single: true,
    add(values, caller) {
      rows.push({ values, caller });
    },
    async run(statements) {
      const [first, second] = rows;
      if (first !== undefined && second === undefined)
        return void (await statements.run(insertSql(table, columns), ...first.values));
      await statements.run(bulkInsertSql(table, columns), jsonOfRows(rows.map(({ values }) => values)));
    },
    succeed() {
      for (const { caller } of rows) caller.resolve();
    },
    fail(error) {
      for (const { caller } of rows) caller.reject(error);
    },
    parts: () => (rows.length > 1 ? rowUnits() : []),
  };
}

interface WaitingRow {
  readonly values: readonly Value[];
  readonly caller: Caller<void>;
}

/**
 * Returns rows as JSON, which a statement reads with `jsonb_each`. Throws an Error if SQLite would store a different
 * text.
 */
function jsonOfRows(rows: readonly (readonly Value[])[]): string {
  const json = JSON.stringify(rows);
  if (lossy.test(json))
    throw new Error(
      "SQLite's JSON functions would change a text in these rows, because it contains a lone surrogate.",
    );
  return json;
}

/**
 * Matches a lone surrogate (half of a UTF-16 pair) as JSON.stringify escapes it. SQLite would store it as bytes that
 * are not valid UTF-8.
 */
const lossy = /\\ud[89a-f]/;

function rowUnit(sql: string, { values, caller }: WaitingRow): Unit {
  return {
    single: true,
    run: async (statements) => void (await statements.run(sql, ...values)),
    succeed: caller.resolve,
    fail: caller.reject,
    parts: () => [],
  };
}

/** The statements that an engine offers inside a transaction. */
export type Statements = Reader & Pick<Transaction, "run" | "lock">;

interface WorkResult<Result> {
  readonly result: Result;
  readonly topics: ReadonlySet<string>;
}

/**
 * Runs `work` with the statements of one transaction. It runs one statement at a time, and refuses statements after
 * `work` has ended. If a statement fails, the whole transaction fails, even if `work` catches the error, because
 * PostgreSQL cannot commit a transaction after an error.
 */
export async function perform<Result>(
  work: (tx: Transaction) => Promise<Result>,
  statements: Statements,
): Promise<WorkResult<Result>> {
  const queue = createStatementQueue();
  const topics = new Set<string>();
  const tx: Transaction = {
    engine: statements.engine,
    get: (sql, ...values) => queue.next(() => statements.get(sql, ...values)),
    all: (sql, ...values) => queue.next(() => statements.all(sql, ...values)),
    run: (sql, ...values) => queue.next(() => statements.run(sql, ...values)),
    lock: (name) => queue.next(() => statements.lock(name)),
    insert(table, row) {
      const { sql, values } = insertStatement(table, row);
      return queue.next(async () => void (await statements.run(sql, ...values)));
    },
    signal(topic) {
      queue.assertOpen();
      topics.add(topic);
    },
  };
  const result = await runToEnd(work, tx, queue);
  queue.assertSound();
  return { result, topics };
}

async function runToEnd<Result>(
  work: (tx: Transaction) => Promise<Result>,
  tx: Transaction,
  queue: StatementQueue,
) {
  try {
    return await work(tx);
  } finally {
    await queue.end();
  }
}

interface StatementQueue {
  next<Result>(statement: () => Promise<Result>): Promise<Result>;
  assertOpen(): void;
  /** Refuses new statements, and waits for statements that `work` did not await. */
  end(): Promise<void>;
  /** Throws the error of the first statement that failed. */
  assertSound(): void;
}

function createStatementQueue(): StatementQueue {
  let ended = false;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;

  const late = () => new Error("This transaction has ended: its work must await every statement.");

  function assertOpen(): void {
    if (ended) throw late();
  }

  function assertSound(): void {
    if (failure !== undefined) throw failure.error;
  }

  const start = <Result>(statement: () => Promise<Result>): Promise<Result> =>
    failure === undefined ? statement() : Promise.reject(failure.error);

  function next<Result>(statement: () => Promise<Result>): Promise<Result> {
    const running = waiting > 0 ? last.then(() => start(statement)) : start(statement);
    waiting++;
    last = running.then(
      () => void waiting--,
      (error: unknown) => {
        waiting--;
        failure ??= { error };
      },
    );
    return running;
  }

  return {
    assertOpen,
    assertSound,
    next: (statement) => (ended ? Promise.reject(late()) : next(statement)),
    async end() {
      ended = true;
      await last;
    },
  };
}

export interface ClosingGate {
  /** Runs a call to the database. Rejects if the gate is closed. */
  pass<Result>(call: () => Promise<Result>): Promise<Result>;
  /** Refuses new calls, and waits for the end of the running calls. */
  close(): Promise<void>;
}

/**
 * Creates a gate that counts the running calls to a database. `close` refuses new calls and waits until the running
 * ones have ended, so that no call is interrupted.
 */
export function createClosingGate(): ClosingGate {
  let closed = false;
  let inside = 0;
  let empty = () => {};

  return {
    async pass(call) {
      if (closed) throw new Error("The database is closed.");
      inside++;
      try {
        return await call();
      } finally {
        inside--;
        if (inside === 0) empty();
      }
    },
    async close() {
      closed = true;
      if (inside > 0)
        await new Promise<void>((resolve) => {
          empty = resolve;
        });
    },
  };
}
