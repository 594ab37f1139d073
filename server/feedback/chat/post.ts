import type { Transaction } from "../../database/database.ts";
import { outboxTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { openAddress, sealAddress } from "../../secrets/addresses.ts";
import { type ChatMessage, chatFormatOf, chatPost } from "./rules.ts";
import { outbox } from "./store.ts";

/** The chat of an app as it is stored. */
export interface StoredChat {
  /** The sealed address; null if the app has no chat. */
  readonly chatWebhookUrl: string | null;
  readonly chatFormat: string;
}

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

function openedOrUndefined(sealer: Deps["sealer"], stored: string): string | undefined {
  try {
    return openAddress(sealer, stored);
  } catch {
    return undefined;
  }
}
