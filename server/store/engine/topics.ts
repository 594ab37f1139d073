/** The topic that means: anything may have changed. */
export const everyTopic = "*";

/** Signalled when keys, tokens, or the settings of an app have changed. */
export const credentialsTopic = "credentials";

/** Signalled when tokens were revoked: requests that wait with one of them must end. */
export const tokensTopic = "tokens";

/** Signalled when a proposal was decided or replaced. */
export const proposalTopic = (proposalId: string): string => `run:${proposalId}`;

/** Signalled when threads and their proposals were deleted. */
export const threadsTopic = "threads";

/** Whether a topic means that proposals may have changed. */
export const concernsProposals = (topic: string): boolean =>
  topic.startsWith(proposalTopic("")) || topic === threadsTopic || topic === credentialsTopic;

/** Signalled when the outbox has a new delivery. */
export const outboxTopic = "outbox";

/** Signalled when a person is to be erased. */
export const erasuresTopic = "erasures";

/** Signalled when a mail waits. */
export const mailTopic = "mail";

/** Signalled when cycles or slot requests have changed: the next due change may be earlier. */
export const cyclesTopic = "cycles";

/** Whether a topic means that the next due change may be earlier. */
export const concernsCycles = (topic: string): boolean => topic === cyclesTopic || topic === everyTopic;

/** Signalled when a day was counted or closed, or a listing was changed: testers see their slots changed. */
export const slotsTopic = "seats";

/** Whether a topic means that testers may see their slots changed. */
export const concernsSlots = (topic: string): boolean =>
  topic === slotsTopic || topic === cyclesTopic || topic === credentialsTopic;

/** Signalled when a person has approved or refused to sign a device in. */
export const deviceTopic = (deviceId: string): string => `device:${deviceId}`;
