import { afterResolvings, type Preferences } from "../../../src/contract/preferences.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import { insert, select } from "../../database/statements.ts";

const find = select(tables.preferences, ["keys", "afterResolving"], "WHERE user_id = ?");
const put = insert(
  tables.preferences,
  `ON CONFLICT (user_id) DO UPDATE SET keys = excluded.keys, after_resolving = excluded.after_resolving`,
);

/** The console preferences of each person. A person without a row has the defaults. (rule O32) */
export const preferenceRows = {
  async of(reader: Reader, userId: string): Promise<Preferences> {
    const row = await reader.get(find, userId);
    const afterResolving = afterResolvings.find((one) => one === row?.afterResolving) ?? "next";
    return { keys: row === undefined || Number(row.keys) === 1, afterResolving };
  },

  put: (tx: Transaction, userId: string, { keys, afterResolving }: Preferences) =>
    put(tx, { userId, keys: keys ? 1 : 0, afterResolving }),
};
