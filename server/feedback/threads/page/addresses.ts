import type { OwnedThread } from "../../../../src/contract/threads.ts";
import type { Links } from "../../../console/links.ts";
import { type InboxPosition, inboxPositionQuery } from "../../inbox/neighbours.tsx";

/** The address parameter with the id of a repeated report. The page shows its group up to this report. */
export const repeatsName = "repeats";

/** Returns the address of a thread. The page shows a group of repeated reports up to the report `until`. */
export function repeatsAddress(
  address: string,
  position: InboxPosition,
  { until = "", before = "" }: { readonly until?: string | undefined; readonly before?: string },
): string {
  const query = new URLSearchParams(inboxPositionQuery(position));
  if (before !== "") query.set(beforeName, before);
  query.set(repeatsName, until);
  return `${address}?${query}#message-${until}`;
}

/** A parameter of the page with older messages: the id of a message that the page must show. */
const messageName = "message";

/** Returns the address of a message, on this page or on a page with older messages. */
export function messageAddress(
  links: Links,
  { app, feedback, messages, omittedMessages }: OwnedThread,
  position: InboxPosition,
  messageId: string,
): string {
  if (omittedMessages === 0 || messages.some(({ id }) => id === messageId)) return `#message-${messageId}`;
  const query = new URLSearchParams(inboxPositionQuery(position));
  query.set(messageName, messageId);
  return `${links.thread(app.id, feedback.id, "older")}?${query}`;
}

/** The address parameter for a message id. The page shows only messages that are older than this message. */
const beforeName = "before";

/** Returns the address of the page with older messages, or undefined if there are none. */
export function olderAddress(
  links: Links,
  { app, feedback, nextBefore }: Pick<OwnedThread, "app" | "feedback" | "nextBefore">,
  position: InboxPosition,
): string | undefined {
  if (nextBefore === undefined) return undefined;
  const query = new URLSearchParams(inboxPositionQuery(position));
  query.set(beforeName, nextBefore);
  return `${links.thread(app.id, feedback.id, "older")}?${query}#timeline`;
}

/** Returns the parameters of the page with older messages. A missing parameter is an empty text. */
export const olderPartIn = (
  query: (name: string) => string,
): { readonly before: string; readonly message: string } => ({
  before: query(beforeName),
  message: query(messageName),
});
