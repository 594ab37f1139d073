import type { OwnedThread } from "../../contract/console/feedback.ts";

type Messages = OwnedThread["messages"];

/** The newest reply to the sender; null if there is none. */
export const newestReplyIn = (messages: Messages): string | null =>
  messages.findLast(({ direction }) => direction === "outbound")?.id ?? null;

/** The newest reply before the last message of a sender. A person who replies now replies to that message. */
export const newestAnsweredReply = (messages: Messages): string | null =>
  newestReplyIn(messages.slice(0, messages.findLastIndex(({ direction }) => direction === "inbound") + 1));
