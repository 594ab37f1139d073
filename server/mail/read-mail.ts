import PostalMime from "postal-mime";
import { type IncomingKind, kindOfMail, saysFailed, writtenPart } from "../domain/mail/incoming-mail.ts";

/** A mail that arrived, as far as we use it. */
export interface IncomingMail {
  readonly kind: IncomingKind;
  readonly from: string;
  /** The same for two copies of one mail; empty if it has none. */
  readonly messageId: string;
  /** What a person wrote. */
  readonly text: string;
  readonly attachments: readonly IncomingFile[];
  /** Whether it reports that a mail of ours never arrives. */
  readonly failed: boolean;
}

export interface IncomingFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const bounds = { maxNestingDepth: 20, maxHeadersSize: 262_144 };

/** Reads a mail, however broken. Undefined if it cannot be read at all. */
export async function readMail(source: Buffer, own: string): Promise<IncomingMail | undefined> {
  try {
    const mail = await PostalMime.parse(source, { ...bounds, attachmentEncoding: "arraybuffer" });
    const from = mail.from?.address ?? "";
    const files = mail.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? "",
      mimeType,
      bytes: typeof content === "string" ? Buffer.from(content) : new Uint8Array(content),
    }));
    const statuses = files.filter(({ mimeType }) => mimeType === "message/delivery-status");
    return {
      kind: kindOfMail(mail.headers, from, own),
      from,
      messageId: mail.messageId ?? "",
      text: writtenPart(mail.text ?? textOf(mail.html ?? "")),
      attachments: files.filter(({ mimeType }) => !/^(message|text)\//.test(mimeType)),
      failed: statuses.some(({ bytes }) => saysFailed(Buffer.from(bytes).toString("utf8"))),
    };
  } catch {
    return undefined;
  }
}

/** The text of simple HTML. It is shown as text, so nothing in it can do harm. */
const textOf = (html: string): string =>
  html
    .replace(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, "")
    .replace(/<(br|\/p|\/div|\/tr|\/li)\b[^>]*>/gi, "\n")
    .replace(/<blockquote\b[\s\S]*$/i, "")
    .replace(/<[^>]*>/g, "")
    .replace(/&(nbsp|amp|lt|gt|quot|#39);/g, (whole, name: string) => entities[name] ?? whole);

const entities: Readonly<Record<string, string>> = {
  ...{ nbsp: " ", amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" },
};
