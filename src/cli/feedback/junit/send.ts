import type { CliError, Exit } from "../../core/cli-error.ts";
import type { Invocation } from "../../core/context.ts";
import { DryRun, type RequestView, textOfRequest } from "../../core/dry-run.ts";
import { cliErrorOf } from "../../core/failures.ts";
import { type InputFault, inputFaultsError } from "../../core/input.ts";
import { note, printOne } from "../../core/output.ts";
import { onOneLine } from "../../core/plain-text.ts";
import { preview } from "../../delivery/deliver-feedback.ts";
import { remind } from "../../delivery/send.ts";
import { reportOf } from "../../delivery/send-feedback.ts";
import { openFeedbackSpool } from "../../delivery/spools.ts";
import { failureText, reportFailureToJob, warnAndContinue } from "../../delivery/tell-ci-job.ts";
import { deliverReports, printReports, type SentReports } from "./deliver.ts";
import { type FailureDraft, failureDrafts, foreignFlags, type JunitFlags } from "./drafts.ts";
import { hashOf } from "./failure.ts";
import { type ReadReports, readReports } from "./read-reports.ts";
import { tellJob, warnJob, warnOfDoubts } from "./tell-job.ts";
import type { Outcome, TestResult } from "./test-result.ts";

/**
 * Sends a report about each failing test of JUnit reports. With `--best-effort` the exit is `ok` whatever happens, and
 * warnings say what was lost. (rule F26)
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
    drafts.map((draft) => ({ ...draft, report: reportOf(withOwnKey(invocation, draft), draft.draft) })),
  );
  return endWith(invocation, flags, { ...sent, counts: countsOf(read) });
}

/** Throws the faults; with `--best-effort` they are warnings. */
function acceptFaults(invocation: Invocation, flags: JunitFlags, faults: readonly InputFault[]): void {
  if (faults.length > 0 && !flags.bestEffort) throw inputFaultsError(faults);
  const title = "A test report cannot be used";
  for (const { flag, message } of faults)
    warnJob(invocation, { title, message: onOneLine(`${flag} ${message}.`) });
}

/** The failing tests, flaky ones last; between them what stands for reports that cannot be read. */
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
      ? "There is no test in the reports: nothing is sent."
      : `No test failed (${counts.passed} passed, ${counts.skipped} skipped): nothing is sent.`,
  );
  return "ok";
}

/** Each report has a key of its own, also if the person gives one. */
function withOwnKey(invocation: Invocation, { draft }: FailureDraft): Invocation {
  const { idempotencyKey } = invocation.flags;
  if (idempotencyKey === undefined) return invocation;
  const key = `${idempotencyKey}-${hashOf([String(draft.fields.dedupeKey)])}`;
  return { ...invocation, flags: { ...invocation.flags, idempotencyKey: key } };
}

/** For `--dry-run`: shows every request that would be sent. */
async function printPreviews(invocation: Invocation, drafts: readonly FailureDraft[]): Promise<Exit> {
  const requests: RequestView[] = [];
  for (const { draft } of drafts) {
    try {
      await preview(invocation, reportOf(invocation, draft));
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
  await tellJob(invocation, sent, bestEffort ? "warning" : "error");
  printReports(invocation, sent);
  if (failure === undefined) {
    await remind(invocation, openFeedbackSpool(invocation));
    return "ok";
  }
  noteUnsent(invocation, failure, sent.left);
  if (invocation.context.signal.aborted) throw failure;
  return bestEffort ? "ok" : failure.exit;
}

function noteUnsent(invocation: Invocation, failure: CliError, left: number): void {
  const count = left === 1 ? "One report was" : `${left} reports were`;
  note(invocation, `Warning: ${count} not sent.\n${failureText(failure)}`);
  if (left > 1) note(invocation, "All of them: innkeep feedback resend --all");
}
