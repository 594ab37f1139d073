import { placesOf } from "../../client/body.ts";
import { type Exit, usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { type Column, note, printList } from "../core/output.ts";
import { onOneLine } from "../core/plain-text.ts";
import { asFeedback, preview, undelivered } from "./deliver-feedback.ts";
import {
  discardFrom,
  itemsForHere,
  noteIncomplete,
  refuseOtherServer,
  resendEach,
  type Sent,
} from "./resend.ts";
import { attempt } from "./send.ts";
import { printAnswer } from "./send-feedback.ts";
import { keptItem, type Spool } from "./spool.ts";
import { openFeedbackSpool } from "./spools.ts";
import type { OutgoingFeedback } from "./stored-feedback.lazy.ts";

export interface ResendFlags {
  readonly all?: boolean;
  readonly list?: boolean;
  readonly withoutFiles?: boolean;
}

/** Sends kept reports again, each with its first idempotency key, so that no report is posted twice. */
export async function resend(invocation: Invocation, flags: ResendFlags, id?: string): Promise<Exit> {
  const spool = openFeedbackSpool(invocation);
  if (flags.list) return listSpooled(invocation, spool);
  if (id && !flags.all) return resendOne(invocation, flags, spool, await keptItem(spool, id));
  if (flags.all && !id && !flags.withoutFiles) return resendAll(invocation, spool);
  throw usageError("Name one report, or give --all alone.", "innkeep feedback resend --list");
}

async function resendOne(
  invocation: Invocation,
  { withoutFiles }: ResendFlags,
  spool: Spool<OutgoingFeedback>,
  stored: OutgoingFeedback,
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

/** The result of one kept report. */
interface Resent {
  readonly report: string;
  readonly sent: boolean;
  readonly id: string | null;
  readonly consoleUrl: string | null;
  readonly why: string | null;
}

// A server keeps an idempotency key for a day. An older report that may have arrived could be posted twice.
const keyLifetimeMs = 23 * 3_600_000;

/**
 * Sends all kept reports of this server, oldest first, until one must wait. The exit is that of the first failure.
 */
async function resendAll(invocation: Invocation, spool: Spool<OutgoingFeedback>): Promise<Exit> {
  const due = await dueReports(invocation, spool);
  if (invocation.flags.dryRun) return printSpooled(invocation, due);
  const { rows, left, failure } = await resendEach(due, (report) => resendNext(invocation, report, spool));
  printList(invocation, { items: rows, columns, extra: { left } });
  return failure?.exit ?? "ok";
}

const columns: readonly Column<Resent>[] = [
  { heading: "report", of: ({ report }) => report },
  { heading: "sent", of: ({ sent }) => (sent ? "yes" : "no") },
  { heading: "id", of: ({ id }) => id },
  { heading: "where or why", of: ({ consoleUrl, why }) => consoleUrl ?? why },
];

async function dueReports(
  invocation: Invocation,
  spool: Spool<OutgoingFeedback>,
): Promise<readonly OutgoingFeedback[]> {
  const here = await itemsForHere(invocation, spool);
  const due = here.filter((report) => !isDoubtful(report, invocation.context.clock.now()));
  for (const { id } of here.filter((report) => !due.includes(report))) {
    note(
      invocation,
      `Report ${id} may have arrived more than a day ago. Look in the console; innkeep feedback resend ${id} sends it.`,
    );
  }
  return due;
}

const isDoubtful = ({ lastTry }: OutgoingFeedback, now: Date): boolean =>
  lastTry?.outcome === "unknown" && now.getTime() - Date.parse(lastTry.at) > keyLifetimeMs;

async function resendNext(
  invocation: Invocation,
  report: OutgoingFeedback,
  spool: Spool<OutgoingFeedback>,
): Promise<Sent<Resent>> {
  const kept = { item: report, spool };
  const delivery = await attempt(invocation, kept, asFeedback);
  if (delivery.delivered) {
    const { id = null, consoleUrl = null } = delivery.answer;
    return { row: { report: report.id, sent: true, id, consoleUrl, why: null } };
  }
  const failure = undelivered(kept, delivery);
  const why = onOneLine(delivery.error.message);
  return { row: { report: report.id, sent: false, id: null, consoleUrl: null, why }, failure };
}

interface KeptRow {
  readonly id: string;
  readonly createdAt: string;
  readonly baseUrl: string;
  readonly type: unknown;
  readonly subject: string;
  readonly files: readonly string[];
  readonly outcome: string | null;
  readonly why: string | null;
}

/** Shows the reports that no server has confirmed yet, oldest first. */
async function listSpooled(invocation: Invocation, spool: Spool<OutgoingFeedback>): Promise<Exit> {
  const { items, damaged } = await spool.list();
  noteIncomplete(invocation, spool.kind, damaged);
  return printSpooled(invocation, items);
}

function printSpooled(invocation: Invocation, reports: readonly OutgoingFeedback[]): Exit {
  printList(invocation, { items: reports.map(rowOf), columns: spooledColumns });
  return "ok";
}

const spooledColumns: readonly Column<KeptRow>[] = [
  { heading: "id", of: ({ id }) => id },
  { heading: "created", of: ({ createdAt }) => createdAt },
  { heading: "type", of: ({ type }) => type },
  { heading: "subject", of: ({ subject }) => subject },
  { heading: "files", of: ({ files }) => files.length },
  { heading: "state", of: ({ outcome }) => outcome },
  { heading: "why", of: ({ why }) => why },
  { heading: "server", of: ({ baseUrl }) => baseUrl },
];

const rowOf = ({ id, createdAt, baseUrl, fields, files, lastTry }: OutgoingFeedback): KeptRow => ({
  id,
  createdAt,
  baseUrl,
  type: fields.type,
  subject: String(fields.subject ?? fields.message),
  files: placesOf(files).map(({ file }) => file.name),
  outcome: lastTry?.outcome ?? null,
  why: lastTry?.why ?? null,
});

/** Deletes a kept report. */
export const discard = (invocation: Invocation, _: object, id: string): Promise<undefined> =>
  discardFrom(invocation, openFeedbackSpool(invocation), id);
