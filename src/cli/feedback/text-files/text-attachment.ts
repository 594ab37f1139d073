import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { feedbackFiles } from "../../../contract/limits.ts";
import type { Conversion, FileCheck } from "../../delivery/sent-files.ts";
import { pdfOfText } from "./text-pdf.ts";

/** Text files are sent as PDFs, because servers take no other attachments. (rule L20) */
export const asPdf: Conversion = {
  names: "a text file (.txt, .log, .json or .xml)",
  takes: (path) => /\.(?:txt|log|json|xml)$/i.test(path),
  convert: async (path, has) => {
    if (has > mostTextBytes)
      return faulty(`is too large: a text can have ${mostTextBytes} bytes at most; it has ${has}`);
    const bytes = await readFile(path);
    const fault = textFault(bytes);
    return fault ? faulty(fault) : asAttachment(path, bytes);
  },
};

/** A larger text, or one of more lines, takes too long to set. */
const mostTextBytes = 33_554_432;
const mostLines = 500_000;

const faulty = (fault: string): FileCheck => ({ faults: [fault] });

function textFault(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return "is no text: it has NUL bytes";
  if (hasMoreLines(bytes, mostLines)) return `has too many lines: a text can have ${mostLines} at most`;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return undefined;
  } catch {
    return "is no text in UTF-8";
  }
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

function hasMoreLines(bytes: Buffer, most: number): boolean {
  let lines = 0;
  for (let at = 0; at < bytes.length && lines <= most; at += 1) {
    const isEnd = bytes[at] === lineFeed || (bytes[at] === carriageReturn && bytes[at + 1] !== lineFeed);
    if (isEnd) lines += 1;
  }
  return lines > most;
}

function asAttachment(path: string, bytes: Buffer): FileCheck {
  const name = basename(path);
  const content = pdfOfText({ name, bytes });
  const { bytes: most } = feedbackFiles.attachments;
  if (content.length > most) {
    const limit = `${most / 1_048_576} MB (${most} bytes)`;
    return faulty(`must be at most ${limit} as a PDF; as a PDF it has ${content.length} bytes`);
  }
  const file = { path, name: `${name}.pdf`, mediaType: "application/pdf", bytes: content.length, content };
  return { file };
}
