import { ApiError } from "../../../src/contract/errors.ts";
import { withoutSenderLinks } from "../../../src/contract/report-texts.ts";
import { audit } from "../../access/audit/store.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { blockedSenders } from "../../feedback/blocked-senders/store.ts";
import { messages } from "../../feedback/messages/store.ts";
import { recordThreadChange } from "../../feedback/threads/change.ts";
import { senderActor } from "../../feedback/threads/rules.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { type ReportRow, reports } from "./store.ts";

/** The maximum number of answers to one report in an hour, by page and by mail together. (rule M11) */
const mostAnswers = 20;

const hour = 3_600_000;

/** The number of seconds after which a sender who has reached the limit may answer again. */
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

/**
 * Adds a sender's answer. Returns the report; undefined if the answer is already stored. Throws `not_found`.
 * (rule M11)
 */
export async function addAnswer(
  { clock, newId }: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  {
    report: asked,
    id,
    body,
    confirmed,
    foreignFrom,
    files,
  }: {
    readonly report: ReportRow;
    readonly id: string;
    readonly body: string;
    /** The sender's address, if the answer proves that the sender reads the mail of this address. */
    readonly confirmed: string | undefined;
    /** The sender address of a mailed answer, if the address is forged or did not get the answered mail. */
    readonly foreignFrom?: string | undefined;
    /** The files of the answer, as JSON. */
    readonly files?: string | undefined;
  },
): Promise<ReportRow | undefined> {
  const report = await reports.locked(tx, asked);
  if (report === undefined) throw new ApiError("not_found");
  if (await reports.hasMessage(tx, id)) return undefined;
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
  if (blockedBy !== undefined) return report;
  await recordEvent({ newId }, tx, {
    ...{ appId, type: "feedback.replied", subjectId: feedbackId, at: createdAt },
    facts: { messageId: id, from: "sender" },
  });
  const ownerId = await reports.reopen(tx, feedbackId);
  if (ownerId !== undefined) {
    await audit.insert(tx, {
      ...{ id: newId(), at: createdAt, ownerId, actor: senderActor, action: "thread.reopen", appId },
      ...{ target: feedbackId, address: null },
      changes: [{ field: "status", from: "resolved", to: "open" }],
    });
    await recordThreadChange({ newId }, tx, {
      ...{ id: feedbackId, appId, at: createdAt },
      fields: ["status"],
      status: "open",
    });
  }
  if (confirmed !== undefined)
    await reports.confirmAddress(tx, { appId, recipient: confirmed, at: createdAt });
  return report;
}
