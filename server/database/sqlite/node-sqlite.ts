import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import type { Value } from "../database.ts";
import {
  type BesideConnection,
  type Connection,
  type SqliteDriver,
  statementCache,
  type WrittenBack,
} from "./connection.ts";

/**
 * The driver for the built-in SQLite of Node.js; undefined before Node 22.13. Each call is synchronous and blocks the
 * event loop.
 */
export function nodeSqliteDriver(): SqliteDriver | undefined {
  const sqlite = withoutWarning(() => process.getBuiltinModule("node:sqlite"));
  if (sqlite === undefined) return undefined;
  return {
    lockWaitMs: 10,
    readers: 1,
    open: async (file, { readOnly }) => connect(new sqlite.DatabaseSync(file, { readOnly })),
    openBeside: async (file) => openOnThread(file),
  };
}

/** Node 22 warns at every start that its SQLite is experimental. Operators cannot act on this warning, so it is hidden. */
export function withoutWarning<Result>(load: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function connect(database: DatabaseSync): Connection {
  const statements = statementCache<StatementSync>(
    (sql) => database.prepare(sql),
    () => {},
  );
  return {
    get: async <Row extends object>(sql: string, values: readonly Value[]) =>
      statements.get(sql).get(...values) as Row | undefined,
    all: async <Row extends object>(sql: string, values: readonly Value[]) =>
      statements.get(sql).all(...values) as Row[],
    run: async (sql, values) => Number(statements.get(sql).run(...values).changes),
    exec: async (sql) => database.exec(sql),
    async close() {
      statements.clear();
      database.close();
    },
  };
}

// The program of the thread is text, so that the server can be bundled into one file.
const threadProgram = `
const { parentPort, workerData } = require("node:worker_threads");
process.emitWarning = () => {};
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(workerData);
const calls = {
  exec: (sql) => database.exec(sql),
  writeBack: () => database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get(),
  close: () => database.close(),
};

parentPort.on("message", ({ call, sql }) => {
  try {
    parentPort.postMessage({ row: calls[call](sql) });
    if (call === "close") parentPort.close();
  } catch ({ message, code, errcode }) {
    parentPort.postMessage({ failure: { message, code, errcode } });
  }
});
`;

interface Job {
  readonly resolve: (row: WrittenBack | undefined) => void;
  readonly reject: (error: unknown) => void;
}

type Answer = { readonly row: WrittenBack | undefined } | { readonly failure: { readonly message: string } };

/** Opens a connection of the built-in SQLite of Node.js on a thread of its own, so that its calls do not block the event loop. */
function openOnThread(file: string): BesideConnection {
  // The thread does one call after the other, so the answers come in the order of the jobs.
  const jobs: Job[] = [];
  let ended: Error | undefined;
  const worker = new Worker(threadProgram, {
    ...{ eval: true, workerData: file },
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  });
  worker.unref();

  function end(error: Error): void {
    ended ??= error;
    for (const { reject } of jobs.splice(0)) reject(ended);
  }

  worker.on("message", (answer: Answer) => {
    const job = jobs.shift();
    if (jobs.length === 0) worker.unref();
    if ("row" in answer) job?.resolve(answer.row);
    else job?.reject(Object.assign(new Error(answer.failure.message), answer.failure));
  });
  worker.on("error", end);
  worker.on("exit", () => end(new Error("The thread of SQLite has ended.")));

  const ask = (call: "exec" | "writeBack" | "close", sql = "") =>
    new Promise<WrittenBack | undefined>((resolve, reject) => {
      if (ended) return reject(ended);
      jobs.push({ resolve, reject });
      worker.ref();
      worker.postMessage({ call, sql });
    });

  return {
    exec: async (sql) => void (await ask("exec", sql)),
    writeBack: () => ask("writeBack"),
    close: async () => void (await ask("close")),
  };
}
