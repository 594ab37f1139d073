import { Worker } from "node:worker_threads";
import type { Budgets } from "../../settings/settings.ts";
import { mailThread } from "./parse-thread.ts";
import {
  type AutomaticReason,
  automaticReason,
  failsAuthentication,
  type IncomingKind,
  kindOfMail,
  longestSearched,
  saysFailed,
  tidyText,
  withQuotationsMarked,
} from "./rules.ts";

/** The parts of an incoming mail that the server uses. */
export interface IncomingMail {
  readonly kind: IncomingKind;
  /** Why the mail counts as written by a program; undefined if a person wrote the mail. */
  readonly automaticReason: AutomaticReason | undefined;
  readonly from: string;
  readonly subject: string;
  /** All e-mail addresses in the mail, separated by spaces; null if there are too many. */
  readonly addresses: string | null;
  /** Whether the receiving mail server found that the sender address `from` is false. */
  readonly isForged: boolean;
  /** The Message-ID; empty if there is none. A mail that arrives twice has the same Message-ID both times. */
  readonly messageId: string;
  /** The sender's text without quotations. It is the whole text if only quotations were found. */
  readonly text: string;
  readonly attachments: readonly IncomingFile[];
  /** Whether the mail reports that a mail of this server could not be delivered. */
  readonly failed: boolean;
}

export interface IncomingFile {
  readonly name: string;
  /** The type that the mail declares. It can be wrong. */
  readonly mimeType?: string;
  readonly bytes: Uint8Array;
}

/** Parses a mail, even a damaged one. Returns undefined if the mail cannot be parsed within the bounds. */
export async function readMail(source: Uint8Array, bounds: MailBounds): Promise<IncomingMail | undefined> {
  const mail = await parseMail(source, bounds);
  if (!mail) return undefined;
  const { headers, from, subject, addresses, messageId, wholeText, ownText, attachments: files } = mail;
  const statuses = files.filter(({ mimeType }) => mimeType === "message/delivery-status");
  return {
    kind: kindOfMail(headers, from),
    automaticReason: automaticReason(headers, from),
    ...{ from, subject, addresses },
    isForged: failsAuthentication(headers),
    messageId,
    text: ownText.trim() || wholeText,
    attachments: files,
    failed: statuses.some(({ bytes }) => saysFailed(Buffer.from(bytes).toString("utf8"))),
  };
}

/** The folder of the built program. Each library of the worker thread is a separate file in this folder. */
declare const BUILT_FOLDER: string;

/** The content of a mail that the worker thread has parsed. */
interface ParsedMail {
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly from: string;
  readonly subject: string;
  readonly messageId: string;
  /** The text of the mail, with quotations. */
  readonly wholeText: string;
  /** The sender's text without quotations. Empty if there is none, or if the search took too long. */
  readonly ownText: string;
  /** All addresses in the mail, separated by spaces; null if there are too many. */
  readonly addresses: string | null;
  readonly attachments: readonly ParsedFile[];
}

interface ParsedFile {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

type ThreadResult = Omit<ParsedMail, "wholeText" | "ownText"> & { readonly text: string };

interface MailBounds {
  /** How much memory the worker thread may use, in bytes. The attachments of the mail are not included. */
  readonly bytes: number;
  readonly milliseconds?: number | undefined;
}

/** The time limit for parsing one mail. An attacker can write a mail for which the libraries need minutes. */
const longestMilliseconds = 30_000;

/** The processor time, in milliseconds, that the search for the sender's own text may use. */
const longestSearch = 1_000;

/** The time between two checks of the processor time that the search for the sender's text has used. */
const checkMilliseconds = 100;

const bounds = {
  ...{ maxNestingDepth: 20, maxHeadersSize: 262_144, attachmentEncoding: "arraybuffer" },
  // A forwarded mail is handled as an attachment, because the sender did not write it.
  forceRfc822Attachments: true,
};

const most = {
  ...{ text: 1_000_000, attachments: 100, parts: 1_000, pieces: 20_000 },
  // `addresses` limits the characters of all addresses together. `side` limits the characters on each side of
  // an @.
  ...{ addresses: 100_000, side: 256 },
};

const packages = { mail: "postal-mime", html: "html-to-text", replies: "email-reply-parser" };

const mebibyte = 1_048_576;

export const boundsOf = ({ mailThreadBytes }: Pick<Budgets, "mailThreadBytes">): MailBounds => ({
  bytes: mailThreadBytes,
});

/** Parses a mail in a worker thread, with limits of memory and time. Returns undefined if the parsing fails. */
async function parseMail(
  source: Uint8Array,
  { bytes, milliseconds = longestMilliseconds }: MailBounds,
): Promise<ParsedMail | undefined> {
  const worker = startThread(source, bytes);
  try {
    const result = await nextMessage<ThreadResult>(worker, timeLimit(milliseconds));
    if (!result) return undefined;
    const { text, ...mail } = result;
    const tidy = tidyText(text);
    worker.postMessage(withQuotationsMarked(tidy));
    return {
      ...mail,
      wholeText: tidy.slice(0, longestSearched),
      ownText: (await nextMessage<string>(worker, processorTimeLimit)) ?? "",
    };
  } finally {
    await worker.terminate();
  }
}

function startThread(source: Uint8Array, bytes: number): Worker {
  const isBuilt = typeof BUILT_FOLDER === "string";
  const paths = Object.entries(packages).map(([name, library]) => [
    name,
    isBuilt ? `${BUILT_FOLDER}/${library}.cjs` : library,
  ]);
  const own = new Uint8Array(source).buffer;
  return new Worker(mailThread, {
    ...{ eval: true, env: {}, execArgv: [] },
    workerData: { libraries: Object.fromEntries(paths), source: own, bounds, most },
    transferList: [own],
    resourceLimits: {
      maxOldGenerationSizeMb: Math.max(24, Math.floor(bytes / mebibyte)),
      maxYoungGenerationSizeMb: 16,
    },
  });
}

/**
 * Starts a time limit. Calls `onReached` when the limit is reached. Returns a function that stops the limit.
 */
type Limit = (onReached: () => void) => () => void;

const timeLimit =
  (milliseconds: number): Limit =>
  (onReached) => {
    const timer = setTimeout(onReached, milliseconds);
    return () => clearTimeout(timer);
  };

/** Limits the processor time. On a busy machine, a limit of the elapsed time would end searches too early. */
const processorTimeLimit: Limit = (onReached) => {
  const before = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1_000 > longestSearch) onReached();
  }, checkMilliseconds);
  return () => clearInterval(timer);
};

/** Returns the next message of a worker thread; undefined if the thread ends or the limit is reached first. */
async function nextMessage<Message>(worker: Worker, limit: Limit): Promise<Message | undefined> {
  let stop = () => {};
  try {
    return await new Promise<Message | undefined>((resolve) => {
      const none = () => resolve(undefined);
      stop = limit(none);
      worker.once("message", resolve);
      worker.on("error", none);
      worker.once("exit", none);
    });
  } finally {
    stop();
  }
}
