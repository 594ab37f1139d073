import { countOf } from "../../../src/words/phrases.ts";
import { oneLine, visibleText } from "../../../src/words/visible.ts";

/** Mails are sent only about release notes of at most this age. Older release notes may have been imported. */
export const mailedForDays = 7;

/** The maximum number of mails about release notes that an address gets in a day. */
export const mostReleaseMailsInADay = 3;

/** Why nobody gets a mail about a release note. */
const reasonsForAll = {
  noMail: "This server sends no mail.",
  noPages: "This app has no sender pages.",
  before: "The note was already published earlier.",
  old: `The publication time is more than ${mailedForDays} days ago.`,
} as const;

export type ReasonForAll = keyof typeof reasonsForAll;

export const isReasonForAll = (text: string): text is ReasonForAll => Object.hasOwn(reasonsForAll, text);

/** How many senders get a mail about a release note. Also how many senders get none, for each reason. */
export interface ReachCounts {
  readonly receivers: number;
  /** Why nobody gets a mail. If this is set, `unconfirmed`, `unsubscribed`, `mailed` and `full` are 0. */
  readonly reasonForAll?: ReasonForAll | undefined;
  /** The number of senders with a mail address. A person with several reports is one sender. */
  readonly senders: number;
  /** The number of senders who have not confirmed their address. An answer to a mail confirms the address. */
  readonly unconfirmed: number;
  readonly unsubscribed: number;
  /** The number of senders who have already got a mail about the release note. */
  readonly mailed: number;
  /** The number of senders who have already got the maximum number of mails in a day. */
  readonly full: number;
  /** The number of reports without a mail address. Their senders are not known. */
  readonly unaddressed: number;
}

/** Says how many senders get a mail about a release note, and why the others do not. (rule M15) */
export function reachInWords(reach: ReachCounts): string {
  const { receivers, senders, reasonForAll } = reach;
  const total = countOf(senders, "sender");
  const verb = receivers === 1 || senders === 1 ? "gets" : "get";
  const first =
    senders === 0
      ? "No sender gets a mail."
      : `${receivers.toLocaleString("en-US")} of ${total} ${verb} a mail.`;
  return [
    first,
    ...(reasonForAll === undefined ? reasonsInWords(reach) : [reasonsForAll[reasonForAll]]),
  ].join(" ");
}

function reasonsInWords({ unconfirmed, unsubscribed, mailed, full, unaddressed }: ReachCounts): string[] {
  const have = (count: number, rest: string) =>
    count === 0 ? [] : [`${count.toLocaleString("en-US")} ${count === 1 ? "has" : "have"} ${rest}`];
  return [
    ...have(unconfirmed, "not answered a mail yet."),
    ...have(unsubscribed, "unsubscribed."),
    ...have(mailed, "already got a mail about this note."),
    ...have(full, `got ${mostReleaseMailsInADay} mails about release notes in the last 24 hours.`),
    ...(unaddressed === 0
      ? []
      : [`${countOf(unaddressed, "report")} ${unaddressed === 1 ? "has" : "have"} no mail address.`]),
  ];
}

export type MailKind = "reply" | "invitation" | "recovery" | "notice" | "release";

/** The queues of mails. Mails in different queues never wait for each other. */
export type MailQueue = "personal" | "bulk";

export const mailQueues: readonly MailQueue[] = ["personal", "bulk"];

/** Returns the queue for a kind of mail: `personal` if a person waits for the mail, `bulk` otherwise. (rule M4) */
export const queueOf = (kind: MailKind): MailQueue =>
  kind === "release" || kind === "notice" ? "bulk" : "personal";

/** Whether a mail is automatic: no person wrote it to the receiver, and the receiver has not just requested it. */
export const isAutomatic = (kind: MailKind): boolean => queueOf(kind) === "bulk";

const firstPause = 30_000;

const longestPause = 3_600_000;

const firstServerPause = 2_000;

/** The longest pause after failures of the mail server. */
export const longestServerPause = 600_000;

/** The pause of a queue if the mail server can be used but has accepted none of the mails. */
export const pauseInBetween = 10_000;

/** How long the server tries to send a mail: three days, or until `sendBefore` if that is earlier. */
export const longestTryingMilliseconds = 3 * 86_400_000;

/**
 * Returns when to send a mail again after `attempts` failures; undefined if `sendBefore` comes first. (rule M5)
 */
export function nextMailAttempt(
  sendBefore: Date,
  attempts: number,
  now: Date,
  longest = longestPause,
): Date | undefined {
  const next = new Date(now.getTime() + growing(firstPause, longest, attempts));
  return next < sendBefore ? next : undefined;
}

/** Returns the pause, in milliseconds, after `failures` failures of the mail server in succession. (rule M5) */
export const serverPause = (failures: number): number =>
  growing(firstServerPause, longestServerPause, failures);

const growing = (first: number, longest: number, times: number): number =>
  Math.min(longest, first * 2 ** Math.min(times - 1, 30));

/** The waiting mails of apps. */
export interface WaitingMails {
  /** The number of waiting mails, at most `mostCounted` + 1. */
  readonly count: number;
  /** When the oldest waiting mail was queued; null if no mail waits. */
  readonly since: string | null;
  /** Why the mail server refused the waiting mail that was tried last; null if it refused none. */
  readonly error: string | null;
  /** Why the mail server cannot be used; null if it can be used. */
  readonly fault: string | null;
  /** Whether any mail was sent after the oldest waiting mail was queued. */
  readonly sentSince: boolean;
}

/** The maximum number of waiting mails that are counted for a notice. */
export const mostCounted = 1_000;

/** Why mails cannot be sent. */
export interface MailFault {
  readonly count: number;
  /** Whether more mails than `count` wait. */
  readonly isMore: boolean;
  readonly since: string;
  readonly reason: string;
}

/** How long a mail server may refuse mails before the owners see this. Many servers refuse the first attempt. */
const usualRefusal = 900_000;

/**
 * Returns why the waiting mails cannot be sent; undefined if none waits or they may be sent soon. (rule M17)
 */
export function mailFaultOf(
  { count, since, error, fault, sentSince }: WaitingMails,
  now: Date,
): MailFault | undefined {
  if (since === null) return undefined;
  const isRefused = !sentSince && now.getTime() - Date.parse(since) >= usualRefusal;
  const reason = fault ?? (isRefused ? error : null);
  if (reason === null) return undefined;
  return { count: Math.min(count, mostCounted), isMore: count > mostCounted, since, reason };
}

/** Returns a text as one header line, without line breaks and invisible characters. (rule M3) */
export const headerText = (text: string, most: number): string => oneLine(text, most);

/** Removes all invisible characters from the text of a mail, except line feeds and tabs. (rule M3) */
export const bodyText = (text: string): string => `${visibleText(text).text.trim()}\n`;

const quotedLines = 12;

const quotedLength = 1_000;

/** Returns the first lines of a text. Each line is marked as a quotation. */
export function quotedBeginning(message: string): string[] {
  const cut = [...message].slice(0, quotedLength).join("");
  const lines = cut.split(/\r\n?|\n/);
  const isWhole = lines.length <= quotedLines && cut.length === message.length;
  return [...lines.slice(0, quotedLines).map((line) => `> ${line}`), ...(isWhole ? [] : ["> …"])];
}
