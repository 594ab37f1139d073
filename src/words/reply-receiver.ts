import type { OwnedThread } from "../contract/threads.ts";

/** The part of a thread that decides who receives a reply. */
interface AnsweredThread {
  readonly feedback: Pick<OwnedThread["feedback"], "id">;
  readonly messages: OwnedThread["messages"];
}

/**
 * Returns the id of the report whose sender a reply probably answers. This is the sender who wrote last or, if a reply
 * is newer, the receiver of that reply. Notes and replies to everyone do not count. (rule M10)
 */
export function probableReceiver({ feedback, messages }: AnsweredThread): string {
  const last = messages.findLast(
    ({ direction, everyone }) => direction === "inbound" || (direction === "outbound" && !everyone),
  );
  if (last === undefined) return feedback.id;
  if (last.sender !== undefined) return last.id;
  return last.reportId ?? last.mergedFrom ?? feedback.id;
}

/** Whether the thread has repeated reports, so that a reply has to name the report that it answers. */
export const hasRepeats = ({ messages }: Pick<AnsweredThread, "messages">): boolean =>
  messages.some(({ sender }) => sender !== undefined);

/** Returns the sender of a report of the thread. */
export const senderOf = (
  { sender, messages }: Pick<OwnedThread, "sender" | "messages">,
  reportId: string,
): OwnedThread["sender"] => messages.find(({ id }) => id === reportId)?.sender ?? sender;
