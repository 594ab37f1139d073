/** Signalled when keys, tokens, or what is known of an app with them, have changed. */
export const credentialsTopic = "credentials";

/** Signalled when a run was decided or replaced. */
export const runTopic = (runId: string): string => `run:${runId}`;

/** Signalled when there is something to deliver. */
export const outboxTopic = "outbox";
