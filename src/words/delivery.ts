import type { ReplyDelivery } from "../contract/threads.ts";

/** The most addresses that a sentence lists. If there are more, the sentence states only their number. */
const mostNamed = 5;

/** Returns sentences for the writer of a reply about its delivery. */
export const deliveryWords = (delivery: ReplyDelivery): readonly string[] => [
  ...(delivery.mailedTo.length === 0 ? [] : [`Mailed to ${namesOf(delivery.mailedTo)}.`]),
  ...(delivery.onPage ? [pageWords(delivery)] : []),
  ...(delivery.missed === 0 ? [] : [missedWords(delivery)]),
];

/** Returns the sentence about a reply that the sender's page shows. */
export const pageWords = ({ mailedTo }: ReplyDelivery): string =>
  mailedTo.length === 0 ? "On the sender's page only." : "The sender's page shows it, too.";

/** Returns the sentence about a reply that does not reach all of its receivers. */
export function missedWords({ mailedTo, missed, reason }: ReplyDelivery): string {
  const others = `Not delivered to ${missed} other ${missed === 1 ? "sender" : "senders"}`;
  const why =
    reason === "no_mail" ? "this server sends no mail" : "the sender left no address to which mail can go";
  return `${mailedTo.length === 0 ? "Not delivered" : others}: ${why}, and sender pages are off.`;
}

const namesOf = (addresses: readonly string[]): string =>
  addresses.length > mostNamed ? `${addresses.length} addresses` : addresses.join(", ");
