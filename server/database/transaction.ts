import type { Caller, Exactly, Into, Reader, Sql, Transaction, Value } from "./database.ts";
import type { Added, AnyTable, Row } from "./schema/table.ts";

/** A part of a shared transaction, such as one request. The part succeeds or fails as a whole. */
export interface Unit {
  /** Whether this part of a transaction is only one statement, which needs no transaction if it runs alone. */
  readonly single: boolean;
  run(statements: Statements): Promise<void>;
  /** Informs the callers that the changes are durable. */
  succeed(): void;
  /** Informs the callers that all changes were undone. Has no effect on callers that already have a result. */
  fail(error: unknown): void;
  /** Returns the smaller units to run one by one after a failure. Empty if the unit cannot be divided. */
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
 * Creates a unit that adds rows with the same columns in one statement. With the driver `sqlite3`, this is
 * faster.
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

/** Matches half of a UTF-16 pair, escaped by JSON.stringify. SQLite would store the half as malformed UTF-8. */
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
 * Runs `work`, one statement at a time. A failed statement fails the transaction, even if `work` catches the
 * error.
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

/** Counts the running calls to a database. `close` refuses new calls and waits for the running ones. */
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

/** Returns the statement that adds one row, with its values. */
export function insertStatement(table: Into<object> | string, row: object): { sql: string; values: Value[] } {
  const { name, columns, values } = addedRow(table, row);
  return { sql: insertSql(name, columns), values };
}

interface AddedRow {
  readonly name: string;
  readonly columns: readonly string[];
  readonly values: Value[];
}

/** Returns the columns of a new row with their values. Fields that are undefined are not included. */
export function addedRow(table: Into<object> | string, row: object): AddedRow {
  if (typeof table === "string")
    return { name: table, columns: Object.keys(row), values: Object.values(row) };
  const columns: string[] = [];
  const values: Value[] = [];
  for (const [field, value] of Object.entries(row)) {
    const column = table.fields.get(field);
    if (column === undefined || value === undefined) continue;
    columns.push(column);
    values.push(value);
  }
  return { name: table.name, columns, values };
}

/** Returns the column of a table that has this field. Throws an error if the table has no such column. */
export function columnOf({ name, fields }: Pick<AnyTable, "name" | "fields">, field: string): string {
  const column = fields.get(field);
  if (column === undefined) throw new Error(`The table ${name} has no column for "${field}".`);
  return column;
}

/** Returns a list of columns for a SELECT or RETURNING clause. Each column gets its TypeScript name. */
export const listed = <Of extends AnyTable>(
  table: Of,
  fields: readonly (keyof Row<Of> & string)[],
  alias?: string,
): string =>
  fields
    .map((field) => {
      const column = columnOf(table, field);
      const named = alias === undefined ? column : `${alias}.${column}`;
      return field === column ? named : `${named} AS "${field}"`;
    })
    .join(", ");

/** Returns the SELECT statement that reads these fields of a table. `rest` comes after the FROM clause. */
export const select = <Of extends AnyTable, Field extends keyof Row<Of> & string>(
  table: Of,
  fields: readonly Field[],
  rest = "",
): Sql<Pick<Row<Of>, Field>> => `SELECT ${listed(table, fields)} FROM ${table.name} ${rest}`;

/** Creates a function that returns the SQL for a list of columns. It calls `make` only once for each list. */
function textsBy(make: (columns: readonly string[]) => string): (columns: readonly string[]) => string {
  const texts = new Map<string, string>();
  return (columns) => {
    const name = columns.join();
    const sql = texts.get(name) ?? make(columns);
    texts.set(name, sql);
    return sql;
  };
}

/**
 * Creates a function that changes rows and returns their number. `rest` contains the WHERE clause. Undefined
 * fields stay unchanged.
 */
export function update<Of extends AnyTable>(table: Of, rest: string) {
  const textFor = textsBy(
    (columns) => `UPDATE ${table.name} SET ${columns.map((column) => `${column} = ?`).join(", ")} ${rest}`,
  );
  return async <Given extends Changed<Of> & object>(
    tx: Transaction,
    set: Given & Exactly<Row<Of>, Given>,
    ...values: Value[]
  ): Promise<number> => {
    const { columns, values: given } = addedRow(table, set);
    return columns.length === 0 ? 0 : tx.run(textFor(columns), ...given, ...values);
  };
}

type Changed<Of> = { readonly [Field in keyof Row<Of>]?: Row<Of>[Field] | undefined };

/**
 * Creates a function that adds a row, and returns whether a row was added or changed. `rest` follows the
 * values.
 */
export function insert<Of extends AnyTable>(table: Of, rest: string) {
  const textFor = textsBy((columns) => `${single(table.name, columns)} ${rest}`);
  return async <Given extends Added<Of> & object>(
    tx: Transaction,
    row: Given & Exactly<Added<Of>, Given>,
  ): Promise<boolean> => {
    const { columns, values } = addedRow(table, row);
    return (await tx.run(textFor(columns), ...values)) > 0;
  };
}

/** Returns the statement that adds one row. Its values are in the order of `columns`. */
function insertSql(table: string, columns: readonly string[]): string {
  return textFor(single, table, columns);
}

/** Returns SQLite's statement that adds rows from JSON. Each row is an array in the order of `columns`. */
export function bulkInsertSql(table: string, columns: readonly string[]): string {
  return textFor(bulk, table, columns);
}

const single = (table: string, columns: readonly string[]) =>
  `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;

// This statement uses `jsonb_each`. With `json_each`, SQLite would write each row as text and parse it again
// for each column.
const bulk = (table: string, columns: readonly string[]) =>
  `INSERT INTO ${table} (${columns.join(", ")})
   SELECT ${columns.map((_, index) => `value ->> ${index}`).join(", ")} FROM jsonb_each(?)`;

type Shape = (table: string, columns: readonly string[]) => string;

const texts = new Map<Shape, Map<string, string>>([
  [single, new Map()],
  [bulk, new Map()],
]);

function textFor(shape: Shape, table: string, columns: readonly string[]): string {
  const name = `${table}(${columns.join()})`;
  const known = texts.get(shape)?.get(name);
  if (known !== undefined) return known;
  for (const word of [table, ...columns]) assertIdentifier(word);
  const sql = shape(table, columns);
  texts.get(shape)?.set(name, sql);
  return sql;
}

function assertIdentifier(word: string): void {
  if (!/^[a-z][a-z0-9_]*$/.test(word)) throw new Error(`"${word}" is not the name of a table or a column.`);
}

const mark = "/* planned each time */ ";

/** Marks a statement whose best plan depends on its values. PostgreSQL plans the statement each time. */
export const plannedEachTime = (sql: string): string => mark + sql;

/** Whether `plannedEachTime` created this statement. */
export const isPlannedEachTime = (sql: string): boolean => sql.startsWith(mark);

/** Rejects if the database does not answer. */
export async function ping(reader: Reader): Promise<void> {
  await reader.get("SELECT 1 AS one");
}

/** The topic for "anything may have changed". */
export const everyTopic = "*";

/**
 * Signalled when any credential or any membership may have changed, for example because an app or an account was
 * deleted.
 */
export const credentialsTopic = "credentials";

/** Signalled when the tokens, devices or slots of a person have changed. */
export const userTopic = (userId: string): string => `user:${userId}`;

/** Signalled when the members or the settings of an app have changed, for example its name. */
export const accessTopic = (appId: string): string => `access:${appId}`;

/**
 * Signalled when console sessions were ended. The connections that receive events in these sessions must then be
 * closed.
 */
export const sessionsTopic = "sessions";

/** Signalled when tokens were revoked. Waiting requests with these tokens must then end. */
export const tokensTopic = "tokens";

/** Signalled when the keys, the FAQ, the release notes or the blocked senders of an app have changed. */
export const appTopic = (appId: string): string => `app:${appId}`;

/** Signalled when the tags or the shared views of an app have changed. */
export const listsTopic = (appId: string): string => `lists:${appId}`;

/** Signalled when something that pages show of a thread has changed. */
export const threadTopic = (feedbackId: string): string => `thread:${feedbackId}`;

/** Signalled when a member begins to write an answer in a thread, or stops. */
export const answeringTopic = (feedbackId: string): string => `answering:${feedbackId}`;

/** Signalled when a proposal was decided or replaced. */
export const proposalTopic = (proposalId: string): string => `run:${proposalId}`;

/**
 * The beginning of the topics that pass a decided proposal to waiting agents. The id of the proposal follows.
 */
export const decidedTopics = "decided:";

/** Signalled when threads and their proposals were deleted. */
export const threadsTopic = "threads";

/** Signalled when the outbox has a new delivery. */
export const outboxTopic = "outbox";

/** Signalled when an event of an app was stored. */
export const eventsTopic = (appId: string): string => `events:${appId}`;

/** Signalled when events wait to be delivered to webhooks. */
export const webhooksTopic = "webhooks";

/** Signalled when a webhook was switched off or deleted. Its waiting deliveries must then be cancelled. */
export const webhooksOffTopic = "webhooks off";

/** Signalled when causes of notices, notices, or the choices of members about notices have changed. */
export const noticesTopic = "notices";

/** Signalled when notices wait to be sent to browsers. */
export const pushesTopic = "pushes";

/** Signalled when an erasure of a person was requested. */
export const erasuresTopic = "erasures";

/** Signalled when a mail is waiting to be sent. */
export const mailTopic = "mail";

/** Signalled when cycles or slot requests have changed. The next due change may then be earlier than before. */
export const cyclesTopic = "cycles";

/** Whether a signal with this topic means that the next due change may be earlier than before. */
export const concernsCycles = (topic: string): boolean => topic === cyclesTopic || topic === everyTopic;

/** Signalled when any slot may have changed. */
export const slotsTopic = "seats";

/** Signalled when a day of a slot was counted. */
export const slotTopic = (slotId: string): string => `seat:${slotId}`;

/** Signalled when a cycle or one of its slots has changed. */
export const cycleTopic = (cycleId: string): string => `cycle:${cycleId}`;

/** Signalled when a listing has changed. */
export const listingTopic = (listingId: string): string => `listing:${listingId}`;

/** The topics whose signals mean that any slot may have changed. */
export const topicsOfAllSlots: readonly string[] = [slotsTopic, credentialsTopic];

/** The topics of signals after which any thread, or the people who may see a thread, may have changed. */
export const topicsOfAllThreads: readonly string[] = [threadsTopic, credentialsTopic];

/** Signalled when a person has approved or refused the sign-in of a device. */
export const deviceTopic = (deviceId: string): string => `device:${deviceId}`;

export interface Signals {
  subscribe(listener: (topic: string) => void): () => void;
  /** Calls every listener with every topic. An error of a listener is thrown later, after the other listeners. */
  emit(topics: Iterable<string>): void;
}

/** Creates the signals of one process. */
export function createSignals(): Signals {
  const listeners = new Set<{ hear(topic: string): void }>();

  function tell(listener: { hear(topic: string): void }, topic: string): void {
    try {
      listener.hear(topic);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  return {
    subscribe(hear) {
      const listener = { hear };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit(topics) {
      for (const topic of topics) for (const listener of listeners) tell(listener, topic);
    },
  };
}
