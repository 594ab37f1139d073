import { usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import type { Exit } from "../core/exit-codes.ts";
import { asFeedback, preview } from "./deliver-feedback.ts";
import { refuseOtherServer } from "./items-by-server.ts";
import { listSpooled } from "./list-spooled.ts";
import { resendAll } from "./resend-all.ts";
import { attempt } from "./send.ts";
import { printAnswer } from "./send-feedback.ts";
import { keptItem, type Spool } from "./spool.ts";
import { openFeedbackSpool } from "./spools.ts";
import type { OutgoingFeedback } from "./stored-feedback.lazy.ts";
import { undelivered } from "./undelivered.ts";

export interface ResendFlags {
  readonly all?: boolean;
  readonly list?: boolean;
  readonly withoutFiles?: boolean;
}

/** Sends kept reports again, each with its first idempotency key, so that no report is posted twice. */
export async function resend(invocation: Invocation, flags: ResendFlags, id?: string): Promise<Exit> {
  const spool = openFeedbackSpool(invocation);
  if (flags.list) return listSpooled(invocation, spool);
  if (id && !flags.all) return resendOne(invocation, flags, { spool, stored: await keptItem(spool, id) });
  if (flags.all && !id && !flags.withoutFiles) return resendAll(invocation, spool);
  throw usageError("Name one report, or give --all alone.", "innkeep feedback resend --list");
}

interface StoredReport {
  readonly spool: Spool<OutgoingFeedback>;
  readonly stored: OutgoingFeedback;
}

async function resendOne(
  invocation: Invocation,
  { withoutFiles }: ResendFlags,
  { spool, stored }: StoredReport,
): Promise<Exit> {
  refuseOtherServer(invocation, spool.kind, stored);
  const chosen = withoutFiles ? stripped(invocation, stored) : stored;
  const report = { ...chosen, idempotencyKey: invocation.flags.idempotencyKey ?? chosen.idempotencyKey };
  if (invocation.flags.dryRun) await preview(invocation, report);
  await spool.update(report);

  const kept = { item: report, spool };
  const delivery = await attempt(invocation, kept, asFeedback);
  if (!delivery.delivered) throw undelivered(kept, delivery);
  printAnswer(invocation, delivery.answer);
  return "ok";
}

/**
 * The report without its files is another request and gets another key. Allowed only if the first cannot have
 * arrived.
 */
function stripped({ context }: Invocation, report: OutgoingFeedback): OutgoingFeedback {
  if (report.lastTry?.outcome === "unknown") {
    throw usageError(
      `Report ${report.id} may have arrived whole: without its files it would be posted a second time.`,
      `innkeep feedback resend ${report.id}`,
    );
  }
  return { ...report, files: { images: [], videos: [], attachments: [] }, idempotencyKey: context.newId() };
}
