import { readFile } from "node:fs/promises";
import { onTestFinished } from "vitest";
import type { Database } from "../../../server/database/database.ts";
import { nodeSqliteDriver } from "../../../server/database/sqlite.ts";

/** The drivers of SQLite that this version of Node.js has. */
export const sqliteDrivers = ["sqlite3", ...(nodeSqliteDriver() ? ["node-sqlite" as const] : [])] as const;

/** Reads in a transaction that stays open until `end` is called. */
export async function readingLong(database: Database) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  onTestFinished(() => end());
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const snapshot = database.snapshot(async () => {
    begin();
    await ended;
  });
  await Promise.race([begun, snapshot]);
  return async () => {
    end();
    await snapshot;
  };
}

/** Commits rows that each fill more than a page. */
export async function addRows(database: Database, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await database.write((tx) =>
      tx.insert("deployment", { name: crypto.randomUUID(), value: "x".repeat(4_000) }),
    );
}

/** The salt of the log in hex. SQLite writes a new one each time the log begins again. */
export const saltOf = async (file: string): Promise<string> =>
  (await readFile(`${file}-wal`)).toString("hex", 16, 24);
