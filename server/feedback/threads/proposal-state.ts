const newestRun = `FROM runs r LEFT JOIN run_claims c ON c.run_id = r.id AND c.released_at IS NULL
  WHERE r.feedback_id = feedback.id ORDER BY r.created_at DESC, r.id DESC LIMIT 1`;

/** A value of `waitingStates`; null for "none". (rule A29) */
const waitingOf = `CASE
  WHEN r.status = 'awaiting_approval' THEN 'approval'
  WHEN r.decision = 'request_changes' THEN 'changes'
  WHEN r.status = 'approved' AND c.id IS NULL THEN 'approved'
  WHEN r.status = 'approved' AND c.outcome_status IS NULL THEN 'outcome' END`;

/** Sets the status of the newest proposal of a thread, and what it waits for, where lists read them. */
export const proposalState = `proposal_status = (SELECT r.status ${newestRun}), waiting = (SELECT ${waitingOf} ${newestRun})`;
