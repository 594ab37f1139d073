import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { isMailAddress } from "../address.ts";
import { queueMail, sendsMail } from "../outgoing/queue.ts";
import { statusUrlOf } from "./links.ts";
import { releaseText } from "./rules.ts";
import { type NoteToMail, type ReportRow, releaseMails } from "./store.ts";

const notesAtOnce = 20;
const day = 86_400_000;
/** Old release notes that are imported are no news. */
const newsFor = 7 * day;
/** How many automatic mails an address gets in a day. */
const mostInADay = 3;

type ReleasesDeps = Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings">;

/** The receivers of the mail about a release note: each confirmed address once, for the newest report of its sender. (rule M15) */
export async function audienceOf(
  reader: Reader,
  { id, appId }: Pick<NoteToMail, "id" | "appId">,
): Promise<ReadonlyMap<string, ReportRow>> {
  const confirmed = await releaseMails.addresses(reader, appId);
  const audience = new Map<string, ReportRow>();
  if (confirmed.size === 0) return audience;
  for (const report of await releaseMails.reports(reader, id)) {
    const address = normaliseEmail(report.senderEmail ?? "");
    const isReceiver = confirmed.has(address) && isMailAddress(address) && report.senderPages === 1;
    if (isReceiver && !audience.has(address)) audience.set(address, report);
  }
  return audience;
}

/** Mails the senders of the feedback that newly published release notes name, once. Returns the number of these notes. (rule M15) */
export async function mailReleases(deps: ReleasesDeps): Promise<number> {
  const now = deps.clock.now();
  const notes = await releaseMails.listNotes(deps.database, now.toISOString(), notesAtOnce);
  for (const note of notes) {
    await deps.database.write(async (tx) => {
      if (!(await releaseMails.claim(tx, note.id, now.toISOString()))) return;
      if (!sendsMail(deps.settings) || now.getTime() - Date.parse(note.publishedAt) > newsFor) return;
      for (const [address, report] of await audienceOf(tx, note))
        await queueRelease(deps, tx, note, address, report);
    }, "long");
  }
  return notes.length;
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
  await queueMail(deps, tx, {
    kind: "release",
    to: report.senderEmail?.trim() ?? "",
    subject: `${report.appName} ${note.version}: ${note.title}`,
    text: releaseText({ ...note, ...report, statusUrl, stopUrl }),
    appId: note.appId,
    subjectId: note.id,
    fromName: report.appName,
    unsubscribeUrl: stopUrl,
  });
}
