import { releaseTranslations } from "../../content/changelog/answer.ts";
import { plainTextOfMarkdown } from "../../content/texts/html.ts";
import { languageFor } from "../../content/texts/rules.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { events } from "../../webhooks/events/store.ts";
import { isMailAddress } from "../address.ts";
import { statusUrlOf } from "../sender-page/links.ts";
import type { ReportRow } from "../sender-page/store.ts";
import { queueMail, sendsMail } from "./queue.ts";
import { languageOfReport, plainNote, releaseText } from "./rules.ts";
import { type NoteToMail, releaseMails } from "./store.ts";

const notesAtOnce = 20;

const day = 86_400_000;

/** The greatest age of a release note for which mails are sent. An older note may have been imported. */
const mailedFor = 7 * day;

/** The maximum number of mails about release notes that an address gets in a day. */
const mostInADay = 3;

type ReleasesDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings">;

/**
 * Returns the receivers of the mail about a release note that names these threads of an app. The receivers are the
 * confirmed addresses of the senders of reports on these threads. The result has the newest report of each address.
 * (rule M15)
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
 * Deletes the waiting mails about a release note that is no longer published. If the note is published again soon, those
 * who have not got a mail about it get one. (rule M15)
 */
export const withdrawRelease = (tx: Transaction, entryId: string, now: Date): Promise<void> =>
  releaseMails.withdraw(tx, entryId, new Date(now.getTime() - mailedFor).toISOString());

/**
 * Handles newly published release notes: stores the event of a note whose date has come, and queues mails to the
 * senders of the feedback in the note. Returns the number of notes. (rule M15)
 */
export async function mailReleases(deps: ReleasesDeps): Promise<number> {
  const now = deps.clock.now();
  const notes = await releaseMails.listNotes(deps.database, now.toISOString(), notesAtOnce);
  for (const note of notes) {
    const wordsFor = wordsOf(note, await plainTextOfMarkdown());
    await deps.database.write(async (tx) => {
      if (!(await releaseMails.claim(tx, note.id, now.toISOString()))) return;
      await recordPublishedByTime(deps, tx, note, now);
      if (!sendsMail(deps.settings) || now.getTime() - Date.parse(note.publishedAt) > mailedFor) return;
      for (const [address, report] of await audienceOf(
        tx,
        note.appId,
        await releaseMails.threads(tx, note.id),
      ))
        await queueRelease(deps, tx, { note, wordsFor, address, report });
    }, "long");
  }
  return notes.length;
}

/**
 * Stores the event that a release note was published, if it is not stored yet. A request stores this event only when it
 * publishes a note immediately. A note with a future date is published when its date comes, without a request.
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
  readonly address: string;
  /** The newest report of the receiver. */
  readonly report: ReportRow;
}

async function queueRelease(
  deps: ReleasesDeps,
  tx: Transaction,
  { note, wordsFor, address, report }: ReleaseMail,
): Promise<void> {
  if (await releaseMails.wasMailed(tx, note.id, address)) return;
  const since = new Date(deps.clock.now().getTime() - day).toISOString();
  if ((await releaseMails.countAutomatic(tx, address, since)) >= mostInADay) return;
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
 * Returns a function that returns the title and the text of a release note for the sender of a report with this
 * metadata. If the report names a language and the note has a translation into this language, they are those of the
 * translation. (rule C35)
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
