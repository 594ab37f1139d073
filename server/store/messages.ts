import type { Transaction } from "./database.ts";

export interface NewMessage {
  readonly id: string;
  readonly feedbackId: string;
  readonly direction: "inbound" | "outbound" | "note";
  readonly body: string;
  readonly createdAt: string;
}

export const messages = {
  insert: (tx: Transaction, message: NewMessage) =>
    tx.insert("messages", {
      id: message.id,
      feedback_id: message.feedbackId,
      direction: message.direction,
      body: message.body,
      created_at: message.createdAt,
    }),
};
