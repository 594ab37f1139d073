import type { AuditChange } from "../../../src/contract/audit.ts";
import { itemTypes } from "../../../src/contract/changelog.ts";
import { withoutFeedbackLines } from "../../../src/contract/content-text.ts";
import { countOf } from "../../../src/words/phrases.ts";
import { oneLine, visibleText } from "../../../src/words/visible.ts";
import { withStatusUrl } from "../../feedback/saved-replies/rules.ts";

/** Returns the text of a mail with a reply, the link to the sender's page, and the report's beginning. (rule M10) */
export function replyText({
  reply,
  appName,
  message,
  createdAt,
  statusUrl,
}: {
  readonly reply: string;
  readonly appName: string;
  /** The text of the receiver's report. */
  readonly message: string;
  readonly createdAt: string;
  /** The link to the sender's page of the report. The receiver of this mail can answer there. */
  readonly statusUrl: string | undefined;
}): string {
  const page = statusUrl === undefined ? [] : ["Answer, and see all replies, on your page:", statusUrl, ""];
  const about = `You wrote to ${appName} on ${createdAt.slice(0, 10)}:`;
  return [withStatusUrl(reply, statusUrl), "", "-- ", ...page, about, ...quotedBeginning(message)].join("\n");
}

/** The fields of the metadata in which apps write the language of a report. */
const namesOfLanguage = ["language", "locale", "lang"];

/** Returns the language that an app has written into the metadata of a report; undefined if it has written none. */
export function languageOfReport(metadata: string): string | undefined {
  const values: ReadonlyMap<string, unknown> = new Map(Object.entries(Object(JSON.parse(metadata))));
  return namesOfLanguage
    .map((name) => values.get(name))
    .find((value) => typeof value === "string" && value !== "")
    ?.toString();
}

/** Mails are sent only about notes of at most this age. An older note may have been imported. */
export const mailedForDays = 7;

/** The maximum number of mails about release notes that an address gets in a day. */
export const mostReleaseMailsInADay = 3;

/** Why nobody gets a mail about a release note. */
const reasonsForAll = {
  noMail: "This server sends no mail.",
  noPages: "This app has no sender pages.",
  before: "The note was published before.",
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
  /** The number of senders who have not answered. It is not known whether their addresses belong to them. */
  readonly unconfirmed: number;
  readonly unsubscribed: number;
  /** The number of senders who have already got a mail about the note. */
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

/** The text of a release note in one language. */
interface NoteText {
  readonly bodyFormat: "items" | "markdown";
  /** The text in Markdown. */
  readonly body: string;
  readonly items: readonly { readonly type: string; readonly text: string }[];
}

/** Returns a note as plain text. Uses the other field if the field of `bodyFormat` is empty. */
export function plainNote(
  { bodyFormat, body, items }: NoteText,
  plainText: (markdown: string) => string,
): string {
  const [changes, text] = [changesText(items), plainText(body)];
  return bodyFormat === "items" ? changes || text : text || changes;
}

/** Returns a list of changes, with a heading for each type. Leaves out the lines that only name threads. */
function changesText(items: NoteText["items"]): string {
  const shown = items
    .map(({ type, text }) => ({ type, line: oneLine(withoutFeedbackLines(text)) }))
    .filter(({ line }) => line !== "");
  const types = new Set([...itemTypes, ...shown.map(({ type }) => type)]);
  return [...types]
    .map((kind) => ({ kind, changes: shown.filter(({ type }) => type === kind) }))
    .filter(({ changes }) => changes.length > 0)
    .map(({ kind, changes }) =>
      [`${kind[0]?.toUpperCase()}${kind.slice(1)}:`, ...changes.map(({ line }) => `- ${line}`)].join("\n"),
    )
    .join("\n\n");
}

/** The maximum number of characters of a release note in a mail. */
const noteLength = 4_000;

/** Returns the beginning of a text, cut between two words. */
function beginningOf(text: string): string {
  const characters = [...text];
  if (characters.length <= noteLength) return text;
  const cut = characters.slice(0, noteLength).join("");
  return `${(/^.*\s/s.exec(cut)?.[0] ?? cut).trimEnd()} …`;
}

/** Returns the text of the mail about a release note for one sender. (rule M15) */
export const releaseText = ({
  appName,
  version,
  title,
  note,
  message,
  createdAt,
  ...links
}: {
  readonly appName: string;
  readonly version: string;
  readonly title: string;
  /** The text of the note as plain text; empty if there is none. */
  readonly note: string;
  /** The text of the sender's report. */
  readonly message: string;
  readonly createdAt: string;
  readonly statusUrl: string;
  readonly stopUrl: string;
}): string =>
  [
    `${appName} ${version} is available: ${title}`,
    "",
    ...(note === "" ? [] : [beginningOf(note), ""]),
    `This release is about your message of ${createdAt.slice(0, 10)}:`,
    ...quotedBeginning(message),
    "",
    "You can answer on your page:",
    links.statusUrl,
    "",
    "-- ",
    `To stop mails about releases of ${appName}:`,
    links.stopUrl,
  ].join("\n");

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
function quotedBeginning(message: string): string[] {
  const cut = [...message].slice(0, quotedLength).join("");
  const lines = cut.split(/\r\n?|\n/);
  const isWhole = lines.length <= quotedLines && cut.length === message.length;
  return [...lines.slice(0, quotedLines).map((line) => `> ${line}`), ...(isWhole ? [] : ["> …"])];
}

/**
 * Returns a report's first subject; undefined if it was erased. `firstChange` is JSON of its first audit entry.
 * (rule M10)
 */
export function senderSubject(subject: string, firstChange: string | undefined): string | undefined {
  if (firstChange === undefined) return subject;
  const changes: readonly AuditChange[] = JSON.parse(firstChange);
  return changes.find(({ field }) => field === "subject")?.from || undefined;
}
