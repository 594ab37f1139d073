import type { Invocation } from "../core/context.ts";
import type { Exit } from "../core/exit-codes.ts";
import { type Column, note, printList } from "../core/output.ts";
import { onOneLine } from "../core/plain-text.ts";
import { asFeedback } from "./deliver-feedback.ts";
import { itemsForHere } from "./items-by-server.ts";
import { printSpooled } from "./list-spooled.ts";
import { resendEach, type Sent } from "./resend.ts";
import { attempt } from "./send.ts";
import type { Spool } from "./spool.ts";
import type { OutgoingFeedback } from "./stored-feedback.lazy.ts";
import { undelivered } from "./undelivered.ts";

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
export async function resendAll(invocation: Invocation, spool: Spool<OutgoingFeedback>): Promise<Exit> {
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
