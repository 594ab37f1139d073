import { type IncomingKind, kindOfMail, saysFailed, writtenPart } from "../domain/mail/incoming-mail.ts";
import { parseMail } from "./parse-mail.ts";

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

/** Reads a mail, also a damaged one. Undefined if it cannot be read at all, or not in the time. */
export async function readMail(
  source: Buffer,
  own: string,
  milliseconds?: number,
): Promise<IncomingMail | undefined> {
  const mail = await parseMail(source, milliseconds);
  if (!mail) return undefined;
  const { headers, from, messageId, text, html, attachments: files } = mail;
  const statuses = files.filter(({ mimeType }) => mimeType === "message/delivery-status");
  return {
    kind: kindOfMail(headers, from, own),
    from,
    messageId,
    text: writtenPart(text ?? textOf(html ?? "")),
    attachments: files.filter(({ mimeType }) => !/^(message|text)\//.test(mimeType)),
    failed: statuses.some(({ bytes }) => saysFailed(Buffer.from(bytes).toString("utf8"))),
  };
}

/** The text of simple HTML. It is shown as text, so nothing in it can do harm. No pattern searches one place twice. */
const textOf = (html: string): string =>
  withoutParts(html)
    .replace(/<(br|\/p|\/div|\/tr|\/li)\b[^<>]*>/gi, "\n")
    .replace(/<blockquote\b[\s\S]*$/i, "")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(nbsp|amp|lt|gt|quot|#39);/g, (whole, name: string) => entities[name] ?? whole);

/** The HTML without styles, scripts and its head. A part that does not end stays. */
function withoutParts(html: string): string {
  const endless = new Set<string>();
  const begin = /<(style|script|head)\b/gi;
  let kept = "";
  let at = 0;
  for (let found = begin.exec(html); found; found = begin.exec(html)) {
    const name = (found[1] ?? "").toLowerCase();
    if (endless.has(name)) continue;
    const end = new RegExp(`</${name}>`, "gi");
    end.lastIndex = begin.lastIndex;
    if (!end.test(html)) {
      endless.add(name);
      continue;
    }
    kept += html.slice(at, found.index);
    at = end.lastIndex;
    begin.lastIndex = at;
  }
  return kept + html.slice(at);
}

const entities: Readonly<Record<string, string>> = {
  ...{ nbsp: " ", amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" },
};
