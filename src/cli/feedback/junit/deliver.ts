import type { CliError } from "../../core/cli-error.ts";
import type { Invocation } from "../../core/context.ts";
import { type Column, note, printList } from "../../core/output.ts";
import { onOneLine } from "../../core/plain-text.ts";
import { type Answer, asFeedback, undelivered } from "../../delivery/deliver-feedback.ts";
import { resendEach, type Sent } from "../../delivery/resend.ts";
import { attempt, type Kept, keep } from "../../delivery/send.ts";
import { droppedOf, tellEarlier } from "../../delivery/send-feedback.ts";
import { openFeedbackSpool } from "../../delivery/spools.ts";
import type { OutgoingFeedback } from "../../delivery/stored-feedback.lazy.ts";
import type { FailureDraft } from "./drafts.ts";

/** A report about a failing test, ready to be kept and sent. */
export interface FailureReport extends FailureDraft {
  readonly report: OutgoingFeedback;
}

/** What became of one report. */
export interface ReportRow {
  /** Its id in the spool. */
  readonly report: string;
  readonly subject: string;
  readonly dedupeKey: string;
  readonly sent: boolean;
  readonly id: string | null;
  readonly consoleUrl: string | null;
  readonly deduplicated: boolean;
  /** The resolved thread of the same failure. */
  readonly earlier: Answer["earlier"] | null;
  readonly why: string | null;
}

export interface SentReports {
  readonly reports: readonly FailureReport[];
  /** In the order of the reports. */
  readonly rows: readonly ReportRow[];
  readonly left: number;
  /** Why the first unsent report was not sent. */
  readonly failure?: CliError | undefined;
}

/**
 * Keeps all reports, then sends one after another until one must wait. What is not sent stays in the spool, also if the
 * program is killed.
 */
export async function deliverReports(
  invocation: Invocation,
  reports: readonly FailureReport[],
): Promise<SentReports> {
  const spool = openFeedbackSpool(invocation);
  const kept = new Map<string, Kept<OutgoingFeedback>>();
  for (const { report } of reports) kept.set(report.id, await keep(invocation, report, spool));
  const tried = await resendEach(
    [...kept.values()].map(({ item }) => item),
    (item) => sendNext(invocation, kept.get(item.id) ?? { item, spool }),
  );
  const rows = reports.map(
    ({ report }) => tried.rows.find((row) => row.report === report.id) ?? rowOf(report, { why: notTried }),
  );
  return { reports, rows, left: rows.filter(({ sent }) => !sent).length, failure: tried.failure };
}

const notTried = "It was not tried, because an earlier report could not be sent.";

async function sendNext(invocation: Invocation, kept: Kept<OutgoingFeedback>): Promise<Sent<ReportRow>> {
  const delivery = await attempt(invocation, kept, asFeedback);
  if (!delivery.delivered) {
    const why = onOneLine(delivery.error.message);
    return { row: rowOf(kept.item, { why }), failure: undelivered(kept, delivery) };
  }
  const { id = null, consoleUrl = null, deduplicated = false, earlier = null } = delivery.answer;
  tellEarlier(invocation, delivery.answer);
  for (const dropped of droppedOf(delivery.answer)) note(invocation, dropped);
  return { row: rowOf(kept.item, { sent: true, id, consoleUrl, deduplicated, earlier }) };
}

const rowOf = ({ id, fields }: OutgoingFeedback, more: Partial<ReportRow>): ReportRow => ({
  ...{ report: id, subject: String(fields.subject), dedupeKey: String(fields.dedupeKey) },
  ...{ sent: false, id: null, consoleUrl: null, deduplicated: false, earlier: null, why: null },
  ...more,
});

/** Prints one document about all reports. */
export function printReports(
  invocation: Invocation,
  { rows, left, counts }: SentReports & { readonly counts: object },
): void {
  const sent = rows.filter((row) => row.sent);
  const added = sent.filter(({ deduplicated }) => deduplicated).length;
  const open = added === 0 ? "" : `, ${added} of them to threads that are open already`;
  note(invocation, `${sent.length} of ${rows.length} reports sent${open}.`);
  printList(invocation, { items: rows, columns, name: "reports", extra: { left, tests: counts } });
}

const columns: readonly Column<ReportRow>[] = [
  { heading: "sent", of: ({ sent }) => (sent ? "yes" : "no") },
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "subject", of: ({ subject }) => subject },
  { heading: "where or why", of: ({ consoleUrl, why }) => consoleUrl ?? why },
];
