import { type ArrivedMail, createMailHandler } from "../../../server/mail/incoming/handle.ts";
import { replyTokenOf } from "../../../server/mail/outgoing/queue.ts";
import { mails } from "../../../server/mail/outgoing/store.ts";
import type { Service } from "../service/service.ts";

/** A reply that was mailed about a report. */
export interface MailedReply {
  readonly reportId: string;
  readonly appId: string;
  /** The address to which it went. */
  readonly recipient: string;
}

/** Stores a mail with a reply as sent. Returns a function that handles an answer to it, without a mailbox. */
export async function makeMailArrive({ deps }: Pick<Service, "deps">, reply: MailedReply) {
  const id = deps.newId();
  const now = deps.clock.now().toISOString();
  await deps.database.write(async (tx) => {
    await mails.insert(tx, {
      ...{
        id,
        kind: "reply",
        lane: "personal",
        subjectId: null,
        content: "",
        sendBefore: now,
        createdAt: now,
      },
      ...reply,
    });
    await mails.settle(tx, id, { status: "sent", at: now, error: null });
  });
  const token = replyTokenOf(deps.sealer, id);
  const handle = createMailHandler(deps);
  return (raw: string | Buffer, mail: Partial<ArrivedMail> = {}) =>
    handle({
      token,
      begin: async () => ({ attempts: 1, lastAt: null }),
      read: async () => Buffer.from(raw),
      claim: async () => true,
      ...mail,
    });
}

let count = 0;

/** A mail, as its sender's program writes it. An empty header is left out. */
export function mailOf(lines: readonly string[], headers: Record<string, string> = {}): string {
  count += 1;
  const all = {
    ...{ From: "Ada <ada@kitchen.example>", Subject: "Re: your report", "Message-ID": `<${count}@x>` },
    ...headers,
  };
  const head = Object.entries(all).flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}`]));
  return [...head, "", ...lines].join("\r\n");
}
