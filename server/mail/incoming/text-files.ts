import { pdfOfText } from "../../../src/cli/delivery/text-pdf.ts";
import { decodedText } from "../../../src/words/decoded-text.ts";
import { withoutSenderLinks } from "../sender/sender-links.ts";
import type { IncomingFile } from "./read-mail.ts";

/** A longer text would keep the server from its requests while it is set. */
const mostBytes = 1_048_576;

/**
 * A text as a PDF, as the command line sends it: threads have no other texts. Its kind is that of its bytes, because mail programs
 * name most texts wrongly. Undefined for other files. (rule M14)
 */
export function textFileOf({ name, bytes }: IncomingFile): IncomingFile | undefined {
  const text = bytes.length > mostBytes ? undefined : decodedText(bytes);
  if (text === undefined || text.trim() === "") return undefined;
  const named = name || "text.txt";
  const shown = withoutSenderLinks(text);
  const content = pdfOfText({ name: named, bytes: Buffer.from(shown), text: shown });
  return { name: `${named}.pdf`, bytes: content };
}
