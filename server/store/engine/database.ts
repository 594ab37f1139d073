/** What both engines can hold in a column. Booleans are 0 and 1, JSON and instants (ISO 8601 UTC with milliseconds) are text. */
export type Value = string | number | null;

export type Engine = "sqlite" | "postgres";

export interface Reader {
  readonly engine: Engine;
  /** The first row, or undefined. Placeholders are `?` on both engines. */
  get<Row extends object>(sql: string, ...values: Value[]): Promise<Row | undefined>;
  all<Row extends object>(sql: string, ...values: Value[]): Promise<Row[]>;
}

export interface Inserter {
  /** One new row; columns are the keys of `row`. */
  insert(table: string, row: Readonly<Record<string, Value>>): Promise<void>;
}

/** What one request may do to the database: all of it commits, or none. Unusable once its work has returned. */
export interface Transaction extends Reader, Inserter {
  /** Runs a statement and gives the number of rows it changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /** Makes other transactions that lock the same name wait until this one has ended (SQLite has one writer: nothing to do). */
  lock(name: string): Promise<void>;
  /** Tells every server of this database about `topic` once this transaction has committed; this process hears it before the write resolves. */
  signal(topic: string): void;
}

/** How long a work may take: `request` ends it when nobody waits for the answer any more, `long` lets it take its time. */
export type Pace = "request" | "long";

/**
 * The one door to a database. Reads never wait for the writer. An insert or a write is durable when its promise
 * resolves: on SQLite the waiting ones share a commit; on PostgreSQL each has its own transaction.
 */
export interface Database extends Reader, Inserter {
  /**
   * `work` may await nothing but `tx`: on SQLite other writers wait for it. If it throws, nothing of it stays. It may be
   * done again, as if for the first time, where a neighbour spoilt the transaction: what the last time gave counts.
   */
  write<Result>(work: (tx: Transaction) => Promise<Result>, pace?: Pace): Promise<Result>;
  /** Calls `listener` with each signalled topic, from this process or another; "*" when some may have been missed. Gives the unsubscriber. */
  onSignal(listener: (topic: string) => void): () => void;
  /** Calls `listener` when another process has changed the database (SQLite only: PostgreSQL readers ask each time). */
  onForeignChange(listener: () => void): () => void;
  close(): Promise<void>;
}
