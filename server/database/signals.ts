/** The topic that means: anything may have changed. */
export const everyTopic = "*";

/** Signalled when any credential or any membership may have changed: an app or an account was deleted, or much at once. */
export const credentialsTopic = "credentials";

/** Changed with the tokens, devices and slots of a person. */
export const userTopic = (userId: string): string => `user:${userId}`;

/** Changed with the members and the settings of an app: who may see it, and its name. */
export const accessTopic = (appId: string): string => `access:${appId}`;

/** Signalled when tokens were revoked: requests that wait with one of them must end. */
export const tokensTopic = "tokens";

/** Changed with the keys, the FAQ, the release notes and the blocked senders of an app. */
export const appTopic = (appId: string): string => `app:${appId}`;

/** Changed with anything that is shown of a thread. */
export const threadTopic = (feedbackId: string): string => `thread:${feedbackId}`;

/** Signalled when a proposal was decided or replaced. */
export const proposalTopic = (proposalId: string): string => `run:${proposalId}`;

/** Signalled when threads and their proposals were deleted. */
export const threadsTopic = "threads";

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

/** Signalled when any slot may have changed. */
export const slotsTopic = "seats";

/** Changed when a day of a slot was counted. */
export const slotTopic = (slotId: string): string => `seat:${slotId}`;

/** Changed with a cycle, and with each of its slots. */
export const cycleTopic = (cycleId: string): string => `cycle:${cycleId}`;

/** Changed with a listing. */
export const listingTopic = (listingId: string): string => `listing:${listingId}`;

/** The topics that mean that any slot may have changed. */
export const topicsOfAllSlots: readonly string[] = [slotsTopic, credentialsTopic];

/** The topics that mean that any thread may have changed, that other people may see it, or that threads were deleted. */
export const topicsOfAllThreads: readonly string[] = [threadsTopic, credentialsTopic];

/** Signalled when a person has approved or refused to sign a device in. */
export const deviceTopic = (deviceId: string): string => `device:${deviceId}`;

export interface Signals {
  subscribe(listener: (topic: string) => void): () => void;
  /**
   * Calls every listener with every topic. An error of a listener is thrown later, so that it does not reach the sender.
   */
  emit(topics: Iterable<string>): void;
}

/** Creates the signals of one process. */
export function createSignals(): Signals {
  const listeners = new Set<{ hear(topic: string): void }>();

  function tell(listener: { hear(topic: string): void }, topic: string): void {
    try {
      listener.hear(topic);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  return {
    subscribe(hear) {
      const listener = { hear };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit(topics) {
      for (const topic of topics) for (const listener of listeners) tell(listener, topic);
    },
  };
}
