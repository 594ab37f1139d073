import { randomUUID } from "node:crypto";
import { messages } from "../../../server/feedback/messages/store.ts";
import type { Service } from "../service/service.ts";

export interface WrittenMessage {
  readonly body: string;
  readonly direction?: "inbound" | "note" | "blocked";
  /** Whether the message is a repeated report. */
  readonly isReport?: boolean;
  /** Whether the message has the same time as the message before it. */
  readonly isTogether?: boolean;
}

const noFiles = JSON.stringify({ images: [], videos: [], attachments: [] });

/** Writes messages into a thread, oldest first, one each second since the beginning of 2026. Returns their ids. */
export async function writeMessages(
  service: Service,
  feedbackId: string,
  written: readonly WrittenMessage[],
): Promise<string[]> {
  const ids = written.map(() => randomUUID()).sort();
  await service.deps.database.write(async (tx) => {
    let second = 0;
    for (const [place, { body, direction = "note", isReport, isTogether }] of written.entries()) {
      if (!isTogether) second += 1;
      const id = ids[place] ?? "";
      const createdAt = new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
      const message = {
        id,
        feedbackId,
        direction: isReport ? "inbound" : direction,
        body,
        createdAt,
      } as const;
      await messages.insert(tx, message);
      if (isReport)
        await tx.run(
          "UPDATE messages SET category = 'bug', metadata = '{}', files = ? WHERE id = ?",
          ...[noFiles, id],
        );
    }
  });
  return ids;
}

/** As many notes, with their numbers from 0 as texts. */
export const numbered = (count: number): WrittenMessage[] =>
  Array.from({ length: count }, (_, n) => ({ body: `Note ${n}.` }));
