import { sqliteDriver } from "../../../server/database/open.ts";
import type { Connection, SqliteDriver } from "../../../server/database/sqlite.ts";

export interface FailingDriver {
  readonly driver: SqliteDriver;
  /** From now on the `nth` call on the writing connection (from 1), and `more` after it, fail with an I/O error. */
  failAt(nth: number, more?: number): void;
  /** Whether a call has failed since then. */
  hasFailed(): boolean;
}

/** The usual driver of this Node.js, whose writing connection fails on demand before the statement is run. */
export async function failingDriver(): Promise<FailingDriver> {
  const real = await sqliteDriver();
  let calls = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = first;
  let failed = false;

  async function pass(): Promise<void> {
    calls++;
    if (calls < first || calls > last) return;
    failed = true;
    throw Object.assign(new Error("SQLITE_IOERR: disk I/O error"), { code: "SQLITE_IOERR", errno: 10 });
  }

  const failing = (connection: Connection): Connection => ({
    get: (sql, values) => pass().then(() => connection.get(sql, values)),
    all: (sql, values) => pass().then(() => connection.all(sql, values)),
    run: (sql, values) => pass().then(() => connection.run(sql, values)),
    exec: (sql) => pass().then(() => connection.exec(sql)),
    close: () => connection.close(),
  });

  return {
    driver: {
      ...real,
      open: async (file, how) => (how.readOnly ? real.open(file, how) : failing(await real.open(file, how))),
    },
    failAt(nth, more = 0) {
      calls = 0;
      failed = false;
      first = nth;
      last = nth + more;
    },
    hasFailed: () => failed,
  };
}
