/** Shares of limits that servers of one PostgreSQL database have taken. On SQLite the table stays empty. */
export const leasesOfLimits = {
  number: 82,
  name: "leases of limits",
  statements: [
    `CREATE TABLE limit_leases (
      id TEXT PRIMARY KEY, key TEXT NOT NULL, ends_at BIGINT NOT NULL, uses BIGINT NOT NULL,
      stale_at BIGINT NOT NULL)`,
    `CREATE INDEX limit_leases_by_key ON limit_leases (key, ends_at)`,
    `CREATE INDEX limit_leases_by_stale_at ON limit_leases (stale_at)`,
  ],
};
