import { countOf } from "../../../words/phrases.ts";
import { oneLine } from "../../../words/visible.ts";
import { isGitHubActions } from "../../core/ci.ts";
import type { CliError, Exit } from "../../core/cli-error.ts";
import { DryRun, type RequestView, textOfRequest } from "../../core/connection.ts";
import type { Invocation } from "../../core/context.ts";
import { cliErrorOf } from "../../core/failures.ts";
import { annotateJob, annotation, markdownLink, markdownText } from "../../core/github-actions.ts";
import { flagOf, type InputFault, inputFaultsError } from "../../core/input.ts";
import { type Column, note, printList, printOne } from "../../core/output.ts";
import {
  reportFailureToJob,
  showUnsent,
  summarise,
  warnAndContinue,
  writeOutputs,
} from "../../delivery/ci-job-output.ts";
import { type Answer, noteAnswer, reports } from "../../delivery/report.ts";
import {
  failureText,
  itemOf,
  type KeptItem,
  keep,
  remind,
  type SendResult,
  sendEach,
} from "../../delivery/send.ts";
import type { DraftFlags } from "../../delivery/send-report.ts";
import type { Report } from "../../delivery/stored.lazy.ts";
import { type FailureDraft, failureDrafts, hashOf, type JunitFlags } from "./failure.ts";
import { type ReadReports, readReports, warnJob, warnOfDoubts } from "./read-reports.ts";
import type { Outcome, TestResult } from "./test-result.ts";

/**
 * Sends a report for each failing test. With `--best-effort`, prints a warning after an error and returns `ok`.
 * (rule F26)
 */
export async function sendJunit(invocation: Invocation, flags: JunitFlags): Promise<Exit> {
  try {
    return await sendFailures(invocation, flags);
  } catch (error) {
    if (error instanceof DryRun) throw error;
    const failure = cliErrorOf(error);
    if (invocation.context.signal.aborted) throw failure;
    if (flags.bestEffort) return warnAndContinue(invocation, failure);
    await reportFailureToJob(invocation, failure, { level: "error", draft: undefined });
    throw error;
  }
}

async function sendFailures(invocation: Invocation, flags: JunitFlags): Promise<Exit> {
  const read = await readReports(invocation, flags.junit);
  warnOfDoubts(invocation, read.doubts);
  acceptFaults(invocation, flags, [...foreignFlags(flags), ...read.faults]);
  const failing = failingIn(read);
  if (failing.length === 0) return printNothing(invocation, read);
  const drafts = await failureDrafts(invocation, flags, failing);
  if (invocation.flags.dryRun) return printPreviews(invocation, drafts);
  const sent = await deliverReports(
    invocation,
    drafts.map((draft) => ({ ...draft, report: itemOf(withOwnKey(invocation, draft), draft.content) })),
  );
  return endWith(invocation, flags, { ...sent, counts: countsOf(read) });
}

/** The fields whose flags are not allowed with `--junit`, because each report has its own values. */
const ownFields = ["message", "subject", "dedupeKey", "image", "video", "attach"] as const;

/** Returns a fault for each given flag that is not allowed with `--junit`. */
const foreignFlags = (flags: DraftFlags): InputFault[] =>
  ownFields
    .filter((field) => flags[field] !== undefined)
    .map((field) => ({
      flag: flagOf(field),
      message: "cannot be used with --junit, because it differs for each report",
    }));

/** Throws an error if there are faults. With `--best-effort`, prints them as warnings instead. */
function acceptFaults(invocation: Invocation, flags: JunitFlags, faults: readonly InputFault[]): void {
  if (faults.length > 0 && !flags.bestEffort) throw inputFaultsError(faults);
  const title = "A test report cannot be used";
  for (const { flag, message } of faults)
    warnJob(invocation, { title, message: oneLine(`${flag} ${message}.`) });
}

/** Returns the failing tests, then the failures of unreadable reports, then the flaky tests. */
function failingIn({ tests, unread }: ReadReports): readonly TestResult[] {
  const having = (outcome: Outcome) => [...tests.values()].filter((test) => test.outcome === outcome);
  return [...having("failed"), ...unread, ...having("flaky")];
}

export type Counts = Readonly<Record<Outcome, number>>;

function countsOf({ tests }: ReadReports): Counts {
  const counts = { passed: 0, failed: 0, flaky: 0, skipped: 0 };
  for (const { outcome } of tests.values()) counts[outcome] += 1;
  return counts;
}

function printNothing(invocation: Invocation, read: ReadReports): Exit {
  const counts = countsOf(read);
  printOne(invocation, { reports: [], left: 0, tests: counts }, () =>
    read.tests.size === 0
      ? "The reports contain no test. Nothing was sent."
      : `No test failed (${counts.passed} passed, ${counts.skipped} skipped). Nothing was sent.`,
  );
  return "ok";
}

/** Derives the idempotency key of one report from the key that the person set for the command. */
function withOwnKey(invocation: Invocation, { content }: FailureDraft): Invocation {
  const { idempotencyKey } = invocation.flags;
  if (idempotencyKey === undefined) return invocation;
  const key = `${idempotencyKey}-${hashOf([String(content.fields.dedupeKey)])}`;
  return { ...invocation, flags: { ...invocation.flags, idempotencyKey: key } };
}

/** Prints every request that the command would send without `--dry-run`. */
async function printPreviews(invocation: Invocation, drafts: readonly FailureDraft[]): Promise<Exit> {
  const requests: RequestView[] = [];
  for (const { content } of drafts) {
    try {
      await reports.preview(invocation, itemOf(invocation, content));
    } catch (error) {
      if (!(error instanceof DryRun)) throw error;
      requests.push(error.request);
    }
  }
  printOne(invocation, { dryRun: true, requests }, () => requests.map(textOfRequest).join("\n\n"));
  return "ok";
}

async function endWith(
  invocation: Invocation,
  { bestEffort }: JunitFlags,
  sent: SentReports & { readonly counts: Counts },
): Promise<Exit> {
  const { failure } = sent;
  await reportToJob(invocation, sent, bestEffort ? "warning" : "error");
  printReports(invocation, sent);
  if (failure === undefined) {
    await remind(invocation, reports);
    return "ok";
  }
  noteUnsent(invocation, failure, sent.left);
  if (invocation.context.signal.aborted) throw failure;
  return bestEffort ? "ok" : failure.exit;
}

function noteUnsent(invocation: Invocation, failure: CliError, left: number): void {
  const count = left === 1 ? "One report was" : `${left} reports were`;
  note(invocation, `Warning: ${count} not sent.\n${failureText(failure)}`);
  if (left > 1) note(invocation, "To send all of them: innkeep feedback resend --all");
}

/** Shows in a CI job what was sent. Prints unsent reports to the log. */
async function reportToJob(
  invocation: Invocation,
  { drafts, rows, failure }: SentReports,
  level: "warning" | "error",
): Promise<void> {
  const { context, flags } = invocation;
  const pairs = rows.flatMap((row, at) => {
    const draft = drafts[at];
    return draft ? [{ row, draft }] : [];
  });
  if (isGitHubActions(context.env)) {
    for (const { row, draft } of pairs) annotateJob(invocation, annotationOf(draft, row));
    await writeOutputs(invocation, outputsOf(rows));
    await summarise(invocation, ["### Failing tests", pairs.map(({ row }) => summaryLine(row)).join("\n")]);
  }
  if (!failure) return;
  const [first, ...others] = pairs.filter(({ row }) => !row.sent).map(({ draft }) => draft.content);
  await reportFailureToJob(invocation, failure, { level, draft: first });
  if (level === "warning" || !flags.json) for (const content of others) showUnsent(invocation, content);
}

function annotationOf(
  { content, title, headline, isFlaky, place }: FailureDraft,
  { consoleUrl, id, sent }: ReportRow,
): string {
  const level = isFlaky ? "warning" : "error";
  const lines = [headline ?? "", consoleUrl ?? id ?? (sent ? "" : "The report was not sent.")];
  const text = lines.map((text) => oneLine(text)).filter((line) => line !== "");
  return annotation(
    level,
    { title: oneLine(title ?? String(content.fields.subject)), ...place },
    text.join("\n"),
  );
}

const outputsOf = (rows: readonly ReportRow[]): Readonly<Record<string, string | undefined>> => {
  const first = rows.find(({ sent }) => sent);
  return { "feedback-id": first?.id ?? undefined, "console-url": first?.consoleUrl ?? undefined };
};

function summaryLine({ subject, id, consoleUrl, deduplicated, sent }: ReportRow): string {
  const what = deduplicated ? "added to an open thread" : sent ? "sent" : "not sent";
  const place = id === null ? "" : ` ${consoleUrl ? markdownLink(id, consoleUrl) : markdownText(id)}`;
  return `- ${markdownText(subject)}: ${what}${place}`;
}

/** A draft with its report, which the spool keeps and the command sends. */
interface FailureReport extends FailureDraft {
  readonly report: Report;
}

interface ReportRow {
  /** The id of the report in the spool. */
  readonly report: string;
  readonly subject: string;
  readonly dedupeKey: string;
  readonly sent: boolean;
  readonly id: string | null;
  readonly consoleUrl: string | null;
  readonly deduplicated: boolean;
  /** The earlier, resolved thread about the same failure. */
  readonly earlier: Answer["earlier"] | null;
  readonly why: string | null;
}

interface SentReports {
  readonly drafts: readonly FailureDraft[];
  /** The results, in the order of the drafts. */
  readonly rows: readonly ReportRow[];
  readonly left: number;
  /** The error of the first report that was not sent. */
  readonly failure?: CliError | undefined;
}

/**
 * Writes all reports to the spool, then sends them. If the program is killed, the spool keeps the unsent
 * reports.
 */
async function deliverReports(
  invocation: Invocation,
  drafts: readonly FailureReport[],
): Promise<SentReports> {
  const kept: KeptItem<Report>[] = [];
  for (const { report } of drafts) kept.push(await keep(invocation, report, reports));
  const { tried, failure } = await sendEach(invocation, reports, kept, ({ delivery }) => {
    if (delivery.delivered) noteAnswer(invocation, delivery.answer);
  });
  const rowsById = new Map(tried.map((one) => [one.item.id, rowOfResult(one)]));
  const rows = drafts.map(({ report }) => rowsById.get(report.id) ?? rowOf(report, { why: notTried }));
  return { drafts, rows, left: rows.filter(({ sent }) => !sent).length, failure };
}

const notTried = "innkeep did not try to send it, because an earlier report could not be sent.";

function rowOfResult({ item, delivery }: SendResult<Report, Answer>): ReportRow {
  if (!delivery.delivered) return rowOf(item, { why: oneLine(delivery.error.message) });
  const { id = null, consoleUrl = null, deduplicated = false, earlier = null } = delivery.answer;
  return rowOf(item, { sent: true, id, consoleUrl, deduplicated, earlier });
}

const rowOf = ({ id, fields }: Report, more: Partial<ReportRow>): ReportRow => ({
  ...{ report: id, subject: String(fields.subject), dedupeKey: String(fields.dedupeKey) },
  ...{ sent: false, id: null, consoleUrl: null, deduplicated: false, earlier: null, why: null },
  ...more,
});

/** Prints the results of all reports as one list. */
function printReports(
  invocation: Invocation,
  { rows, left, counts }: SentReports & { readonly counts: object },
): void {
  const sent = rows.filter((row) => row.sent);
  const added = sent.filter(({ deduplicated }) => deduplicated).length;
  const open = added === 0 ? "" : `, ${added} of them added to threads that are already open`;
  note(invocation, `${sent.length} of ${countOf(rows.length, "report")} sent${open}.`);
  printList(invocation, { items: rows, columns, name: "reports", extra: { left, tests: counts } });
}

const columns: readonly Column<ReportRow>[] = [
  { heading: "sent", of: ({ sent }) => (sent ? "yes" : "no") },
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "subject", of: ({ subject }) => subject },
  { heading: "link or reason", of: ({ consoleUrl, why }) => consoleUrl ?? why },
];
