import { createHash } from "node:crypto";
import type { AuditChange } from "../../../src/contract/audit.ts";
import { badRequest } from "../../../src/contract/errors.ts";
import type { ReplyDelivery } from "../../../src/contract/threads.ts";
import { titled } from "../../../src/words/visible.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { replyDelivery, type SentReply } from "../../feedback/messages/rules.ts";
import { subjectOf } from "../../feedback/reports/rules.ts";
import { withStatusUrl } from "../../feedback/saved-replies/rules.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { isMailAddress } from "../address.ts";
import { statusUrlOf } from "../sender-page/links.ts";
import { type ReportRow, reports } from "../sender-page/store.ts";
import { queueMail, sendsMail } from "./queue.ts";
import { quotedBeginning } from "./rules.ts";

/**
 * Returns the reports that get a reply, and the columns to store. Throws `bad_request` for another thread.
 * (rule M10)
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
    throw badRequest("reportId", "must be the id of the thread or of a repeated report on it");
  return { reports: [report], stored: { reportId: report.id } };
}

/**
 * Returns a hash of all report ids. The newest id alone would not show that a hidden report became visible.
 * (rule F35)
 */
export const receiversOf = (reports: readonly { readonly id: string }[]): string =>
  createHash("sha256")
    .update(
      reports
        .map(({ id }) => id)
        .sort()
        .join(),
    )
    .digest("base64url")
    .slice(0, 22);

type ReplyDeps = Pick<Deps, "clock" | "newId" | "sealer" | "settings">;

/** Queues the mails with a reply, one for each address. Returns how the reply is delivered. (rule M10) */
export async function mailReply(
  deps: ReplyDeps,
  tx: Transaction,
  {
    message,
    reports: all,
  }: {
    readonly message: { readonly id: string; readonly body: string };
    /** The reports whose senders get the reply, newest first. */
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
      subject: `Re: your report ${titled(await ownSubjectOf(tx, report))}`,
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

/**
 * Returns the subject that the sender wrote. Without one, returns a subject made from the message. (rule M10)
 */
async function ownSubjectOf(reader: Reader, report: ReportRow): Promise<string> {
  const { id, category, subject, message } = report;
  const generated = subjectOf(category, message);
  if (subject === null || subject === generated) return generated;
  return senderSubject(subject, await reports.firstSubjectChange(reader, id)) ?? generated;
}

/** Returns how this server delivers a reply. */
export const deliveryOf = (
  { settings }: Pick<Deps, "settings">,
  sent: Omit<SentReply, "sendsMail">,
): ReplyDelivery => replyDelivery({ ...sent, sendsMail: sendsMail(settings) }, normaliseEmail);

const mailedLink = (deps: ReplyDeps, { id, linkCounter, senderPages }: ReportRow): string | undefined =>
  senderPages === 1 ? statusUrlOf(deps, { reportId: id, counter: linkCounter, mailed: true }) : undefined;

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

/**
 * Returns the first subject of a report; undefined if that subject was erased. `firstChange` describes the
 * first change as JSON. (rule M10)
 */
export function senderSubject(subject: string, firstChange: string | undefined): string | undefined {
  if (firstChange === undefined) return subject;
  const changes: readonly AuditChange[] = JSON.parse(firstChange);
  return changes.find(({ field }) => field === "subject")?.from || undefined;
}
