import type { ReplyDelivery } from "../../../src/contract/threads.ts";
import { isOutcomeNote } from "../agent-work/rules.ts";
import { isProposalNote } from "../proposals/rules.ts";

/** The receivers of a reply, and how it was sent to them. */
export interface SentReply {
  /** The sender's address for each report that the reply answers; null if the sender gave no address. */
  readonly receivers: readonly (string | null)[];
  /** The normalised addresses that get the reply by mail. */
  readonly mailedTo: readonly string[];
  /** Whether the senders can see the reply on a page of the server. */
  readonly onPage: boolean;
  /** Whether this server sends mail. */
  readonly sendsMail: boolean;
}

/**
 * Returns how a reply was delivered. `normalised` must convert addresses to the form in `mailedTo`. (rules F38, M10)
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

/** Describes the delivery of a reply for the audit log. The receivers are not named. */
export function auditedDelivery({ mailedTo, onPage, missed }: ReplyDelivery): string {
  const ways = [...(mailedTo.length > 0 ? ["by mail"] : []), ...(onPage ? ["on the sender's page"] : [])];
  const others = ways.length === 0 ? "not delivered" : `not delivered to ${missed} others`;
  return [...ways, ...(missed > 0 ? [others] : [])].join(", ");
}

/** `authorId` is the account of the member who wrote the message; otherwise null. */
interface WrittenMessage {
  readonly id: string;
  readonly authorId: string | null;
}

/** The messages that the writer of a reply has seen. */
interface SeenMessages {
  /** The id of the newest message that the writer saw: null for none, undefined if not given. */
  readonly expected: string | null | undefined;
  /** The account of the writer. */
  readonly userId: string;
}

/**
 * Returns the newest message after `expected` by another writer. `messages` are those of the thread, oldest
 * first. (rule F35)
 */
export function newerMessage<Message extends WrittenMessage>(
  messages: readonly Message[],
  { expected, userId }: SeenMessages,
): Message | undefined {
  if (expected === undefined) return undefined;
  // If `expected` is not in `messages`, all messages are new.
  const seen = messages.findIndex(({ id }) => id === expected);
  return messages.slice(seen + 1).findLast(({ authorId }) => authorId !== userId);
}

type MessageKind = "answer" | "repeat" | "reply" | "note" | "plan" | "outcome";

/** Returns the kind that readers see. Agents' plans and outcomes are stored as notes. (rules A7, A25) */
export function messageKind({
  direction,
  author,
  isRepeat,
  body,
}: {
  readonly direction: string;
  readonly author?: string | null | undefined;
  /** Whether the message is a further report of the same thread. */
  readonly isRepeat: boolean;
  /** The text of the message, or its beginning. */
  readonly body: string;
}): MessageKind {
  if (direction === "inbound") return isRepeat ? "repeat" : "answer";
  if (direction === "outbound") return "reply";
  if (author !== "agent") return "note";
  if (isProposalNote(body)) return "plan";
  return isOutcomeNote(body) ? "outcome" : "note";
}

/** For each kind of message, the words that follow the name of its author. */
export const messageVerbs: Readonly<Record<MessageKind, string>> = {
  answer: "answered",
  repeat: "reported it again",
  reply: "replied",
  note: "added a note",
  plan: "proposed a plan",
  outcome: "reported the outcome of its work",
};

/** For how many milliseconds after `notedAt` other members see that a person is writing. */
const answeringShownFor = 45_000;

/** While a person is typing, the server stores at this interval in milliseconds that the person is writing. */
const answeringStoredEvery = 20_000;

/** The thread in which a person is writing an answer. `notedAt` is when the server last stored this. */
export interface NotedAnswering {
  readonly feedbackId: string;
  readonly notedAt: string;
}

/** Whether the person is still writing. Clocks differ, so a time slightly in the future counts. (rule F36) */
export const isAnswering = (now: Date, { notedAt }: Pick<NotedAnswering, "notedAt">): boolean =>
  distance(now, notedAt) < answeringShownFor;

/** Whether the server must store again that a person is writing. `last` is what the server stored last. */
export const isNoteDue = (now: Date, feedbackId: string, last: NotedAnswering | undefined): boolean =>
  last?.feedbackId !== feedbackId || distance(now, last.notedAt) >= answeringStoredEvery;

const distance = (now: Date, at: string): number => Math.abs(now.getTime() - Date.parse(at));
