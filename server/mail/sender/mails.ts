import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { ReplyDelivery } from "../../../src/contract/threads.ts";
import { titled } from "../../../src/words/visible.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { replyDelivery, type SentReply } from "../../feedback/messages/rules.ts";
import { subjectOf } from "../../feedback/reports/rules.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { isMailAddress } from "../address.ts";
import { queueMail, sendsMail } from "../outgoing/queue.ts";
import { statusUrlOf } from "./links.ts";
import { replyText } from "./rules.ts";
import { type ReportRow, reports } from "./store.ts";

/**
 * Whose reports a reply on a thread is for, and what is stored of that. Throws `bad_request` for a report of another
 * thread. (rule M10)
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
 * Queues a reply to every address in these reports, once each, about the newest report of its sender. Returns what happened to the
 * reply. (rule M10)
 */
export async function mailReply(
  deps: ReplyDeps,
  tx: Transaction,
  {
    message,
    reports: all,
  }: {
    readonly message: { readonly id: string; readonly body: string };
    /** Newest first. */
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
      // The subject of the thread is not the words of every sender.
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

/** What happened to a reply on this server. */
export const deliveryOf = (
  { settings }: Pick<Deps, "settings">,
  sent: Omit<SentReply, "sendsMail">,
): ReplyDelivery => replyDelivery({ ...sent, sendsMail: sendsMail(settings) }, normaliseEmail);

const mailedLink = (deps: ReplyDeps, { id, linkCounter, senderPages }: ReportRow): string | undefined =>
  senderPages === 1 ? statusUrlOf(deps, { reportId: id, counter: linkCounter, mailed: true }) : undefined;

/** A new link to the page of a report's sender. Throws `not_found` for a report of another thread. (rule M8) */
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
