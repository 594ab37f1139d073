import { open, readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { SentFile } from "../../client/body.ts";
import { adviceOn, detectMediaType, signatureBytes } from "../../contract/files.ts";
import { feedbackFiles } from "../../contract/limits.ts";
import { decodedText } from "../../words/decoded-text.ts";
import { systemReason } from "../../words/phrases.ts";
import { hasMoreLines, pdfOfText, type TextFile } from "../../words/text-pdf.ts";
import type { Checked, InputFault } from "../core/input.ts";

/** Text files are sent as PDFs, because servers accept no other attachments. (rule L20) */
export const asPdf: Conversion = {
  names: "a text file",
  takes: (head) => decodedText(head) !== undefined,
  convert: async (path, has) => {
    if (has > mostTextBytes)
      return faulty(`is too large. A text can have at most ${mostTextBytes} bytes, but this one has ${has}`);
    const bytes = await readFile(path);
    const text = decodedText(bytes);
    if (text === undefined) return faulty("is not a text, because it contains bytes that no text contains");
    if (hasMoreLines(text, mostLines))
      return faulty(`has too many lines. A text can have at most ${mostLines}`);
    return asAttachment(path, { bytes, text });
  },
};

/** The maximum size of a text that is converted. A larger text would take too long to convert. */
const mostTextBytes = 33_554_432;

const mostLines = 500_000;

const faulty = (fault: string): FileCheck => ({ faults: [fault] });

function asAttachment(path: string, read: Omit<TextFile, "name">): FileCheck {
  const name = basename(path);
  const content = pdfOfText({ name, ...read });
  const { bytes: most } = feedbackFiles.attachments;
  if (content.length > most) {
    const limit = `${most / 1_048_576} MB (${most} bytes)`;
    return faulty(`must be at most ${limit} as a PDF, but would have ${content.length} bytes`);
  }
  const file = { path, name: `${name}.pdf`, mediaType: "application/pdf", bytes: content.length, content };
  return { file };
}

interface FileRules {
  readonly flag: string;
  readonly most: number;
  readonly bytes: number;
  readonly types: readonly string[];
  /** Returns the flag that accepts files of this media type. Returns undefined if there is none. */
  readonly otherFlag?: (mediaType: string) => string | undefined;
  /** The kind of files that the flag also accepts. They are converted before they are sent. */
  readonly converted?: Conversion;
}

interface Conversion {
  /** The name of this kind of file in messages, such as `a text file`. */
  readonly names: string;
  /** Returns whether a file can be converted. `head` contains its first bytes. */
  readonly takes: (head: Uint8Array) => boolean;
  /** Returns the converted file or its faults. Throws an error if the file cannot be read. */
  readonly convert: (path: string, bytes: number) => Promise<FileCheck>;
}

/**
 * Checks whether every file can be read, and checks its size and media type. Returns the valid files and all faults.
 */
export async function checkSentFiles(
  cwd: string,
  paths: readonly string[],
  rules: FileRules,
): Promise<Checked<readonly SentFile[]>> {
  const { flag, most } = rules;
  const tooMany: InputFault[] =
    paths.length > most
      ? [{ flag, message: `at most ${most} can be sent, but there are ${paths.length}` }]
      : [];
  const checks = await Promise.all(paths.map((path) => checkFile(resolve(cwd, path), rules)));
  return {
    value: checks.flatMap((check) => ("file" in check ? [check.file] : [])).slice(0, most),
    faults: [
      ...tooMany,
      ...checks.flatMap((check, at) =>
        "faults" in check ? check.faults.map((message) => ({ flag: `${flag} ${paths[at]}`, message })) : [],
      ),
    ],
  };
}

/** A file that can be sent, or its faults. */
type FileCheck = { readonly file: SentFile } | { readonly faults: readonly string[] };

async function checkFile(path: string, rules: FileRules): Promise<FileCheck> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return { faults: ["is not a regular file"] };
    if (stats.size === 0) return { faults: ["is empty"] };
    const head = await headOf(path);
    const detected = detectMediaType(head);
    if ((detected === null || isTextAboutPdf(path, head, detected)) && rules.converted?.takes(head))
      return await rules.converted.convert(path, stats.size);
    const faults = [sizeFault(stats.size, rules), kindFault(detected, rules)].filter(
      (fault) => fault !== undefined,
    );
    if (faults.length > 0 || detected === null) return { faults };
    return { file: { path, name: basename(path), mediaType: detected, bytes: stats.size } };
  } catch (cause) {
    return { faults: [`cannot be read (${systemReason(cause)})`] };
  }
}

/** Whether a file is a text, such as a log, that only contains the signature of a PDF. */
const isTextAboutPdf = (path: string, head: Buffer, detected: string): boolean =>
  detected === "application/pdf" && head.indexOf("%PDF-") > 0 && !/\.pdf$/i.test(path);

async function headOf(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(signatureBytes), 0, signatureBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

const sizeFault = (has: number, { bytes }: FileRules): string | undefined =>
  has > bytes ? `must be at most ${bytes / 1_048_576} MB (${bytes} bytes); it has ${has} bytes` : undefined;

function kindFault(detected: string | null, { types, otherFlag, converted }: FileRules): string | undefined {
  if (detected !== null && types.includes(detected)) return undefined;
  const wanted = `must be ${kindNames(types)}`;
  const orConverted = converted ? ` or ${converted.names}` : "";
  if (detected === null) return `${wanted}${orConverted}; its bytes are of no kind that can be sent`;
  const advice = adviceOn(detected);
  if (advice !== undefined) return `${wanted}; its bytes are ${advice}`;
  const other = otherFlag?.(detected);
  return `${wanted}; its bytes are ${kindNames([detected])}${other ? `: send it with ${other}` : ""}`;
}

const names: Readonly<Record<string, string>> = {
  "image/png": "PNG",
  "image/jpeg": "JPEG",
  "image/webp": "WebP",
  "image/gif": "GIF",
  "video/mp4": "MP4",
  "video/webm": "WebM",
  "video/quicktime": "QuickTime",
  "application/pdf": "PDF",
};

/** Returns the names of media types as part of a sentence, such as `MP4, WebM or QuickTime`. */
const kindNames = (mediaTypes: readonly string[]): string =>
  mediaTypes
    .map((mediaType) => names[mediaType] ?? mediaType)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1");

/** Returns the part of a flag's help that says which files the flag accepts. */
export const rulesOf = ({
  most,
  bytes,
  types,
}: {
  readonly most: number;
  readonly bytes: number;
  readonly types: readonly string[];
}): string => `${kindNames(types)}, up to ${most} of ${bytes / 1_048_576} MB each; repeatable`;
