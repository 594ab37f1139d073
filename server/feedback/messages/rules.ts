import type { ReplyDelivery } from "../../../src/contract/threads.ts";

/** The receivers of a reply, and how it was sent to them. */
export interface SentReply {
  /** For each report that the reply answers: the address of the sender; null if the sender gave none. */
  readonly receivers: readonly (string | null)[];
  /** The addresses that get the reply by mail. */
  readonly mailedTo: readonly string[];
  /** Whether each sender has a sender's page, which shows the reply. */
  readonly onPage: boolean;
  /** Whether this server sends mail. */
  readonly sendsMail: boolean;
}

/**
 * Returns how a reply was delivered. `normalised` is a function that returns an address in the form that mails use.
 * (rules F38 and M10)
 */
export function replyDelivery(
  { receivers, mailedTo, onPage, sendsMail }: SentReply,
  normalised: (email: string) => string,
): ReplyDelivery {
  const isMailed = (email: string | null) => email !== null && mailedTo.includes(normalised(email));
  const missed = onPage ? 0 : receivers.filter((email) => !isMailed(email)).length;
  const why = sendsMail ? "no_address" : "no_mail";
  return { mailedTo: [...mailedTo], onPage, missed, reason: missed === 0 ? null : why };
}

/** Describes the delivery of a reply for the audit log, without its receivers. */
export function auditedDelivery({ mailedTo, onPage, missed }: ReplyDelivery): string {
  const ways = [...(mailedTo.length > 0 ? ["mailed"] : []), ...(onPage ? ["on the sender's page"] : [])];
  const others = ways.length === 0 ? "not delivered" : `not delivered to ${missed} others`;
  return [...ways, ...(missed > 0 ? [others] : [])].join(", ");
}

/**
 * A message on a thread. `authorId` is the account of its author; null for a sender, an agent, or a deleted account.
 */
interface WrittenMessage {
  readonly id: string;
  readonly authorId: string | null;
}

/** The messages that the writer of a reply has seen. */
interface SeenMessages {
  /** The newest message that the writer saw; null if there was none; undefined if the request does not say. */
  readonly expected: string | null | undefined;
  /** The account of the writer. */
  readonly userId: string;
}

/**
 * Returns the newest message of another author that the writer of a reply has not seen; undefined if there is none.
 * `messages` are all messages of the thread, oldest first. If none of them has the id `expected`, the writer has seen
 * none of them. (rule F35)
 */
export function newerMessage<Message extends WrittenMessage>(
  messages: readonly Message[],
  { expected, userId }: SeenMessages,
): Message | undefined {
  if (expected === undefined) return undefined;
  const seen = messages.findIndex(({ id }) => id === expected);
  return messages.slice(seen + 1).findLast(({ authorId }) => authorId !== userId);
}

/** After a person has stopped typing, a page still shows for this time that the person is writing. */
const answeringShownFor = 45_000;

/** While a person is typing, the server stores this at most once in this number of milliseconds. */
const answeringStoredEvery = 20_000;

/** The thread in which a person writes an answer, and when that was last stored. */
export interface NotedAnswering {
  readonly feedbackId: string;
  readonly notedAt: string;
}

/**
 * Whether the person is still writing. The clocks of two servers may differ slightly. A time far in the future is
 * ignored, because it comes from a wrong clock. (rule F36)
 */
export const isAnswering = (now: Date, { notedAt }: Pick<NotedAnswering, "notedAt">): boolean =>
  distance(now, notedAt) < answeringShownFor;

/**
 * Whether to store that a person is writing in a thread now. `last` is the last stored time; undefined if there is
 * none.
 */
export const isNoteDue = (now: Date, feedbackId: string, last: NotedAnswering | undefined): boolean =>
  last?.feedbackId !== feedbackId || distance(now, last.notedAt) >= answeringStoredEvery;

const distance = (now: Date, at: string): number => Math.abs(now.getTime() - Date.parse(at));
