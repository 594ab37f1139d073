import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { blockedSenders } from "../../feedback/blocked-senders/store.ts";
import { messages } from "../../feedback/messages/store.ts";
import { withoutSenderLinks } from "./links.ts";
import { type ReportRow, reports } from "./store.ts";

/** How many answers a sender may write to one report in an hour, on the page and by mail together. (rule M11) */
const mostAnswers = 20;
const hour = 3_600_000;
/** A refused sender may answer again after so many seconds. */
export const answerPauseSeconds = hour / 1_000;

/** Whether the sender of a report may answer now: the app accepts feedback, and the limit is not reached. */
export async function mayAnswer(
  { clock }: Pick<Deps, "clock">,
  reader: Reader,
  report: ReportRow,
): Promise<boolean> {
  const since = new Date(clock.now().getTime() - hour).toISOString();
  return report.feedbackEnabled === 1 && (await reports.countAnswers(reader, report, since)) < mostAnswers;
}

/** Adds an answer of a sender to the thread. Returns false if the thread has it already. (rule M11) */
export async function addAnswer(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  {
    report,
    id,
    body,
    confirmed,
    foreignFrom,
    files,
  }: {
    readonly report: ReportRow;
    readonly id: string;
    readonly body: string;
    /** The address, if the answer proves that the sender reads its mail. */
    readonly confirmed: string | undefined;
    /** The address from which the answer came, if our mail went to another one. */
    readonly foreignFrom?: string | undefined;
    /** JSON. */
    readonly files?: string | undefined;
  },
): Promise<boolean> {
  await tx.lock(report.feedbackId);
  if (await reports.hasMessage(tx, id)) return false;
  const { id: reportId, feedbackId, appId } = report;
  const createdAt = clock.now().toISOString();
  const blockedBy = await blockedSenders.blocking(tx, appId, [report.senderEmail, foreignFrom]);
  const direction = blockedBy === undefined ? "inbound" : "blocked";
  await messages.insert(tx, {
    ...{ id, feedbackId, direction, createdAt, reportId, blockedBy },
    body: withoutSenderLinks(body),
    ...(foreignFrom === undefined ? {} : { foreignFrom }),
    ...(files === undefined ? {} : { files }),
  });
  if (blockedBy !== undefined) return true;
  await reports.reopen(tx, feedbackId);
  if (confirmed !== undefined)
    await reports.confirmAddress(tx, { appId, recipient: confirmed, at: createdAt });
  return true;
}
