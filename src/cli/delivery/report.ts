import { open, readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Client } from "../../client/call.ts";
import { ConnectionError, ServerError, UnexpectedAnswerError } from "../../client/errors.ts";
import { routes } from "../../client/routes.ts";
import { feedbackBody, placesOf, type SentFile } from "../../client/send.ts";
import type { Issue } from "../../contract/errors.ts";
import { adviceOn, detectMediaType, signatureBytes } from "../../contract/files.ts";
import { feedbackFiles } from "../../contract/limits.ts";
import { decodedText } from "../../words/decoded-text.ts";
import { systemReason } from "../../words/phrases.ts";
import { hasMoreLines, pdfOfText, type TextFile } from "../../words/text-pdf.ts";
import { oneLine } from "../../words/visible.ts";
import { usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { type Checked, flagOf, type InputFault } from "../core/input.ts";
import { type Column, note, printList, printOne, withoutCommands } from "../core/output.ts";
import { type Explanation, type Failed, type Kind, megabytes, type SendResult } from "./send.ts";
import type { LastTry } from "./spool.ts";
import { filesInPlace, type Report, storedReport, storedReportText } from "./stored.lazy.ts";

/** The server's answer. On servers other than Innkeep, the id and the address may be missing. */
export type Answer = Partial<Awaited<ReturnType<Client["feedback"]["submit"]>>>;

/** How reports are stored, sent and shown. */
export const reports: Kind<Report, Answer> = {
  word: "report",
  noun: "feedback",
  folder: "spool",
  filesOf: ({ files }) => filesInPlace({ ...files }),
  textOf: storedReportText,
  itemIn: storedReport,
  bodyOf: ({ fields, files }) => feedbackBody(fields, files),
  async send(client, request) {
    const answer: Answer = await client.feedback.submit(request).catch(emptyAnswerOf);
    if (answer.success === false)
      throw new ServerError({ status: 200, code: "not_taken", message: notTaken });
    return answer;
  },
  preview,
  withoutFiles,
  isPostedTwiceWithoutKey: true,
  keptText: "The report is kept.",
  explain,
  printAnswer: (invocation, answer) => printAnswer(invocation, answer),
  printKept,
  printResults,
};

/** Status 204 and 205 mean that the server accepted the report. Throws any other error. */
function emptyAnswerOf(error: unknown): Answer {
  if (error instanceof UnexpectedAnswerError && (error.status === 204 || error.status === 205)) return {};
  throw error;
}

const notTaken = "The server answered that it did not accept the feedback.";

async function preview(invocation: Invocation, { fields, files }: Report): Promise<void> {
  const { images, videos, attachments } = files;
  const body = {
    ...fields,
    ...(images.length > 0 && { images: images.map(placeholder) }),
    ...(videos.length > 0 && { videos: videos.map(placeholder) }),
    ...(attachments.length > 0 && {
      attachments: attachments.map((file) => ({ name: file.name, data: placeholder(file) })),
    }),
  };
  await invocation.sender()(routes.feedback.submit, { body });
}

const placeholder = ({ name, mediaType, bytes }: SentFile): string =>
  `<${mediaType} ${name}, ${megabytes(bytes)}>`;

/** Returns the report without files. Throws a usage error if the report may have arrived with its files. */
function withoutFiles({ context }: Invocation, report: Report): Report {
  if (report.lastTry?.outcome === "unknown") {
    throw usageError(
      `Report ${report.id} may have arrived with its files. If you send it again without the files, the server may store it twice.`,
      `innkeep feedback resend ${report.id}`,
    );
  }
  return { ...report, files: { images: [], videos: [], attachments: [] }, idempotencyKey: context.newId() };
}

/** Explains why a report did not arrive, whether the server may have it, and how to send it again. */
function explain({ error, lastTry }: Failed, report: Report): Explanation {
  const isCut = lastTry.outcome === "unsent" && wasCut(error) && placesOf(report.files).length > 0;
  const issues = issuesOf(error, report);
  return {
    sentences: [meaningOf(error, isCut), postedTexts[lastTry.outcome]],
    resend: resendAdvice(error, report, isCut),
    details: issues.length > 0 ? { issues } : {},
  };
}

const postedTexts: Readonly<Record<LastTry["outcome"], string>> = {
  unsent: "Nothing was posted.",
  refused: "Nothing was posted.",
  unknown:
    "It is not known whether the report was posted. If the report is sent again with the same Idempotency-Key, Innkeep posts it only once. " +
    "A server that does not support this header may post the report twice.",
};

function meaningOf(error: Error, isCut: boolean): string | undefined {
  if (isCut) return "A proxy or the server may have a limit that is smaller than this report.";
  if (!(error instanceof ServerError) || error.status !== 403) return undefined;
  return (
    "The status 403 means that this key may not send feedback, or that feedback is turned off for the app. " +
    "An owner of the app can check the rights of the key, and whether feedback is turned on, in the console."
  );
}

// Whether the server closed the connection. Many servers close the connection if a body is too large.
const wasCut = (error: Error): boolean =>
  error instanceof ConnectionError && ["ECONNRESET", "EPIPE"].includes(error.code);

/**
 * Returns the server's faults, each with its flag. After status 413 without faults, returns the sizes of the
 * files.
 */
function issuesOf(error: Error, report: Report): readonly Issue[] {
  if (!(error instanceof ServerError)) return [];
  const found = error.issues.map(({ path, message }) => ({
    path: flagAndFile(path, report),
    message: oneLine(message),
  }));
  return error.status === 413 && found.length === 0 ? sizesOf(report) : found;
}

const sizesOf = ({ files }: Report): Issue[] =>
  placesOf(files).map(({ field, file }) => ({
    path: oneLine(`${flagOfFiles[field]} ${file.name}`),
    message: `has ${megabytes(file.bytes)}`,
  }));

/** Returns the flag and the file name for a field such as `images.1`. For other fields, returns only the flag. */
function flagAndFile(path: string, { files }: Report): string {
  const [field = "", at = ""] = path.split(".");
  const placed = placesOf(files).find((place) => place.field === field && String(place.at) === at);
  if (placed) return oneLine(`${flagOfFiles[placed.field]} ${placed.file.name}`);
  return field === "" ? "" : oneLine(flagOf(field));
}

/** The flag for each field that contains files. */
export const flagOfFiles = { images: "--image", videos: "--video", attachments: "--attach" } as const;

function resendAdvice(error: Error, { id, files }: Report, isCut: boolean): string {
  const isTooLarge = isCut || (error instanceof ServerError && error.status === 413);
  const resend = `innkeep feedback resend ${id}`;
  return isTooLarge && placesOf(files).length > 0 ? `${resend} --without-files` : resend;
}

/** Prints the answer. Omits the sender's page by default, because everybody with its address can open it. */
export function printAnswer(
  invocation: Invocation,
  { statusUrl, ...answer }: Answer,
  wanted: { readonly statusUrl?: boolean } = {},
): void {
  const page = wanted.statusUrl ? { statusUrl } : {};
  // These texts come from the server. Each text is printed on one line and without commands for a CI service.
  const lines = [answer.id, answer.consoleUrl, page.statusUrl]
    .filter((text) => typeof text === "string")
    .map((text) => withoutCommands(oneLine(text)));
  if (!invocation.flags.json && lines.length > 0) {
    note(invocation, answer.deduplicated ? "Added to feedback that is already open." : "Feedback sent.");
  }
  noteAnswer(invocation, answer);
  printOne(invocation, { ...answer, ...page }, () =>
    lines.length > 0 ? lines.join("\n") : "Feedback sent.",
  );
}

/**
 * Prints a note if the failure had occurred before. Also prints notes about content that the server did not
 * store.
 */
export function noteAnswer(invocation: Invocation, answer: Answer): void {
  const { earlier, metadataDropped = [], filesDropped = [], fieldsDropped = [] } = answer;
  if (!invocation.flags.json && typeof earlier?.consoleUrl === "string") {
    const link = withoutCommands(oneLine(earlier.consoleUrl));
    note(invocation, `This failure occurred again. It was resolved before: ${link}`);
  }
  if (metadataDropped.length > 0)
    note(
      invocation,
      `The server dropped metadata, because there was too much of it: ${metadataDropped.join(", ")}.`,
    );
  if (filesDropped.length > 0)
    note(
      invocation,
      `The server dropped files, because the storage of the app is full: ${filesDropped.join(", ")}.`,
    );
  if (fieldsDropped.length > 0)
    note(invocation, `The server dropped fields, because they were too long: ${fieldsDropped.join(", ")}.`);
}

function printKept(invocation: Invocation, kept: readonly Report[]): void {
  const rows = kept.map(({ id, createdAt, baseUrl, fields, files, lastTry }) => ({
    id,
    createdAt,
    baseUrl,
    type: fields.type,
    subject: String(fields.subject ?? fields.message),
    files: placesOf(files).map(({ file }) => file.name),
    outcome: lastTry?.outcome ?? null,
    why: lastTry?.why ?? null,
  }));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { heading: "id", of: ({ id }) => id },
    { heading: "created", of: ({ createdAt }) => createdAt },
    { heading: "type", of: ({ type }) => type },
    { heading: "subject", of: ({ subject }) => subject },
    { heading: "files", of: ({ files }) => files.length },
    { heading: "state", of: ({ outcome }) => outcome },
    { heading: "why", of: ({ why }) => why },
    { heading: "server", of: ({ baseUrl }) => baseUrl },
  ];
  printList(invocation, { items: rows, columns });
}

function printResults(
  invocation: Invocation,
  tried: readonly SendResult<Report, Answer>[],
  left: number,
): void {
  const rows = tried.map(({ item, delivery }) => ({
    report: item.id,
    sent: delivery.delivered,
    id: delivery.delivered ? (delivery.answer.id ?? null) : null,
    consoleUrl: delivery.delivered ? (delivery.answer.consoleUrl ?? null) : null,
    why: delivery.delivered ? null : oneLine(delivery.error.message),
  }));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { heading: "report", of: ({ report }) => report },
    { heading: "sent", of: ({ sent }) => (sent ? "yes" : "no") },
    { heading: "id", of: ({ id }) => id },
    { heading: "link or reason", of: ({ consoleUrl, why }) => consoleUrl ?? why },
  ];
  printList(invocation, { items: rows, columns, extra: { left } });
}

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

/** Returns the files that can be sent, and the faults of all files. */
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

/** Whether a file is a text, such as a log, in which a PDF's signature appears after the beginning. */
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
