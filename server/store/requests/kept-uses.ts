import type { Reader, Transaction } from "../engine/database.ts";

/** The uses of one key of a limit, as text, and the hour after which they no longer matter (hours since 1970). */
export interface KeptUses {
  readonly key: string;
  readonly uses: string;
  readonly staleHour: number;
}

/** The uses that a server keeps in memory and stores each second. They stand in the table of the exact limits. */
export const keptUses = {
  /** The stored uses of a key. Undefined if it has none. */
  async find(reader: Reader, key: string): Promise<string | undefined> {
    const row = await reader.get<{ times: string }>("SELECT times FROM rate_limits WHERE key = ?", key);
    return row?.times;
  },

  /** Stores the uses of many keys in place of what was stored of them. SQLite only. */
  async store(tx: Transaction, rows: readonly KeptUses[]): Promise<void> {
    await tx.run(
      `INSERT INTO rate_limits (key, times, stale_hour)
       SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
       ON CONFLICT (key) DO UPDATE SET times = excluded.times, stale_hour = excluded.stale_hour`,
      JSON.stringify(rows.map(({ key, uses, staleHour }) => [key, uses, staleHour])),
    );
  },
};
