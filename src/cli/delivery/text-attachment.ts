import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { feedbackFiles } from "../../contract/limits.ts";
import { decodedText } from "../../words/decoded-text.ts";
import type { Conversion, FileCheck } from "./files.ts";
import { pdfOfText, type TextFile } from "./text-pdf.ts";

/** Text files are sent as PDFs, because servers take no other attachments. (rule L20) */
export const asPdf: Conversion = {
  names: "a text file",
  takes: (head) => decodedText(head) !== undefined,
  convert: async (path, has) => {
    if (has > mostTextBytes)
      return faulty(`is too large: a text can have ${mostTextBytes} bytes at most; it has ${has}`);
    const bytes = await readFile(path);
    const text = decodedText(bytes);
    if (text === undefined) return faulty("is no text: it has bytes that no text has");
    if (hasMoreLines(text, mostLines))
      return faulty(`has too many lines: a text can have ${mostLines} at most`);
    return asAttachment(path, { bytes, text });
  },
};

/** A larger text, or one of more lines, takes too long to set. */
const mostTextBytes = 33_554_432;
const mostLines = 500_000;

const faulty = (fault: string): FileCheck => ({ faults: [fault] });

function hasMoreLines(text: string, most: number): boolean {
  let lines = 0;
  for (let at = 0; at < text.length && lines <= most; at += 1) {
    const isEnd = text[at] === "\n" || (text[at] === "\r" && text[at + 1] !== "\n");
    if (isEnd) lines += 1;
  }
  return lines > most;
}

function asAttachment(path: string, read: Omit<TextFile, "name">): FileCheck {
  const name = basename(path);
  const content = pdfOfText({ name, ...read });
  const { bytes: most } = feedbackFiles.attachments;
  if (content.length > most) {
    const limit = `${most / 1_048_576} MB (${most} bytes)`;
    return faulty(`must be at most ${limit} as a PDF; as a PDF it has ${content.length} bytes`);
  }
  const file = { path, name: `${name}.pdf`, mediaType: "application/pdf", bytes: content.length, content };
  return { file };
}
