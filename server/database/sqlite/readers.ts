import { createClosingGate } from "../closing-gate.ts";
import type { Reader } from "../database.ts";
import type { Connection } from "./connection.ts";
import { whenFree } from "./when-free.ts";

export interface Readers extends Reader {
  close(): Promise<void>;
}

/** Shares the reading connections of a SQLite file. Each connection runs one statement at a time. */
export function createReaders(connections: readonly Connection[]): Readers {
  const gate = createClosingGate();
  const idle = [...connections];
  const waiting: ((connection: Connection) => void)[] = [];

  function acquire(): Connection | Promise<Connection> {
    return idle.pop() ?? new Promise((resolve) => waiting.push(resolve));
  }

  function release(connection: Connection): void {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else next(connection);
  }

  const read = <Result>(statement: (connection: Connection) => Promise<Result>) =>
    gate.pass(async () => {
      const connection = await acquire();
      try {
        return await whenFree(() => statement(connection));
      } finally {
        release(connection);
      }
    });

  return {
    engine: "sqlite",
    get: (sql, ...values) => read((connection) => connection.get(sql, values)),
    all: (sql, ...values) => read((connection) => connection.all(sql, values)),
    async close() {
      await gate.close();
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}
