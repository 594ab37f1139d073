/** What is new of the uses of limits that SQLite servers count in memory. On PostgreSQL the table stays empty. */
export const batchesOfLimits = {
  number: 93,
  name: "batches of limits",
  statements: [
    "CREATE TABLE limit_batches (number BIGINT PRIMARY KEY, changes TEXT NOT NULL)",
    "ALTER TABLE rate_limits ADD COLUMN stored_through BIGINT NOT NULL DEFAULT 0",
  ],
};
