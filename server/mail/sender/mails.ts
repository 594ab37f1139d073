import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { ReplyDelivery } from "../../../src/contract/threads.ts";
import { titled } from "../../../src/words/visible.ts";
import { releaseTranslations } from "../../content/changelog/answer.ts";
import { languageFor } from "../../content/languages/rules.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { replyDelivery, type SentReply } from "../../feedback/messages/rules.ts";
import { subjectOf } from "../../feedback/reports/rules.ts";
import { withStatusUrl } from "../../feedback/saved-replies/rules.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { events } from "../../webhooks/events/store.ts";
import { isMailAddress } from "../address.ts";
import { queueMail, sendsMail } from "../outgoing/queue.ts";
import { statusUrlOf } from "./links.ts";
import { type NoteToMail, type ReportRow, releaseMails, reports } from "./store.ts";

/**
 * Returns the reports whose senders get a reply, and the columns with which the message stores its receivers. Throws
 * `bad_request` for a report of another thread. (rule M10)
 */
export async function replyTo(
  reader: Reader,
  feedbackId: string,
  {
    reportId,
    everyone = false,
  }: { readonly reportId?: string | undefined; readonly everyone?: boolean | undefined },
) {
  if (everyone) return { reports: await reports.list(reader, feedbackId), stored: { everyone: 1 } };
  const report = await reports.find(reader, (reportId ?? feedbackId).toLowerCase());
  if (report?.feedbackId !== feedbackId.toLowerCase())
    throw badRequest("reportId", "must be the thread or a repeat on it");
  return { reports: [report], stored: { reportId: report.id } };
}

type ReplyDeps = Pick<Deps, "clock" | "newId" | "sealer" | "settings">;

/**
 * Queues one mail with a reply for each address in these reports. Each mail quotes the newest report of its receiver.
 * Returns how the reply is delivered. (rule M10)
 */
export async function mailReply(
  deps: ReplyDeps,
  tx: Transaction,
  {
    message,
    reports: all,
  }: {
    readonly message: { readonly id: string; readonly body: string };
    /** The reports to which the reply is, newest first. */
    readonly reports: readonly ReportRow[];
  },
): Promise<ReplyDelivery> {
  const [mailed, queued] = [new Set<string>(), new Set<string>()];
  for (const report of all) {
    const to = report.senderEmail?.trim() ?? "";
    const address = normaliseEmail(to);
    if (!isMailAddress(to) || mailed.has(address)) continue;
    mailed.add(address);
    const mailId = await queueMail(deps, tx, {
      kind: "reply",
      to,
      // Does not use the thread's subject, because another person may have written it.
      subject: `Re: your report ${titled(subjectOf(report.category, report.message))}`,
      text: replyText({ ...report, reply: message.body, statusUrl: mailedLink(deps, report) }),
      appId: report.appId,
      subjectId: message.id,
      fromName: report.appName,
      thread: report.id,
      reportId: report.id,
    });
    if (mailId !== undefined) queued.add(address);
  }
  return deliveryOf(deps, {
    receivers: all.map(({ senderEmail }) => senderEmail),
    mailedTo: [...queued],
    onPage: all.every(({ senderPages }) => senderPages === 1),
  });
}

/** Returns how this server delivers a reply. */
export const deliveryOf = (
  { settings }: Pick<Deps, "settings">,
  sent: Omit<SentReply, "sendsMail">,
): ReplyDelivery => replyDelivery({ ...sent, sendsMail: sendsMail(settings) }, normaliseEmail);

const mailedLink = (deps: ReplyDeps, { id, linkCounter, senderPages }: ReportRow): string | undefined =>
  senderPages === 1 ? statusUrlOf(deps, { reportId: id, counter: linkCounter, mailed: true }) : undefined;

/** Returns a new link to the sender's page of a report. Throws `not_found` for a report of another thread. (rule M8) */
export async function renewedLink(
  deps: ReplyDeps,
  tx: Transaction,
  { feedbackId, reportId }: { readonly feedbackId: string; readonly reportId: string },
): Promise<string> {
  const report = await reports.find(tx, reportId.toLowerCase());
  if (report?.feedbackId !== feedbackId.toLowerCase()) throw new ApiError("not_found");
  await reports.renewLink(tx, report);
  return statusUrlOf(deps, { reportId: report.id, counter: report.linkCounter + 1, mailed: false });
}

const notesAtOnce = 20;

const day = 86_400_000;

/** How old a release note may be for its mails. An older one may have been imported, so no mail is sent for it. */
const mailedFor = 7 * day;

/** The most automatic mails that an address gets in a day. */
const mostInADay = 3;

type ReleasesDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings">;

/**
 * Returns the receivers of the mail about a release note that names these threads of an app. These are all confirmed
 * addresses, each with the newest report of its sender. (rule M15)
 */
export async function audienceOf(
  reader: Reader,
  appId: string,
  threadIds: readonly string[],
): Promise<ReadonlyMap<string, ReportRow>> {
  const confirmed = await releaseMails.addresses(reader, appId);
  const audience = new Map<string, ReportRow>();
  if (confirmed.size === 0) return audience;
  for (const report of await releaseMails.reports(reader, threadIds)) {
    const address = normaliseEmail(report.senderEmail ?? "");
    const isReceiver = confirmed.has(address) && isMailAddress(address) && report.senderPages === 1;
    if (isReceiver && !audience.has(address)) audience.set(address, report);
  }
  return audience;
}

/**
 * Queues mails about newly published release notes to the senders of the feedback that these notes name. Returns the
 * number of notes. (rule M15)
 */
export async function mailReleases(deps: ReleasesDeps): Promise<number> {
  const now = deps.clock.now();
  const notes = await releaseMails.listNotes(deps.database, now.toISOString(), notesAtOnce);
  for (const note of notes) {
    await deps.database.write(async (tx) => {
      if (!(await releaseMails.claim(tx, note.id, now.toISOString()))) return;
      await tellPublishedByTime(deps, tx, note, now);
      if (!sendsMail(deps.settings) || now.getTime() - Date.parse(note.publishedAt) > mailedFor) return;
      for (const [address, report] of await audienceOf(
        tx,
        note.appId,
        await releaseMails.threads(tx, note.id),
      ))
        await queueRelease(deps, tx, note, address, report);
    }, "long");
  }
  return notes.length;
}

/**
 * Stores the event that a release note was published, if that has not been done: a note with a date in the future is
 * published by the passing of time.
 */
async function tellPublishedByTime(
  deps: Pick<Deps, "newId">,
  tx: Transaction,
  { id, appId, publishedAt }: NoteToMail,
  now: Date,
): Promise<void> {
  const happening = { appId, type: "changelog.published", subjectId: id } as const;
  if (await events.exists(tx, { ...happening, since: publishedAt })) return;
  await recordEvent(deps, tx, { ...happening, facts: {}, at: now.toISOString() });
}

async function queueRelease(
  deps: ReleasesDeps,
  tx: Transaction,
  note: NoteToMail,
  address: string,
  report: ReportRow,
): Promise<void> {
  const since = new Date(deps.clock.now().getTime() - day).toISOString();
  if ((await releaseMails.countAutomatic(tx, address, since)) >= mostInADay) return;
  const statusUrl = statusUrlOf(deps, { reportId: report.id, counter: report.linkCounter, mailed: true });
  const stopUrl = `${statusUrl}/stop`;
  const title = titleFor(note, await releaseMails.metadata(tx, report.id));
  await queueMail(deps, tx, {
    kind: "release",
    to: report.senderEmail?.trim() ?? "",
    subject: `${report.appName} ${note.version}: ${title}`,
    text: releaseText({ ...note, ...report, title, statusUrl, stopUrl }),
    appId: note.appId,
    subjectId: note.id,
    fromName: report.appName,
    unsubscribeUrl: stopUrl,
  });
}

/** Returns the title of a release note in the language of a report, if the report names one. (rule C35) */
function titleFor(note: NoteToMail, metadata: string): string {
  const translations = releaseTranslations(note);
  const language = languageFor(translations, languageOfReport(metadata) ?? "");
  return (language === undefined ? undefined : translations[language]?.title) ?? note.title;
}

/** The names of metadata in which apps write the language of a report. */
const namesOfLanguage = ["language", "locale", "lang"];

/** Returns the language that an app has written into the metadata of a report; undefined if it has written none. */
function languageOfReport(metadata: string): string | undefined {
  const values: ReadonlyMap<string, unknown> = new Map(Object.entries(Object(JSON.parse(metadata))));
  return namesOfLanguage
    .map((name) => values.get(name))
    .find((value) => typeof value === "string" && value !== "")
    ?.toString();
}

/** Returns the text of the mail about a release note for one sender. (rule M15) */
export const releaseText = ({
  appName,
  version,
  title,
  message,
  createdAt,
  ...links
}: {
  readonly appName: string;
  readonly version: string;
  readonly title: string;
  /** The text of the sender's report. */
  readonly message: string;
  readonly createdAt: string;
  readonly statusUrl: string;
  readonly stopUrl: string;
}): string =>
  [
    `${appName} ${version} is out: ${title}`,
    "",
    `It concerns what you wrote on ${createdAt.slice(0, 10)}:`,
    ...quotedBeginning(message),
    "",
    "Your page, where you can answer:",
    links.statusUrl,
    "",
    "-- ",
    `No more mail about releases of ${appName}:`,
    links.stopUrl,
  ].join("\n");

const quotedLines = 12;

const quotedLength = 1_000;

/**
 * Returns the text of a mail with a reply: the reply, the link to the sender's page, and the beginning of the
 * receiver's report. (rule M10)
 */
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
  /** The link to the sender's page, on which the receiver can answer. */
  readonly statusUrl: string | undefined;
}): string {
  const page = statusUrl === undefined ? [] : ["Answer, and see all replies, on your page:", statusUrl, ""];
  const about = `You wrote to ${appName} on ${createdAt.slice(0, 10)}:`;
  return [withStatusUrl(reply, statusUrl), "", "-- ", ...page, about, ...quotedBeginning(message)].join("\n");
}

/** Returns the first lines of a text. Each line is marked as a quotation. */
function quotedBeginning(message: string): string[] {
  const cut = [...message].slice(0, quotedLength).join("");
  const lines = cut.split(/\r\n?|\n/);
  const isWhole = lines.length <= quotedLines && cut.length === message.length;
  return [...lines.slice(0, quotedLines).map((line) => `> ${line}`), ...(isWhole ? [] : ["> …"])];
}
