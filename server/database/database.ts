/** A value of a column. Booleans are 0 and 1. JSON and times (ISO 8601, UTC) are text. */
export type Value = string | number | null;

/** The database engine. The API behaves the same on both engines. (rule O2) */
export type Engine = "sqlite" | "postgres";

/** The text of an SQL statement. `rows` exists only for the compiler: it has the type of the returned rows. */
export type Sql<Row = object> = string & { readonly rows?: Row };

export interface Reader {
  readonly engine: Engine;
  /** Returns the first row, or undefined if there is none. Placeholders are `?` on both engines. */
  get<Row extends object>(sql: Sql<Row>, ...values: Value[]): Promise<Row | undefined>;
  all<Row extends object>(sql: Sql<Row>, ...values: Value[]): Promise<Row[]>;
}

/**
 * A table that rows can be added to. `fields` maps TypeScript names to columns. `added` exists only for the compiler.
 */
export interface Into<Added extends object> {
  readonly name: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly added?: Added;
}

export interface Inserter {
  /**
   * Adds one row, without its undefined fields. Write `row` as an object literal, so that the compiler checks
   * it.
   */
  insert<Added extends object = Readonly<Record<string, Value>>, Given extends Added = Added>(
    table: Into<Added> | string,
    row: Given & Exactly<Added, Given>,
  ): Promise<void>;
}

/** A type with which the compiler refuses fields of a row that the table does not have. */
export type Exactly<Allowed, Given> = { readonly [Name in Exclude<keyof Given, keyof Allowed>]: never };

/** All statements of a transaction are committed, or none. Do not use this object after `work` has returned. */
export interface Transaction extends Reader, Inserter {
  /** Runs a statement and returns the number of rows that the statement changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /**
   * Locks `name` until the transaction ends. Returns whether rows that were read earlier may have changed. Does
   * nothing on SQLite.
   */
  lock(name: string): Promise<boolean>;
  /** Signals `topic` to all servers after the commit. Listeners in this process are called before `write` resolves. */
  signal(topic: string): void;
}

/** The result of reading one item, or the error. */
export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown };

/** Resolves or rejects the promise of one caller. */
export interface Caller<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** On PostgreSQL, a `request` transaction has a time limit. A `long` transaction has no time limit. */
export type Pace = "request" | "long";

/**
 * The only way to use a database. Reads never wait for writes. A change is durable when the promise resolves.
 */
export interface Database extends Reader, Inserter {
  /** Runs `work` in a transaction. `work` may run several times, and may await only methods of `tx`. */
  write<Result>(work: (tx: Transaction) => Promise<Result>, pace?: Pace): Promise<Result>;
  /** Calls `use` with a reader that sees the database at one instant. `use` may await anything. */
  snapshot<Result>(use: (reader: Reader) => Promise<Result>): Promise<Result>;
  /**
   * Calls `listener` with each signalled topic, and with "*" if signals may be lost. Returns a function that removes
   * `listener`.
   */
  onSignal(listener: (topic: string) => void): () => void;
  /**
   * Calls `listener` when another process has changed the database. Works only on SQLite; on PostgreSQL use `onSignal`.
   */
  onForeignChange(listener: () => void): () => void;
  /**
   * Whether this process may cache data, because it sees each change before it answers a request. False on
   * PostgreSQL.
   */
  readonly caches: boolean;
  /**
   * Empties SQLite's write-ahead log, which contains old versions of pages. Returns false if another connection
   * uses the log.
   */
  emptyLog(): Promise<boolean>;
  /**
   * Returns the length of SQLite's write-ahead log on the disk, in bytes. This method does not exist on
   * PostgreSQL.
   */
  readonly logBytes?: () => Promise<number>;
  close(): Promise<void>;
}
