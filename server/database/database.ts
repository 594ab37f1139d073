/**
 * A value that both engines can store in a column. Booleans are 0 and 1. JSON and times (ISO 8601 in UTC with
 * milliseconds) are text.
 */
export type Value = string | number | null;

/** The database engine. The API behaves the same on both engines. (rule O2) */
export type Engine = "sqlite" | "postgres";

/**
 * The text of an SQL statement. The property `rows` exists only for the compiler. It has the type of the returned
 * rows if the statement was created from a table description.
 */
export type Sql<Row = object> = string & { readonly rows?: Row };

export interface Reader {
  readonly engine: Engine;
  /** Returns the first row, or undefined if there is none. Placeholders are `?` on both engines. */
  get<Row extends object>(sql: Sql<Row>, ...values: Value[]): Promise<Row | undefined>;
  all<Row extends object>(sql: Sql<Row>, ...values: Value[]): Promise<Row[]>;
}

/**
 * A table to which rows can be added. `fields` has the name of the column for each TypeScript name. The property
 * `added` exists only for the compiler.
 */
export interface Into<Added extends object> {
  readonly name: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly added?: Added;
}

export interface Inserter {
  /**
   * Adds one row. Fields that are undefined are not set. If `table` is a name, the keys of `row` are the
   * columns. Write the fields of the row as an object literal. For any other object, the compiler does not
   * report additional properties.
   */
  insert<Added extends object = Readonly<Record<string, Value>>, Given extends Added = Added>(
    table: Into<Added> | string,
    row: Given & Exactly<Added, Given>,
  ): Promise<void>;
}

/** A type with which the compiler refuses fields of a row that the table does not have. */
export type Exactly<Allowed, Given> = { readonly [Name in Exclude<keyof Given, keyof Allowed>]: never };

/**
 * Either all statements of a transaction are committed, or none of them. This object cannot be used after the
 * function `work` has returned.
 */
export interface Transaction extends Reader, Inserter {
  /** Runs a statement and returns the number of rows that the statement changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /**
   * Locks a name until the transaction ends. Waits for other transactions that have locked the same name. Returns
   * whether rows that this transaction has already read may have changed. Does nothing on SQLite, which has one writer.
   */
  lock(name: string): Promise<boolean>;
  /**
   * Signals `topic` to every server of this database after this transaction has been committed. Listeners in this
   * process are called before the promise of `write` resolves.
   */
  signal(topic: string): void;
}

/** The result of reading one item, or the error. */
export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown };

/** Resolves or rejects the promise of one caller. */
export interface Caller<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * How long a transaction may take. `request` means that the database ends the transaction when no client can be
 * waiting for the answer any more. `long` means that there is no limit.
 */
export type Pace = "request" | "long";

/**
 * The only way to use a database. Reads never wait for writes. An insert or a write is durable when its promise
 * resolves. On SQLite, waiting writes are committed together. On PostgreSQL, each write is committed separately.
 */
export interface Database extends Reader, Inserter {
  /**
   * Runs `work` in a transaction. `work` may await only the methods of `tx`, because on SQLite all other writes wait
   * for this transaction. If `work` throws an error, all its changes are undone. If the transaction must be repeated,
   * `work` is called several times; only the last call counts.
   */
  write<Result>(work: (tx: Transaction) => Promise<Result>, pace?: Pace): Promise<Result>;
  /**
   * Calls `use` with a reader that always sees the state of the database at one instant, although other transactions
   * continue to write. `use` may await anything. But while it runs, SQLite cannot empty its write-ahead log, and
   * PostgreSQL cannot remove deleted rows.
   */
  snapshot<Result>(use: (reader: Reader) => Promise<Result>): Promise<Result>;
  /**
   * Calls `listener` with each signalled topic of this and other processes, and with "*" if signals may have been lost.
   * Returns a function that removes the listener.
   */
  onSignal(listener: (topic: string) => void): () => void;
  /**
   * Calls `listener` when another process has changed the database. Works only on SQLite; on PostgreSQL use `onSignal`.
   */
  onForeignChange(listener: () => void): () => void;
  /**
   * Whether this process sees each change before it answers a request. Only such a process may cache data in memory.
   * False on PostgreSQL.
   */
  readonly caches: boolean;
  /**
   * Copies SQLite's write-ahead log (WAL) into the database file and empties the log, so that no earlier version of a
   * page remains on the disk. Returns false if another connection is using the log. Does nothing on PostgreSQL, or if
   * another program copies the log.
   */
  emptyLog(): Promise<boolean>;
  /**
   * Returns the length of SQLite's write-ahead log on the disk, in bytes. This method does not exist on
   * PostgreSQL.
   */
  readonly logBytes?: () => Promise<number>;
  close(): Promise<void>;
}
