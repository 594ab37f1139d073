import type { Reader, Transaction } from "../engine/database.ts";

/** What is stored of one key of a limit. */
export interface KeptUses {
  readonly key: string;
  readonly text: string;
  /** Whether the text replaces what is stored of the key. Otherwise it is put behind it. */
  readonly isWhole: boolean;
  /** The hour after which the uses no longer matter (hours since 1970). */
  readonly staleHour: number;
}

/** The uses that a server keeps in memory and stores each second. They stand in the table of the exact limits. */
export const keptUses = {
  /** The stored uses of a key. Undefined if it has none. */
  async find(reader: Reader, key: string): Promise<string | undefined> {
    const row = await reader.get<{ times: string }>("SELECT times FROM rate_limits WHERE key = ?", key);
    return row?.times;
  },

  /** Stores what is new of many keys. SQLite only. */
  async store(tx: Transaction, rows: readonly KeptUses[]): Promise<void> {
    await put(
      tx,
      "excluded.times",
      rows.filter(({ isWhole }) => isWhole),
    );
    await put(
      tx,
      "rate_limits.times || excluded.times",
      rows.filter(({ isWhole }) => !isWhole),
    );
  },
};

async function put(tx: Transaction, times: string, rows: readonly KeptUses[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(
    `INSERT INTO rate_limits (key, times, stale_hour)
     SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
     ON CONFLICT (key) DO UPDATE SET times = ${times}, stale_hour = excluded.stale_hour`,
    JSON.stringify(rows.map(({ key, text, staleHour }) => [key, text, staleHour])),
  );
}
