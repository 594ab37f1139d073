/**
 * `last_times`: the time that a server has last stored. A server doubts its clock if it differs much from this at the start.
 *
 * A slot that ends together with a day no longer misses that day. Slots that ended by the older rule missed it, so their end
 * is moved by a millisecond.
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
