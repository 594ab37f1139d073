const indexes = [
  `DROP INDEX feedback_by_waiting`,
  `CREATE INDEX feedback_by_waiting ON feedback (app_id, waiting, created_at, id, status, category)
   WHERE waiting IS NOT NULL`,
  `CREATE INDEX feedback_by_waiting_and_activity ON feedback (
     app_id, waiting, coalesce(active_at, created_at), id, status, category) WHERE waiting IS NOT NULL`,
];

/**
 * An agent's list of what waits, with activity since a time, sorted all that waits in an app: it has an index in its order now. Both indexes
 * have the status and the type, so that a list by these reads no threads that it leaves out.
 */
export const waitingByActivity = {
  number: 94,
  name: "waiting-by-activity",
  statements: { sqlite: indexes, postgres: indexes },
};
