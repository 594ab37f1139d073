/**
 * A value that both engines can store in a column. Booleans are 0 and 1. JSON and instants (ISO 8601 UTC with
 * milliseconds) are text.
 */
export type Value = string | number | null;

export type Engine = "sqlite" | "postgres";

/** The text of a statement. One that a description of a table made has the type of its rows, for the compiler alone. */
export type Sql<Row = object> = string & { readonly rows?: Row };

export interface Reader {
  readonly engine: Engine;
  /** The first row, or undefined. Placeholders are `?` on both engines. */
  get<Row extends object>(sql: Sql<Row>, ...values: Value[]): Promise<Row | undefined>;
  all<Row extends object>(sql: Sql<Row>, ...values: Value[]): Promise<Row[]>;
}

/** A table to which rows are added, with the columns by their names in TypeScript. `added` is for the compiler alone. */
export interface Into<Added extends object> {
  readonly name: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly added?: Added;
}

export interface Inserter {
  /**
   * Adds one row. What is undefined is left out. If the table is a name, the keys of `row` are the columns. The compiler does not
   * see what a value has beyond its type: of a larger one, name the fields.
   */
  insert<Added extends object = Readonly<Record<string, Value>>, Given extends Added = Added>(
    table: Into<Added> | string,
    row: Given & Exactly<Added, Given>,
  ): Promise<void>;
}

/** Refuses what a row has that the table has not. */
export type Exactly<Allowed, Given> = { readonly [Name in Exclude<keyof Given, keyof Allowed>]: never };

/** The statements of one unit of work: all of them commit, or none. Unusable after the work has returned. */
export interface Transaction extends Reader, Inserter {
  /** Runs a statement and returns the number of rows it changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /**
   * Waits for other transactions that have locked the same name. Returns whether rows that this transaction has read before
   * may have changed since. Does nothing on SQLite, which has one writer.
   */
  lock(name: string): Promise<boolean>;
  /**
   * Signals `topic` to every server of this database after this transaction has committed. Listeners in this process are
   * called before the write resolves.
   */
  signal(topic: string): void;
}

/** What came of one item of a common read. */
export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown };

/** Settles the promise of one caller. */
export interface Caller<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** How long a work may take: `request` ends it when no client can still wait for the answer, `long` sets no limit. */
export type Pace = "request" | "long";

/**
 * The only way to use a database. Reads never wait for the writer. An insert or a write is durable when its promise
 * resolves. On SQLite waiting writes share a commit; on PostgreSQL each has its own.
 */
export interface Database extends Reader, Inserter {
  /**
   * Runs `work` in a transaction. `work` may await nothing but `tx`, because on SQLite other writers wait for it. If it
   * throws, all its changes are undone. `work` may be called several times if the transaction must be repeated; only the
   * last call counts.
   */
  write<Result>(work: (tx: Transaction) => Promise<Result>, pace?: Pace): Promise<Result>;
  /**
   * Calls `use` with a reader that sees the database at one instant, while others go on writing. `use` may await anything,
   * but for as long as it runs, SQLite cannot clear its log, and PostgreSQL keeps what was deleted.
   */
  snapshot<Result>(use: (reader: Reader) => Promise<Result>): Promise<Result>;
  /**
   * Calls `listener` with each signalled topic of this and other processes, and with "*" if signals may have been lost.
   * Returns the function that unsubscribes.
   */
  onSignal(listener: (topic: string) => void): () => void;
  /**
   * Calls `listener` when another process has changed the database. SQLite only: PostgreSQL sends signals between
   * processes.
   */
  onForeignChange(listener: () => void): () => void;
  /** Whether this process hears of each change before it answers a request: then what was read may be kept in memory. False on PostgreSQL. */
  readonly remembers: boolean;
  /**
   * Writes the log of SQLite back into the file and empties it, so that no earlier version of a page is left on disk. False
   * if another connection needs the log just now. Does nothing on PostgreSQL, and while another program copies the log.
   */
  emptyLog(): Promise<boolean>;
  /** Returns the length of the log of SQLite on the disk, in bytes. Undefined on PostgreSQL. */
  readonly logBytes?: () => Promise<number>;
  close(): Promise<void>;
}
