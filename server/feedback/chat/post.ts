import type { Transaction } from "../../database/database.ts";
import { outboxTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { openAddress, sealAddress } from "../../secrets/secrets.ts";
import { type ChatMessage, chatFormatOf, chatPost, chatTarget } from "./rules.ts";
import { outbox, type StoredChat } from "./store.ts";

/**
 * Stores a chat message. `tx` also stores the change that `message` reports. Does nothing without a usable chat
 * address. (rules A8, N9)
 */
export async function postToApp(
  { clock, newId, sealer }: Pick<Deps, "clock" | "newId" | "sealer">,
  tx: Transaction,
  {
    chat: { chatWebhookUrl, chatFormat },
    message,
    subjectId,
  }: {
    readonly chat: StoredChat;
    readonly message: ChatMessage;
    /** The id of the proposal or the thread that the message is about. */
    readonly subjectId: string;
  },
): Promise<void> {
  const address = chatWebhookUrl === null ? undefined : openedOrUndefined(sealer, chatWebhookUrl);
  if (address === undefined) return;
  const { url, body } = chatPost(chatFormatOf(chatFormat), message, address);
  await outbox.insert(tx, {
    ...{ id: newId(), appId: message.app.id, kind: "chat", subjectId },
    ...{ target: sealAddress(sealer, url), payload: body, createdAt: clock.now().toISOString() },
  });
  tx.signal(outboxTopic);
}

/** Returns the address to which messages are posted; undefined without a chat, or if decryption fails. */
export function targetOf(
  { sealer }: Pick<Deps, "sealer">,
  { chatWebhookUrl, chatFormat }: StoredChat,
): string | undefined {
  const address = chatWebhookUrl === null ? undefined : openedOrUndefined(sealer, chatWebhookUrl);
  return address === undefined ? undefined : chatTarget(chatFormatOf(chatFormat), address);
}

/**
 * Whether a stored message is for the current chat of its app. `target` is the encrypted address of the
 * message. (rule N9)
 */
export function isForChat(
  { sealer }: Pick<Deps, "sealer">,
  target: string,
  chat: StoredChat | undefined,
): boolean {
  const url = openedOrUndefined(sealer, target);
  return url !== undefined && chat !== undefined && url === targetOf({ sealer }, chat);
}

function openedOrUndefined(sealer: Deps["sealer"], stored: string): string | undefined {
  try {
    return openAddress(sealer, stored);
  } catch {
    return undefined;
  }
}
