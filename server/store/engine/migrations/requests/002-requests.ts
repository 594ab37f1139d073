/** What requests leave behind: the times of the last ones per limited key, and the answers to repeatable ones. */
export const requests = {
  number: 2,
  name: "requests",
  statements: [
    `CREATE TABLE rate_limits (
      key TEXT PRIMARY KEY,
      times TEXT NOT NULL,
      stale_hour BIGINT NOT NULL)`,
    `CREATE INDEX rate_limits_by_stale_hour ON rate_limits (stale_hour)`,
    `CREATE TABLE idempotency (
      scope TEXT NOT NULL,
      key TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      status BIGINT,
      body TEXT,
      expires_at TEXT NOT NULL,
      PRIMARY KEY (scope, key))`,
    `CREATE INDEX idempotency_by_expiry ON idempotency (expires_at)`,
  ],
};
