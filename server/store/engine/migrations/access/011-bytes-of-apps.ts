/** How many bytes each key sent in each minute, and the sizes of an app's uploads in one index. */
export const bytesOfApps = {
  number: 11,
  name: "bytes-of-apps",
  statements: [
    `CREATE TABLE byte_uses (
      key_id TEXT NOT NULL, minute BIGINT NOT NULL, bytes BIGINT NOT NULL, PRIMARY KEY (key_id, minute))`,
    `CREATE INDEX byte_uses_by_minute ON byte_uses (minute)`,
    `CREATE INDEX uploads_by_app ON uploads (app_id, size)`,
  ],
};
