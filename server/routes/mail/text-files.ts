import { pdfOfText } from "../../../src/cli/feedback/text-files/text-pdf.ts";
import { withoutSenderLinks } from "../../domain/mail/sender-links.ts";
import type { IncomingFile } from "../../mail/read-mail.ts";

/** A longer text would keep the server from its requests while it is set. */
const mostBytes = 1_048_576;

/**
 * A text as a PDF, as the command line sends it: threads have no other texts. Its kind is that of its bytes, because mail programs
 * name most texts wrongly. Undefined for other files. (rule M14)
 */
export function textFileOf({ name, bytes }: IncomingFile): IncomingFile | undefined {
  const text = bytes.length > mostBytes ? undefined : textOf(bytes);
  if (text === undefined || text.trim() === "") return undefined;
  const named = name || "text.txt";
  const content = pdfOfText({ name: named, bytes: Buffer.from(withoutSenderLinks(text)) });
  return { name: `${named}.pdf`, bytes: content };
}

function textOf(bytes: Uint8Array): string | undefined {
  const [encoding] = [
    ...(bytes[0] === 0xff && bytes[1] === 0xfe ? ["utf-16le"] : []),
    ...(bytes[0] === 0xfe && bytes[1] === 0xff ? ["utf-16be"] : []),
    "utf-8",
  ];
  const text = decoded(bytes, encoding) ?? decoded(bytes, "windows-1252");
  return text === undefined || [...text].some(isOdd) ? undefined : text;
}

/** The control characters of texts: a bell, tabs, line ends, and the escapes of terminals. */
const usual = new Set(["\u0007", "\b", "\t", "\n", "\v", "\f", "\r", "\u001b"]);

const isOdd = (character: string): boolean => character < " " && !usual.has(character);

function decoded(bytes: Uint8Array, encoding: string | undefined): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
