import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { blockedSenders } from "../../feedback/blocked-senders/store.ts";
import { messages } from "../../feedback/messages/store.ts";
import { withoutSenderLinks } from "./links.ts";
import { type ReportRow, reports } from "./store.ts";

/** How many answers a sender may write to one report in an hour, on the page and by mail. (rule M11) */
const mostAnswers = 20;
const hour = 3_600_000;
/** When a refused sender may answer again, at the latest. */
export const answerPauseSeconds = hour / 1_000;

export interface NewAnswer {
  readonly report: ReportRow;
  readonly id: string;
  readonly body: string;
  /** The address whose reader this shows to be the sender. */
  readonly confirmed: string | undefined;
  /** The address from which the answer came, if it is another one. */
  readonly foreignFrom?: string | undefined;
  /** JSON. */
  readonly files?: string | undefined;
}

/** Whether the sender of a report may answer now. */
export async function mayAnswer(
  { clock }: Pick<Deps, "clock">,
  reader: Reader,
  report: ReportRow,
): Promise<boolean> {
  const since = new Date(clock.now().getTime() - hour).toISOString();
  return report.feedbackEnabled === 1 && (await reports.countAnswers(reader, report, since)) < mostAnswers;
}

/** Adds an answer of a sender to the thread, once. Returns false if it is there already. (rule M11) */
export async function addAnswer(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  { report, id, body, confirmed, foreignFrom, files }: NewAnswer,
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
