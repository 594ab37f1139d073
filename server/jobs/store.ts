import type { Reader, Transaction } from "../database/database.ts";
import * as tables from "../database/schema/deployment.ts";
import { insert } from "../database/transaction.ts";

const setTime = insert(tables.lastTimes, "ON CONFLICT (name) DO UPDATE SET at = excluded.at");

/** The time that a server stored last. It shows whether the clock has been set back. */
export const lastTimes = {
  /** Returns the time in ISO 8601 UTC; undefined in a new database. */
  async read(reader: Reader): Promise<string | undefined> {
    return (await reader.get<{ at: string }>("SELECT at FROM last_times WHERE name = 'server'"))?.at;
  },

  write: (tx: Transaction, at: string) => setTime(tx, { name: "server", at }),
};
