const indexes = [
  `DROP INDEX feedback_by_waiting`,
  `CREATE INDEX feedback_by_waiting ON feedback (app_id, waiting, created_at, id, status, category)
   WHERE waiting IS NOT NULL`,
  `CREATE INDEX feedback_by_waiting_and_activity ON feedback (
     app_id, waiting, coalesce(active_at, created_at), id, status, category) WHERE waiting IS NOT NULL`,
];

/**
 * What waits, in the order of activity: an agent's list of what waits since a time sorted all that waits in an app. And its status and
 * type, so that a list of few of them reads no threads that it leaves out.
 */
export const waitingByActivity = {
  number: 94,
  name: "waiting-by-activity",
  statements: { sqlite: indexes, postgres: indexes },
};
