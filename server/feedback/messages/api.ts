import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { isWithin } from "../../../src/contract/fields.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { threads as contract } from "../../../src/contract/threads.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { mailReply, receiversOf, replyTo } from "../../mail/outgoing/replies.ts";
import type { ReportRow } from "../../mail/sender-page/store.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { merges } from "../merge/store.ts";
import { replyFrom } from "../saved-replies/rules.ts";
import { changeThread } from "../threads/change.ts";
import { lockedThread } from "../threads/read.ts";
import { endDueSnoozes } from "../threads/store/fields.ts";
import { auditedDelivery, messageKind, messageVerbs, newerMessage } from "./rules.ts";
import { type MessageRow, messages } from "./store.ts";

/** Adds a note or a reply to a thread, and may also change the thread. (rules F35, F37, F38) */
export function addMessage(
  deps: Pick<Deps, "clock" | "database" | "newId" | "sealer" | "settings" | "time">,
): Handlers<typeof contract>["addMessage"] {
  const record = createAuditWriter(deps);
  return async ({
    caller,
    address,
    params: { id: asked },
    body: { direction, body, change, ...reply },
    save,
  }) => {
    await endDueSnoozes(deps);
    return save(async (tx) => {
      // The time of the message is read after the lock. So messages are stored in the order of their times.
      const { id, appId } = await lockedThread(tx, asked, caller);
      const isReply = direction === "outbound";
      const isToEveryone = isReply && reply.everyone === true;
      if ((change || isToEveryone) && id !== asked.toLowerCase()) throw new ApiError("merged");
      if (isReply) await refuseUnseenMessage(tx, id, { ...reply, userId: caller.userId });
      if (isToEveryone) await refuseUnseenMerge(tx, id, reply.expectedMergeId);
      const sent = isReply
        ? await replyTo(tx, id, { ...reply, reportId: reply.reportId ?? asked })
        : undefined;
      if (isToEveryone && sent) refuseUnseenReceivers(sent.reports, reply.expectedReceivers);
      if (change) await changeThread(deps, tx, { caller, address, id, appId, change });
      const createdAt = deps.clock.now().toISOString();
      const message = {
        id: deps.newId(),
        feedbackId: id,
        author: "team",
        authorId: caller.userId,
        direction,
        body: sent ? filledReply(body, sent.reports, isToEveryone) : body,
        createdAt,
      } as const;
      await messages.insert(tx, { ...message, ...sent?.stored });
      if (isReply)
        await recordEvent(deps, tx, {
          ...{ appId, type: "feedback.replied", subjectId: id, at: createdAt },
          facts: { messageId: message.id, from: "team" },
        });
      const delivery = sent && (await mailReply(deps, tx, { message, reports: sent.reports }));
      const changes = delivery ? [{ field: "delivery", to: auditedDelivery(delivery) }] : undefined;
      await record(tx, { caller, address }, { action: `message.${direction}`, appId, target: id, changes });
      return delivery ? { ...message, delivery } : message;
    });
  };
}

/**
 * Returns the text of a reply with its placeholders filled in. Throws `bad_request` for an empty or too long
 * text. (rule F32)
 */
function filledReply(body: string, [report]: readonly ReportRow[], isToEveryone: boolean): string {
  if (!report) return body;
  const { senderName, appName: app, senderPages } = report;
  const text = replyFrom(body, { name: isToEveryone ? null : senderName, app, hasPage: senderPages === 1 });
  if (text.trim() === "") throw badRequest("body", "has only placeholders that are empty for this receiver");
  if (!isWithin(text, limits.message))
    throw badRequest(
      "body",
      `must have at most ${limits.message} characters with its placeholders filled in`,
    );
  return text;
}

/**
 * Throws `answered` if the writer has not seen a message of another person. The caller must lock the thread first.
 * (rule F35)
 */
async function refuseUnseenMessage(
  tx: Transaction,
  id: string,
  {
    expectedMessageId: expected,
    userId,
  }: {
    readonly expectedMessageId?: string | null | undefined;
    /** The account that writes the reply. */
    readonly userId: string;
  },
): Promise<void> {
  if (expected === undefined) return;
  const newer = newerMessage(await messages.list(tx, id), { expected, userId });
  if (newer === undefined) return;
  throw new ApiError("answered", {
    message: `${whatHappened(newer)} at ${newer.createdAt}. Read this ${nounOf(newer)} before you reply.`,
  });
}

/**
 * Throws `answered` if the writer has not seen the last merge. The caller must lock the thread first.
 * (rule F35)
 */
async function refuseUnseenMerge(
  tx: Transaction,
  id: string,
  expected: string | null | undefined,
): Promise<void> {
  if (expected === undefined) return;
  const last = (await merges.into(tx, id)).at(-1);
  if (last === undefined || last.id === expected?.toLowerCase()) return;
  throw new ApiError("answered", {
    message: `Another thread was merged into this thread at ${last.mergedAt}, so the reply would go to more senders. Check who gets the reply before you send it.`,
  });
}

/**
 * Throws `answered` if other senders than expected would get the reply, for example after a hidden report
 * became visible. (rule F35)
 */
function refuseUnseenReceivers(reports: readonly ReportRow[], expected: string | undefined): void {
  if (expected === undefined || expected === receiversOf(reports)) return;
  throw new ApiError("answered", {
    message: "The senders who would get the reply have changed. Check who gets the reply before you send it.",
  });
}

/**
 * Describes the new message for an error. Senders' names are left out, because a stranger can choose any name.
 */
function whatHappened(message: MessageRow): string {
  const kind = kindOf(message);
  if (kind === "repeat") return "Somebody reported the same problem again";
  if (kind === "answer") return "The sender answered";
  const who = message.email ?? (message.author === "agent" ? "An agent" : "Somebody else");
  return `${who} ${messageVerbs[kind]}`;
}

function nounOf(message: MessageRow): string {
  const kind = kindOf(message);
  if (kind === "plan") return "plan";
  return kind === "outcome" ? "report" : "message";
}

const kindOf = ({ isRepeat, beginning, ...message }: MessageRow) =>
  messageKind({ ...message, isRepeat: isRepeat === 1, body: beginning });
