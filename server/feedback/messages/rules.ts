import type { ReplyDelivery } from "../../../src/contract/threads.ts";

/** The receivers of a reply, and the ways in which it was sent. */
export interface SentReply {
  /** The address of each report that it answers, as its sender gave it. */
  readonly receivers: readonly (string | null)[];
  /** The addresses that get it by mail. */
  readonly mailedTo: readonly string[];
  /** Whether each sender has a page that shows it. */
  readonly onPage: boolean;
  /** Whether this server sends mail. */
  readonly sendsMail: boolean;
}

/** Returns how a reply was delivered. `normalised` returns an address in the form that mails use. (rule M10) */
export function replyDelivery(
  { receivers, mailedTo, onPage, sendsMail }: SentReply,
  normalised: (email: string) => string,
): ReplyDelivery {
  const isMailed = (email: string | null) => email !== null && mailedTo.includes(normalised(email));
  const missed = onPage ? 0 : receivers.filter((email) => !isMailed(email)).length;
  const why = sendsMail ? "no_address" : "no_mail";
  return { mailedTo: [...mailedTo], onPage, missed, reason: missed === 0 ? null : why };
}

/** Describes the delivery of a reply for the audit, without its receivers. */
export function auditedDelivery({ mailedTo, onPage, missed }: ReplyDelivery): string {
  const ways = [...(mailedTo.length > 0 ? ["mailed"] : []), ...(onPage ? ["on the sender's page"] : [])];
  const others = ways.length === 0 ? "not delivered" : `not delivered to ${missed} others`;
  return [...ways, ...(missed > 0 ? [others] : [])].join(", ");
}

/** A message on a thread, and the account of its author: null for a sender, an agent, or an account that was deleted. */
interface WrittenMessage {
  readonly id: string;
  readonly authorId: string | null;
}

/** The messages that the writer of a reply has seen. */
interface SeenMessages {
  /** The newest message that the writer saw; null for none, undefined if the caller does not say. */
  readonly expected: string | null | undefined;
  /** The account of the writer. */
  readonly userId: string;
}

/**
 * Returns the newest message of another author that the writer of a reply has not seen; undefined if there is none.
 * `messages` are those of the thread, oldest first. If no message has the id, the writer has seen none. (rule F35)
 */
export function newerMessage<Message extends WrittenMessage>(
  messages: readonly Message[],
  { expected, userId }: SeenMessages,
): Message | undefined {
  if (expected === undefined) return undefined;
  const seen = messages.findIndex(({ id }) => id === expected);
  return messages.slice(seen + 1).findLast(({ authorId }) => authorId !== userId);
}

/** How long a page still shows a person who has stopped typing. */
const answeringShownFor = 45_000;

/** While a person types, this is stored again after this time. */
const answeringStoredEvery = 20_000;

/** The thread in which a person writes an answer, and when that was last stored. */
export interface NotedAnswering {
  readonly feedbackId: string;
  readonly notedAt: string;
}

/**
 * Whether the person still writes. The clocks of two servers may differ, and a time far ahead comes from a clock that jumped.
 * (rule F36)
 */
export const isAnswering = (now: Date, { notedAt }: Pick<NotedAnswering, "notedAt">): boolean =>
  distance(now, notedAt) < answeringShownFor;

/** Whether to store that a person writes in a thread now. `last` was stored before; undefined for nothing. */
export const isNoteDue = (now: Date, feedbackId: string, last: NotedAnswering | undefined): boolean =>
  last?.feedbackId !== feedbackId || distance(now, last.notedAt) >= answeringStoredEvery;

const distance = (now: Date, at: string): number => Math.abs(now.getTime() - Date.parse(at));
