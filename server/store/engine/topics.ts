/** Signalled when anything may have changed. */
export const everyTopic = "*";

/** Signalled when keys, tokens, or what is known of an app with them, have changed. */
export const credentialsTopic = "credentials";

/** Signalled when tokens were revoked: who waits with one of them must be let go. */
export const tokensTopic = "tokens";

/** Signalled when a run was decided or replaced. */
export const runTopic = (runId: string): string => `run:${runId}`;

/** Signalled when threads were deleted, and their runs with them. */
export const threadsTopic = "threads";

/** Whether what is known of runs may have changed. */
export const concernsRuns = (topic: string): boolean =>
  topic.startsWith(runTopic("")) || topic === threadsTopic || topic === credentialsTopic;

/** Signalled when there is something to deliver. */
export const outboxTopic = "outbox";

/** Signalled when cycles or requests for seats have changed: what time will do next may be due earlier. */
export const cyclesTopic = "cycles";

/** Whether what time will do next may be due earlier. */
export const concernsCycles = (topic: string): boolean => topic === cyclesTopic || topic === everyTopic;

/** Signalled when a day was counted or closed, or an offer was changed: seats look otherwise to their testers. */
export const seatsTopic = "seats";

/** Whether seats may look otherwise to their testers. */
export const concernsSeats = (topic: string): boolean =>
  topic === seatsTopic || topic === cyclesTopic || topic === credentialsTopic;

/** Signalled when a person has approved or refused to sign a device in. */
export const deviceTopic = (deviceId: string): string => `device:${deviceId}`;
