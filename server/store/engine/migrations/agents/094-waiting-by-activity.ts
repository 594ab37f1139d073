const index = `CREATE INDEX feedback_by_waiting_and_activity ON feedback (
   app_id, waiting, coalesce(active_at, created_at), id) WHERE waiting IS NOT NULL`;

/** What waits, in the order of activity: an agent's list of what waits since a time sorted all that waits in an app. */
export const waitingByActivity = {
  number: 94,
  name: "waiting-by-activity",
  statements: { sqlite: [index], postgres: [index] },
};
