import { ApiError } from "../../../src/contract/errors.ts";
import { newerReply } from "../../domain/feedback/newer-reply.ts";
import type { Transaction } from "../../store/engine/database.ts";
import { messages } from "../../store/feedback/messages.ts";

interface Asked {
  readonly expectedReplyId?: string | null | undefined;
  /** The account that replies. */
  readonly userId: string;
}

/**
 * Throws `reply_added` if somebody else has replied since the writer of a reply read the thread. Other replies to the thread
 * wait until this transaction ends. (rule F35)
 */
export async function refuseUnseenReply(
  tx: Transaction,
  id: string,
  { expectedReplyId: expected, userId }: Asked,
): Promise<void> {
  await tx.lock(id);
  if (expected === undefined) return;
  const newer = newerReply(await messages.listReplies(tx, id), { expected, userId });
  if (newer === undefined) return;
  throw new ApiError("reply_added", {
    message: `${newer.email ?? "Somebody else"} replied at ${newer.createdAt}. Read it, then decide.`,
  });
}
