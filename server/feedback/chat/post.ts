import type { Transaction } from "../../database/database.ts";
import { outboxTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { openAddress, sealAddress } from "../../secrets/secrets.ts";
import { type ChatMessage, chatFormatOf, chatPost, chatTarget } from "./rules.ts";
import { outbox, type StoredChat } from "./store.ts";

/**
 * Queues a message for the chat of an app, in the transaction of the change that it reports. Does nothing if the app
 * has no chat, or if the address of the chat was sealed with a secret that is lost. (rules A8, N9)
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

/**
 * Returns the address to which messages for a chat are posted now. Returns undefined if there is no chat, or if its
 * address was sealed with a secret that is lost.
 */
export function targetOf(
  { sealer }: Pick<Deps, "sealer">,
  { chatWebhookUrl, chatFormat }: StoredChat,
): string | undefined {
  const address = chatWebhookUrl === null ? undefined : openedOrUndefined(sealer, chatWebhookUrl);
  return address === undefined ? undefined : chatTarget(chatFormatOf(chatFormat), address);
}

/** Whether a queued message goes to the present chat of its app. `target` is its sealed address. (rule N9) */
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
