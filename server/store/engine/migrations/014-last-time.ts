/**
 * `last_times`: when a server last wrote down the time. A server whose clock is far from that at its start doubts it.
 *
 * A seat that ends together with a day no longer misses that day. Seats that ended by the older rule did miss it, so they
 * end a millisecond later.
 */
export const lastTime = {
  number: 14,
  name: "last-time",
  statements: [
    "CREATE TABLE last_times (name TEXT PRIMARY KEY, at TEXT NOT NULL)",
    `UPDATE slots SET ended_at = replace(ended_at, '.000Z', '.001Z')
     WHERE status IN ('completed', 'removed') AND ended_at LIKE '%.000Z'`,
  ],
};
