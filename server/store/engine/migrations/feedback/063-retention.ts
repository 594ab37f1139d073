/** For how many days an app keeps resolved threads after their last activity; null if it keeps them for ever. */
export const retentionOfApps = {
  number: 63,
  name: "retention",
  statements: ["ALTER TABLE apps ADD COLUMN retention_days BIGINT"],
};
