import { Worker } from "node:worker_threads";
import type { Budgets } from "../../settings/limits.ts";
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

/** The parts of an incoming mail that we use. */
export interface IncomingMail {
  readonly kind: IncomingKind;
  /** Why it counts as written by a program; undefined if it does not. */
  readonly automaticReason: AutomaticReason | undefined;
  readonly from: string;
  readonly subject: string;
  /** All addresses in it; null if there are too many. */
  readonly addresses: string | null;
  /** Whether the mail server that received it found that the sender address is false. */
  readonly isForged: boolean;
  /** The Message-ID, which is the same for all copies of one mail; empty if it has none. */
  readonly messageId: string;
  /** The text that its sender wrote. If only quotations are found, the whole text. */
  readonly text: string;
  readonly attachments: readonly IncomingFile[];
  /** Whether it reports that one of our mails could not be delivered. */
  readonly failed: boolean;
}

export interface IncomingFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Parses a mail, also a damaged one. Returns undefined if that fails or exceeds the bounds. */
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

/** The folder of the built program. Each library of the thread is a separate file in it. */
declare const BUILT_FOLDER: string;

/** The result of the thread. */
interface ParsedMail {
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly from: string;
  readonly subject: string;
  readonly messageId: string;
  /** Its text, with quotations. */
  readonly wholeText: string;
  /** The text that its sender wrote; empty if only quotations were found, or the search took too long. */
  readonly ownText: string;
  /** All addresses in it, separated by spaces; null if there are too many. */
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
  /** Memory of the thread, without the attachments of the mail. */
  readonly bytes: number;
  readonly milliseconds?: number | undefined;
}

/** The libraries need minutes for some mails of attackers. An ordinary mail needs much less. */
const longestMilliseconds = 30_000;

/** The processor time, in milliseconds, that the search for the sender's own text may use. */
const longestSearch = 1_000;

/** How often the used processor time is checked. */
const checkMilliseconds = 100;

const bounds = {
  ...{ maxNestingDepth: 20, maxHeadersSize: 262_144, attachmentEncoding: "arraybuffer" },
  // A forwarded mail is an attachment: its sender did not write it.
  forceRfc822Attachments: true,
};

const most = {
  ...{ text: 1_000_000, attachments: 100, parts: 1_000, pieces: 20_000 },
  // Characters: of all addresses together, and before and after the @ of one.
  ...{ addresses: 100_000, side: 256 },
};

const packages = { mail: "postal-mime", html: "html-to-text", replies: "email-reply-parser" };

const mebibyte = 1_048_576;

/** The bounds for a thread on this machine. */
export const boundsOf = ({ mailThreadBytes }: Pick<Budgets, "mailThreadBytes">): MailBounds => ({
  bytes: mailThreadBytes,
});

/**
 * Parses a mail in a thread of its own, so that no mail can block the server or use up its memory. Returns undefined if
 * that fails or exceeds the bounds.
 */
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

/** Calls `onReached` when the limit is reached. Returns a function that stops that. */
type Limit = (onReached: () => void) => () => void;

const timeLimit =
  (milliseconds: number): Limit =>
  (onReached) => {
    const timer = setTimeout(onReached, milliseconds);
    return () => clearTimeout(timer);
  };

/** Processor time, because on a busy machine the same search takes longer. */
const processorTimeLimit: Limit = (onReached) => {
  const before = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1_000 > longestSearch) onReached();
  }, checkMilliseconds);
  return () => clearInterval(timer);
};

/** Returns the next message of a thread; undefined if the thread ends, or the limit is reached before. */
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
