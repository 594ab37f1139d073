/** A reply on a thread, and the account of its author: null for an account that was deleted. */
export interface WrittenReply {
  readonly id: string;
  readonly authorId: string | null;
}

/** What the writer of a reply saw. */
export interface SeenReplies {
  /** The newest reply that the writer saw; null for none, undefined if the caller does not say. */
  readonly expected: string | null | undefined;
  /** The account of the writer. */
  readonly userId: string;
}

/**
 * The newest reply of somebody else that the writer of a reply has not seen; undefined if there is none. `replies` are those of
 * the thread, oldest first. If no reply has the id, the writer saw no reply. (rule F35)
 */
export function newerReply<Reply extends WrittenReply>(
  replies: readonly Reply[],
  { expected, userId }: SeenReplies,
): Reply | undefined {
  if (expected === undefined) return undefined;
  const seen = replies.findIndex(({ id }) => id === expected);
  return replies.slice(seen + 1).findLast(({ authorId }) => authorId !== userId);
}
