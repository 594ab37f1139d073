/** The topic for "anything may have changed". */
export const everyTopic = "*";

/**
 * Signalled when any credential or any membership may have changed, for example because an app or an account was
 * deleted.
 */
export const credentialsTopic = "credentials";

/** Signalled when the tokens, devices or slots of a person have changed. */
export const userTopic = (userId: string): string => `user:${userId}`;

/** Signalled when the members or the settings of an app have changed, for example its name. */
export const accessTopic = (appId: string): string => `access:${appId}`;

/**
 * Signalled when console sessions were ended. The connections that receive events in these sessions must then be
 * closed.
 */
export const sessionsTopic = "sessions";

/** Signalled when tokens were revoked. Waiting requests with these tokens must then end. */
export const tokensTopic = "tokens";

/** Signalled when the keys, the FAQ, the release notes or the blocked senders of an app have changed. */
export const appTopic = (appId: string): string => `app:${appId}`;

/** Signalled when the tags or the shared views of an app have changed. */
export const listsTopic = (appId: string): string => `lists:${appId}`;

/** Signalled when something that pages show of a thread has changed. */
export const threadTopic = (feedbackId: string): string => `thread:${feedbackId}`;

/** Signalled when a member begins to write an answer in a thread, or stops. */
export const answeringTopic = (feedbackId: string): string => `answering:${feedbackId}`;

/** Signalled when a proposal was decided or replaced. */
export const proposalTopic = (proposalId: string): string => `run:${proposalId}`;

/** Signalled when threads and their proposals were deleted. */
export const threadsTopic = "threads";

/** Signalled when the outbox has a new delivery. */
export const outboxTopic = "outbox";

/** Signalled when an event of an app was stored. */
export const eventsTopic = (appId: string): string => `events:${appId}`;

/** Signalled when events wait to be delivered to webhooks. */
export const webhooksTopic = "webhooks";

/** Signalled when a webhook was switched off or deleted. Its waiting deliveries must then be cancelled. */
export const webhooksOffTopic = "webhooks off";

/**
 * Signalled after an event about which members may get notices, and when members have changed which notices they get.
 */
export const noticesTopic = "notices";

/** Signalled when notices wait to be sent to browsers. */
export const pushesTopic = "pushes";

/** Signalled when an erasure of a person was requested. */
export const erasuresTopic = "erasures";

/** Signalled when a mail is waiting to be sent. */
export const mailTopic = "mail";

/** Signalled when cycles or slot requests have changed. The next due change may then be earlier than before. */
export const cyclesTopic = "cycles";

/** Whether a signal with this topic means that the next due change may be earlier than before. */
export const concernsCycles = (topic: string): boolean => topic === cyclesTopic || topic === everyTopic;

/** Signalled when any slot may have changed. */
export const slotsTopic = "seats";

/** Signalled when a day of a slot was counted. */
export const slotTopic = (slotId: string): string => `seat:${slotId}`;

/** Signalled when a cycle or one of its slots has changed. */
export const cycleTopic = (cycleId: string): string => `cycle:${cycleId}`;

/** Signalled when a listing has changed. */
export const listingTopic = (listingId: string): string => `listing:${listingId}`;

/** The topics whose signals mean that any slot may have changed. */
export const topicsOfAllSlots: readonly string[] = [slotsTopic, credentialsTopic];

/**
 * The topics whose signals mean that any thread may have changed or was deleted, or that other people may now see
 * threads.
 */
export const topicsOfAllThreads: readonly string[] = [threadsTopic, credentialsTopic];

/** Signalled when a person has approved or refused the sign-in of a device. */
export const deviceTopic = (deviceId: string): string => `device:${deviceId}`;

export interface Signals {
  subscribe(listener: (topic: string) => void): () => void;
  /**
   * Calls every listener with every topic. If a listener throws an error, the error is thrown again later, so that
   * the other listeners are still called.
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
