import { Worker } from "node:worker_threads";
import type { Budgets } from "../../settings/limits.ts";
import { mailThread } from "./parse-thread.ts";
import {
  type AutomaticMark,
  automaticMark,
  failsAuthentication,
  type IncomingKind,
  kindOfMail,
  saysFailed,
  searched,
  tidyText,
  withQuotationsMarked,
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

/** The folder of the built program, in which each library is a file of its own. */
declare const BUILT_FOLDER: string;

/** What a mail holds, as far as we use it. */
interface ParsedMail {
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly from: string;
  readonly subject: string;
  readonly messageId: string;
  /** All of its text, with quotations. */
  readonly whole: string;
  /** What its sender wrote; empty where nothing but quotations was found, or nothing in the time. */
  readonly written: string;
  /** Every address in it, between spaces; null if there are too many. */
  readonly addresses: string | null;
  readonly attachments: readonly ParsedFile[];
}

interface ParsedFile {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

type Found = Omit<ParsedMail, "whole" | "written"> & { readonly text: string };

interface MailBounds {
  /** Memory for the thread, without the files in the mail. */
  readonly bytes: number;
  readonly milliseconds?: number | undefined;
}

/** Strangers write mails, and the libraries need minutes for some of them. For ordinary mails they need much less. */
const longestMilliseconds = 30_000;

/** The time of the processor that is spent on what a sender wrote, and how often it is looked at. */
const longestSearch = 1_000;

const look = 100;

const bounds = {
  ...{ maxNestingDepth: 20, maxHeadersSize: 262_144, attachmentEncoding: "arraybuffer" },
  // A forwarded mail is a file, and not the words of its sender.
  forceRfc822Attachments: true,
};

const most = {
  ...{ text: 1_000_000, attachments: 100, parts: 1_000, pieces: 20_000 },
  // All addresses, and each side of one.
  ...{ addresses: 100_000, side: 256 },
};

const packages = { mail: "postal-mime", html: "html-to-text", replies: "email-reply-parser" };

const mebibyte = 1_048_576;

/** The bounds of a thread on a machine. */
export const boundsOf = ({ mailThreadBytes }: Pick<Budgets, "mailThreadBytes">): MailBounds => ({
  bytes: mailThreadBytes,
});

/**
 * Takes a mail apart in a thread of its own, so that no mail keeps the server from its requests, or takes its memory. Undefined if
 * it cannot be read within the bounds.
 */
async function parseMail(
  source: Uint8Array,
  { bytes, milliseconds = longestMilliseconds }: MailBounds,
): Promise<ParsedMail | undefined> {
  const worker = startThread(source, bytes);
  try {
    const found = await answerOf<Found>(worker, after(milliseconds));
    if (!found) return undefined;
    const { text, ...mail } = found;
    const tidy = tidyText(text);
    worker.postMessage(withQuotationsMarked(tidy));
    return {
      ...mail,
      whole: tidy.slice(0, searched),
      written: (await answerOf<string>(worker, afterProcessorTime)) ?? "",
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

/** Calls back once, unless it is stopped before. Returns the function that stops it. */
type Alarm = (ring: () => void) => () => void;

const after =
  (milliseconds: number): Alarm =>
  (ring) => {
    const timer = setTimeout(ring, milliseconds);
    return () => clearTimeout(timer);
  };

/** On a busy machine a search takes longer, and is no slower. */
const afterProcessorTime: Alarm = (ring) => {
  const before = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1_000 > longestSearch) ring();
  }, look);
  return () => clearInterval(timer);
};

/** The next message of a thread. Undefined if it ends or fails, or when the alarm rings. */
async function answerOf<Answer>(worker: Worker, alarm: Alarm): Promise<Answer | undefined> {
  let stop = () => {};
  try {
    return await new Promise<Answer | undefined>((resolve) => {
      const none = () => resolve(undefined);
      stop = alarm(none);
      worker.once("message", resolve);
      worker.on("error", none);
      worker.once("exit", none);
    });
  } finally {
    stop();
  }
}
