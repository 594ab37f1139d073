/** A message on a thread, and the account of its author: null for a sender, an agent, or an account that was deleted. */
export interface WrittenMessage {
  readonly id: string;
  readonly authorId: string | null;
}

/** What the writer of a reply saw. */
export interface SeenMessages {
  /** The newest message that the writer saw; null for none, undefined if the caller does not say. */
  readonly expected: string | null | undefined;
  /** The account of the writer. */
  readonly userId: string;
}

/**
 * The newest message of somebody else that the writer of a reply has not seen; undefined if there is none. `messages` are those
 * of the thread, oldest first. If no message has the id, the writer saw no message. (rule F35)
 */
export function newerMessage<Message extends WrittenMessage>(
  messages: readonly Message[],
  { expected, userId }: SeenMessages,
): Message | undefined {
  if (expected === undefined) return undefined;
  const seen = messages.findIndex(({ id }) => id === expected);
  return messages.slice(seen + 1).findLast(({ authorId }) => authorId !== userId);
}
