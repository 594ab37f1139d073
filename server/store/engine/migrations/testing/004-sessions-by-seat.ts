/** Sessions are found by their seat alone: an index that held their day and id too cost a report an eighth of its time. */
export const sessionsBySeat = {
  number: 4,
  name: "sessions-by-seat",
  statements: [
    `CREATE INDEX test_sessions_by_slot ON test_sessions (slot_id)`,
    `DROP INDEX test_sessions_by_day`,
  ],
};
