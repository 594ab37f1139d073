import { type MailBounds, parseMail } from "./read.ts";
import {
  type AutomaticMark,
  automaticMark,
  failsAuthentication,
  type IncomingKind,
  kindOfMail,
  saysFailed,
} from "./rules.ts";

/** A mail that arrived, as far as we use it. */
export interface IncomingMail {
  readonly kind: IncomingKind;
  /** What says that a program wrote it; undefined if nothing does. */
  readonly mark: AutomaticMark | undefined;
  readonly from: string;
  readonly subject: string;
  /** Every address in it; null if there are too many. */
  readonly addresses: string | null;
  /** Whether the server that took it found that the sender is not who it says. */
  readonly isForged: boolean;
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

/** Reads a mail, also a damaged one. Undefined if it cannot be read at all, or not within the bounds. */
export async function readMail(source: Uint8Array, bounds: MailBounds): Promise<IncomingMail | undefined> {
  const mail = await parseMail(source, bounds);
  if (!mail) return undefined;
  const { headers, from, subject, addresses, messageId, whole, written, attachments: files } = mail;
  const statuses = files.filter(({ mimeType }) => mimeType === "message/delivery-status");
  return {
    kind: kindOfMail(headers, from),
    mark: automaticMark(headers, from),
    ...{ from, subject, addresses },
    isForged: failsAuthentication(headers),
    messageId,
    text: written.trim() || whole,
    attachments: files,
    failed: statuses.some(({ bytes }) => saysFailed(Buffer.from(bytes).toString("utf8"))),
  };
}
