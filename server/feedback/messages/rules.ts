import type { ReplyDelivery } from "../../../src/contract/threads.ts";

/** Whom a reply was for, and how it left. */
export interface SentReply {
  /** The address of each report that it answers, as its sender gave it. */
  readonly receivers: readonly (string | null)[];
  /** The addresses to which it is mailed. */
  readonly mailedTo: readonly string[];
  /** Whether each sender has a page that shows it. */
  readonly onPage: boolean;
  /** Whether this server sends mail. */
  readonly sendsMail: boolean;
}

/** What happened to a reply. `normalised` gives an address as mails are addressed. (rule M10) */
export function replyDelivery(
  { receivers, mailedTo, onPage, sendsMail }: SentReply,
  normalised: (email: string) => string,
): ReplyDelivery {
  const isMailed = (email: string | null) => email !== null && mailedTo.includes(normalised(email));
  const missed = onPage ? 0 : receivers.filter((email) => !isMailed(email)).length;
  const why = sendsMail ? "no_address" : "no_mail";
  return { mailedTo: [...mailedTo], onPage, missed, reason: missed === 0 ? null : why };
}

/** The ways of a reply for the audit, which names no receiver. */
export function waysOf({ mailedTo, onPage, missed }: ReplyDelivery): string {
  const ways = [...(mailedTo.length > 0 ? ["mailed"] : []), ...(onPage ? ["on the sender's page"] : [])];
  const others = ways.length === 0 ? "not delivered" : `not delivered to ${missed} others`;
  return [...ways, ...(missed > 0 ? [others] : [])].join(", ");
}
