import type { OwnedThread } from "../../contract/threads.ts";

type Messages = readonly OwnedThread["messages"][number][];

/** The newest message on the thread; null if nobody has written since the report. */
export const newestMessageIn = (messages: Messages): string | null => messages.at(-1)?.id ?? null;

/**
 * The message before the first reply to the last word of a sender; without such a reply, the newest one. A person who replies now
 * replies to that word.
 */
export function newestBeforeReply(messages: Messages): string | null {
  const word = messages.findLastIndex(({ direction }) => direction === "inbound");
  const reply = messages.findIndex(({ direction }, at) => at > word && direction === "outbound");
  return newestMessageIn(reply === -1 ? messages : messages.slice(0, reply));
}
