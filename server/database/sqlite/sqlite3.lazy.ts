import sqlite3 from "sqlite3";
import type { Value } from "../database.ts";
import { type Connection, type SqliteDriver, statementCache } from "./sqlite.ts";

/** The driver for the npm package `sqlite3`, for Node.js without SQLite. Its calls run on a pool of four threads. */
export const sqlite3Driver: SqliteDriver = {
  lockWaitMs: 1000,
  readers: 2,
  open: async (file, { readOnly }) => connect(await openDatabase(file, readOnly)),
};

interface Prepared {
  readonly statement: sqlite3.Statement;
  /** Rejects the waiting call. `sqlite3` reports an error of the preparation only to the callback of `prepare`. */
  reject: (error: Error) => void;
}

function connect(database: sqlite3.Database): Connection {
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
function createStatements(database: sqlite3.Database) {
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
    call: (
      statement: sqlite3.Statement,
      resolve: (result: Result) => void,
      reject: (error: Error) => void,
    ) => void,
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

function openDatabase(file: string, readOnly: boolean): Promise<sqlite3.Database> {
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
