import { ApiError } from "../../../src/contract/errors.ts";
import type { Transaction } from "../../database/database.ts";
import { newerMessage } from "./feedback-newer-message.ts";
import { type MessageRow, messages } from "./store.ts";

interface Asked {
  readonly expectedMessageId?: string | null | undefined;
  /** The account that replies. */
  readonly userId: string;
}

/**
 * Throws `answered` if somebody else has written since the writer of a reply read the thread: its senders, colleagues or agents.
 * The caller holds the lock of the thread's messages. (rule F35)
 */
export async function refuseUnseenMessage(
  tx: Transaction,
  id: string,
  { expectedMessageId: expected, userId }: Asked,
): Promise<void> {
  if (expected === undefined) return;
  const newer = newerMessage(await messages.list(tx, id), { expected, userId });
  if (newer === undefined) return;
  throw new ApiError("answered", {
    message: `${whatHappened(newer)} at ${newer.createdAt}. Read it, then decide.`,
  });
}

/** Names nobody of the public: their names are words of strangers. */
function whatHappened({ direction, author, email, isRepeat }: MessageRow): string {
  if (direction === "inbound") return isRepeat === 1 ? "Somebody reported it again" : "The sender answered";
  const who = email ?? (author === "agent" ? "An agent" : "Somebody else");
  return direction === "outbound" ? `${who} replied` : `${who} added a note`;
}
