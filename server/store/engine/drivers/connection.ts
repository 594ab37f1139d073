import type { Value } from "../database.ts";

/** What runs single statements. */
export interface StatementRunner {
  get<Row extends object>(sql: string, values: readonly Value[]): Promise<Row | undefined>;
  all<Row extends object>(sql: string, values: readonly Value[]): Promise<Row[]>;
  /** Runs one statement. Gives the number of rows that an INSERT, UPDATE or DELETE changed; of others it means nothing. */
  run(sql: string, values: readonly Value[]): Promise<number>;
}

/** One connection to a SQLite file, as every driver offers it. Whoever holds it makes one call at a time. */
export interface Connection extends StatementRunner {
  /** Runs statements that take no values and give no rows. */
  exec(sql: string): Promise<void>;
  close(): Promise<void>;
}

export interface SqliteDriver {
  /** How long one call may wait inside SQLite for a lock, in milliseconds: short where a call blocks the event loop. */
  readonly lockWaitMs: number;
  /** How many readers are of use. */
  readonly readers: number;
  open(file: string, options: { readOnly: boolean }): Promise<Connection>;
}
