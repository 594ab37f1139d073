import { onTestFinished } from "vitest";
import type { Database } from "../../../server/store/engine/database.ts";
import { nodeSqliteDriver } from "../../../server/store/engine/drivers/node-sqlite.ts";
import type { LogCopier, LogMark, WriteLog } from "../../../server/store/engine/write-log.ts";

/** The drivers of SQLite that this version of Node.js has. */
export const sqliteDrivers = ["sqlite3", ...(nodeSqliteDriver() ? ["node-sqlite" as const] : [])] as const;

/** What a copier was told, one word for each call. */
export function spyingCopier() {
  const told: string[] = [];
  const taken: LogMark[] = [];
  const copier: LogCopier = {
    takeRest(mark) {
      told.push("take");
      taken.push(mark);
      return true;
    },
    fileChanges: () => void told.push("file"),
    rested: () => void told.push("rested"),
    lose: (reason) => void told.push(reason),
    begun: () => void told.push("begun"),
  };
  return { copier, told, taken };
}

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

/** Commits rows that fill more than a page each. */
export async function addRows(database: Database, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await database.write((tx) =>
      tx.insert("deployment", { name: crypto.randomUUID(), value: "x".repeat(4_000) }),
    );
}

/** The name of the log since it last began. */
export const runOf = async (log: WriteLog): Promise<string> => (await log.mark()).run;
