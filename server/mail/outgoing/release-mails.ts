import { itemTypes } from "../../../src/contract/changelog.ts";
import { withoutFeedbackLines } from "../../../src/contract/content-text.ts";
import { oneLine } from "../../../src/words/visible.ts";
import { releaseTranslations } from "../../content/changelog/answer.ts";
import { plainTextOfMarkdown } from "../../content/texts/html.ts";
import { languageFor } from "../../content/texts/rules.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { events } from "../../webhooks/endpoints/store.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { isMailAddress } from "../address.ts";
import { statusUrlOf } from "../sender-page/links.ts";
import type { ReportRow } from "../sender-page/store.ts";
import { queueMail, sendsMail } from "./queue.ts";
import {
  mailedForDays,
  mostReleaseMailsInADay,
  quotedBeginning,
  type ReachCounts,
  type ReasonForAll,
} from "./rules.ts";
import { type NoteToMail, releaseMails } from "./store.ts";

const notesAtOnce = 20;

const day = 86_400_000;

const mailedFor = mailedForDays * day;

type ReleasesDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings">;

/** A release note that may be mailed. */
interface NoteToReach {
  /** The id of the note; undefined if the note is not stored yet. */
  readonly id: string | undefined;
  readonly appId: string;
  /** The threads that the note names. */
  readonly threadIds: readonly string[];
  /** When the mails are queued. */
  readonly at: Date;
}

/** The receivers of the mail about a release note, and why other senders get none. */
export interface Reach {
  /** The newest report of each receiver. The key is the receiver's mail address. */
  readonly receivers: ReadonlyMap<string, ReportRow>;
  readonly counts: ReachCounts;
}

/**
 * Returns the receivers of a note's mail, and how many senders get none. With `reasonForAll`, nobody gets it.
 * (rule M15)
 */
export async function reachOf(
  reader: Reader,
  note: NoteToReach,
  reasonForAll?: ReasonForAll,
): Promise<Reach> {
  const reports = await releaseMails.reports(reader, note.threadIds);
  const { senders, unaddressed } = sendersIn(reports);
  const reason =
    reasonForAll ?? (reports.some(({ senderPages }) => senderPages !== 1) ? "noPages" : undefined);
  const none = { unconfirmed: 0, unsubscribed: 0, mailed: 0, full: 0 };
  if (reason !== undefined) {
    const counts = { ...none, receivers: 0, reasonForAll: reason, senders: senders.size, unaddressed };
    return { receivers: new Map(), counts };
  }
  const obstacles = await obstaclesOf(reader, note, [...senders.keys()]);
  const receivers = new Map([...senders].filter(([address]) => !obstacles.has(address)));
  for (const obstacle of obstacles.values()) none[obstacle] += 1;
  return { receivers, counts: { ...none, receivers: receivers.size, senders: senders.size, unaddressed } };
}

/** Returns the newest report of each sender by address, and the number of reports without an address. */
function sendersIn(reports: readonly ReportRow[]) {
  const senders = new Map<string, ReportRow>();
  const unaddressed = reports.filter((report) => {
    const address = normaliseEmail(report.senderEmail ?? "");
    if (!isMailAddress(address)) return true;
    if (!senders.has(address)) senders.set(address, report);
    return false;
  });
  return { senders, unaddressed: unaddressed.length };
}

type Obstacle = "unconfirmed" | "unsubscribed" | "mailed" | "full";

/**
 * Returns why addresses get no mail about a note. The result does not contain the addresses that get the mail.
 */
async function obstaclesOf(
  reader: Reader,
  { id, appId, at }: NoteToReach,
  senders: readonly string[],
): Promise<ReadonlyMap<string, Obstacle>> {
  const known = await releaseMails.addresses(reader, appId);
  const mailed = id === undefined ? new Set() : await releaseMails.mailed(reader, id);
  const since = new Date(at.getTime() - day).toISOString();
  const obstacles = new Map<string, Obstacle>();
  for (const address of senders) {
    const state = known.get(address);
    if (state?.isUnsubscribed) obstacles.set(address, "unsubscribed");
    else if (!state?.isConfirmed) obstacles.set(address, "unconfirmed");
    else if (mailed.has(address)) obstacles.set(address, "mailed");
    else if ((await releaseMails.countAutomatic(reader, address, since)) >= mostReleaseMailsInADay)
      obstacles.set(address, "full");
  }
  return obstacles;
}

/** Whether a note with this publication time is too old to be mailed. */
const isOld = (publishedAt: number, now: Date): boolean => now.getTime() - publishedAt > mailedFor;

/** Returns who would get a mail. `publishedAt` is in milliseconds since 1970; NaN without a date. (rule M15) */
export async function reachOfPublication(
  { database, settings }: Pick<Deps, "database" | "settings">,
  {
    publishedAt,
    now,
    isOut,
    ...note
  }: Omit<NoteToReach, "at"> & {
    readonly publishedAt: number;
    readonly now: Date;
    /** Whether the note is already published. */
    readonly isOut: boolean;
  },
): Promise<Reach> {
  const at = publishedAt > now.getTime() ? new Date(publishedAt) : now;
  const isTold = isOut || (note.id !== undefined && (await releaseMails.isTold(database, note.id)));
  return reachOf(database, { ...note, at }, reasonFor());

  function reasonFor(): ReasonForAll | undefined {
    if (!sendsMail(settings)) return "noMail";
    if (isTold) return "before";
    return isOld(publishedAt, now) ? "old" : undefined;
  }
}

/**
 * Deletes the waiting mails about a note. If they were queued in the last `mailedForDays` days, a new
 * publication queues mails again. (rule M15)
 */
export const withdrawRelease = (tx: Transaction, entryId: string, now: Date): Promise<void> =>
  releaseMails.withdraw(tx, entryId, new Date(now.getTime() - mailedFor).toISOString());

/**
 * Queues the mails about newly published notes, and stores missing events `changelog.published`. Returns the
 * number of notes. (rule M15)
 */
export async function mailReleases(deps: ReleasesDeps): Promise<number> {
  const now = deps.clock.now();
  const notes = await releaseMails.listNotes(deps.database, now.toISOString(), notesAtOnce);
  for (const note of notes) {
    const wordsFor = wordsOf(note, await plainTextOfMarkdown());
    await deps.database.write(async (tx) => {
      if (!(await releaseMails.claim(tx, note.id, now.toISOString()))) return;
      await recordPublishedByTime(deps, tx, note, now);
      if (!sendsMail(deps.settings) || isOld(Date.parse(note.publishedAt), now)) return;
      const threadIds = await releaseMails.threads(tx, note.id);
      const { receivers } = await reachOf(tx, { ...note, threadIds, at: now });
      for (const report of receivers.values()) await queueRelease(deps, tx, { note, wordsFor, report });
    }, "long");
  }
  return notes.length;
}

/**
 * Stores the event `changelog.published` if it is missing. No request stores the event for a publication time
 * in the future.
 */
async function recordPublishedByTime(
  deps: Pick<Deps, "newId">,
  tx: Transaction,
  { id, appId, publishedAt }: NoteToMail,
  now: Date,
): Promise<void> {
  const happening = { appId, type: "changelog.published", subjectId: id } as const;
  if (await events.exists(tx, { ...happening, since: publishedAt })) return;
  await recordEvent(deps, tx, { ...happening, facts: {}, at: now.toISOString() });
}

interface ReleaseMail {
  readonly note: NoteToMail;
  readonly wordsFor: ReturnType<typeof wordsOf>;
  /** The newest report of the receiver. */
  readonly report: ReportRow;
}

async function queueRelease(
  deps: ReleasesDeps,
  tx: Transaction,
  { note, wordsFor, report }: ReleaseMail,
): Promise<void> {
  const statusUrl = statusUrlOf(deps, { reportId: report.id, counter: report.linkCounter, mailed: true });
  const stopUrl = `${statusUrl}/stop`;
  const { title, text } = wordsFor(await releaseMails.metadata(tx, report.id));
  await queueMail(deps, tx, {
    kind: "release",
    to: report.senderEmail?.trim() ?? "",
    subject: `${report.appName} ${note.version}: ${title}`,
    text: releaseText({ ...report, version: note.version, title, note: text, statusUrl, stopUrl }),
    appId: note.appId,
    subjectId: note.id,
    fromName: report.appName,
    unsubscribeUrl: stopUrl,
  });
}

/** The title and the plain text of a release note in one language. */
interface NoteWords {
  readonly title: string;
  readonly text: string;
}

/**
 * Returns a function that takes a report's metadata. It returns the note in the report's language, if
 * translated. (rule C35)
 */
function wordsOf(note: NoteToMail, plainText: (markdown: string) => string): (metadata: string) => NoteWords {
  const translations = releaseTranslations(note);
  const known = new Map<string, NoteWords>();
  return (metadata) => {
    const language = languageFor(translations, languageOfReport(metadata) ?? "") ?? "";
    const { title, body, items } = translations[language] ?? { ...note, items: JSON.parse(note.items) };
    const { bodyFormat } = note;
    const words = known.get(language) ?? { title, text: plainNote({ bodyFormat, body, items }, plainText) };
    known.set(language, words);
    return words;
  };
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

/** The text of a release note in one language. */
interface NoteText {
  readonly bodyFormat: "items" | "markdown";
  /** The text in Markdown. */
  readonly body: string;
  readonly items: readonly { readonly type: string; readonly text: string }[];
}

/**
 * Returns `items` or `body` as plain text, as `bodyFormat` says. If the result is empty, returns the other
 * field.
 */
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
