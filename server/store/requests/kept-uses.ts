import type { Reader, Transaction } from "../engine/database.ts";

/** All uses of one key of a limit that count. */
export interface KeptUses {
  readonly key: string;
  readonly text: string;
  /** The hour after which the uses no longer matter (hours since 1970). */
  readonly staleHour: number;
}

/** The changes of many keys, in the order in which they came. */
export interface KeptBatch {
  /** Greater than that of the batch before. */
  readonly number: number;
  readonly text: string;
}

/** What is stored at once. Each row has the uses of all batches up to `through`, and of no later one. */
export interface UsesToKeep {
  readonly batch: KeptBatch | undefined;
  readonly rows: readonly KeptUses[];
  readonly through: number;
}

/**
 * The uses that a server keeps in memory. What is new goes into a table of batches each half a second, and into the rows of
 * the keys much later. They stand in the table of the exact limits. SQLite only.
 */
export const keptUses = {
  /** The stored uses of a key, without those of the batches. Undefined if it has none. */
  async find(reader: Reader, key: string): Promise<string | undefined> {
    const row = await reader.get<{ times: string }>("SELECT times FROM rate_limits WHERE key = ?", key);
    return row?.times;
  },

  /** The stored uses of many keys. `through`: the newest batch that they hold. */
  findAll(reader: Reader, keys: readonly string[]) {
    return reader.all<{ key: string; times: string; through: number }>(
      `SELECT key, times, stored_through AS through FROM rate_limits
       WHERE key IN (SELECT value FROM json_each(?))`,
      JSON.stringify(keys),
    );
  },

  /** The stored batches, oldest first. */
  batches: (reader: Reader): Promise<KeptBatch[]> =>
    reader.all<KeptBatch>("SELECT number, changes AS text FROM limit_batches ORDER BY number"),

  /** Stores a batch and rows. A batch that is stored already stays as it is. */
  async store(tx: Transaction, { batch, rows, through }: UsesToKeep): Promise<void> {
    if (batch)
      await tx.run(
        "INSERT INTO limit_batches (number, changes) VALUES (?, ?) ON CONFLICT (number) DO NOTHING",
        batch.number,
        batch.text,
      );
    if (rows.length === 0) return;
    await tx.run(
      `INSERT INTO rate_limits (key, times, stale_hour, stored_through)
       SELECT value ->> 0, value ->> 1, value ->> 2, ? FROM json_each(?) WHERE true
       ON CONFLICT (key) DO UPDATE SET
         times = excluded.times, stale_hour = excluded.stale_hour, stored_through = excluded.stored_through`,
      through,
      JSON.stringify(rows.map(({ key, text, staleHour }) => [key, text, staleHour])),
    );
  },

  /** Deletes the batches up to a number, but not the newest: the next number comes after it. */
  async dropBatches(tx: Transaction, through: number): Promise<void> {
    await tx.run(
      "DELETE FROM limit_batches WHERE number <= ? AND number < (SELECT MAX(number) FROM limit_batches)",
      through,
    );
  },
};
