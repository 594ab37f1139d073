/** Signalled when keys, tokens, or what is known of an app with them, have changed. */
export const credentialsTopic = "credentials";

/** Signalled when a run was decided or replaced. */
export const runTopic = (runId: string): string => `run:${runId}`;

/** Signalled when threads were deleted, and their runs with them. */
export const threadsTopic = "threads";

/** Whether what is known of runs may have changed. */
export const concernsRuns = (topic: string): boolean =>
  topic.startsWith(runTopic("")) || topic === threadsTopic || topic === credentialsTopic;

/** Signalled when there is something to deliver. */
export const outboxTopic = "outbox";
