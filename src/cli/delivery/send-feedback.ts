import type { CliError, Exit } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { DryRun } from "../core/dry-run.ts";
import { cliErrorOf } from "../core/failures.ts";
import { note, printOne } from "../core/output.ts";
import { onOneLine, withoutCommands } from "../core/plain-text.ts";
import { type Answer, asFeedback, preview, undelivered } from "./deliver-feedback.ts";
import { type Draft, type DraftFlags, draftOf } from "./draft-feedback.ts";
import { attempt, keep, remind } from "./send.ts";
import type { Spool } from "./spool.ts";
import { openFeedbackSpool } from "./spools.ts";
import type { OutgoingFeedback } from "./stored-feedback.lazy.ts";
import { failureText, reportFailureToJob, reportSuccessToJob, warnAndContinue } from "./tell-ci-job.ts";

export interface SendFlags extends DraftFlags {
  readonly statusUrl?: boolean;
}

/**
 * Checks, keeps and sends one report. With `--best-effort` the exit is `ok` whatever happens, and a warning says
 * what was lost.
 */
export async function send(invocation: Invocation, flags: SendFlags): Promise<Exit> {
  const made: { draft?: Draft } = {};
  let sent: SentReport;
  try {
    made.draft = await draftOf(invocation, flags);
    sent = await sendDraft(invocation, made.draft);
  } catch (error) {
    if (error instanceof DryRun) throw error;
    const failure = cliErrorOf(error);
    if (invocation.context.signal.aborted) throw interrupted(invocation, failure, made.draft);
    if (flags.bestEffort) return warnAndContinue(invocation, failure, made.draft);
    await reportFailureToJob(invocation, failure, { level: "error", draft: made.draft });
    throw error;
  }
  try {
    await reportSent(invocation, sent, flags);
  } catch (error) {
    if (!flags.bestEffort) throw error;
    note(invocation, `Warning: the feedback was sent. ${failureText(cliErrorOf(error))}`);
  }
  return "ok";
}

async function reportSent(
  invocation: Invocation,
  { report, answer, spool }: SentReport,
  flags: SendFlags,
): Promise<void> {
  await reportSuccessToJob(invocation, report, answer);
  printAnswer(invocation, answer, flags);
  await remind(invocation, spool);
}

/** A report that a server took, with its answer. */
interface SentReport {
  readonly report: OutgoingFeedback;
  readonly answer: Answer;
  readonly spool: Spool<OutgoingFeedback>;
}

/** Keeps and sends a checked report. Throws an error that explains why it did not arrive. */
export async function sendDraft(invocation: Invocation, draft: Draft): Promise<SentReport> {
  const report = reportOf(invocation, draft);
  if (invocation.flags.dryRun) await preview(invocation, report);
  const spool = openFeedbackSpool(invocation);
  const kept = await keep(invocation, report, spool);
  const delivery = await attempt(invocation, kept, asFeedback);
  if (!delivery.delivered) throw undelivered(kept, delivery);
  return { report, answer: delivery.answer, spool };
}

/** A draft as a report that can be kept and sent. */
export function reportOf({ context, flags, baseUrl }: Invocation, draft: Draft): OutgoingFeedback {
  const id = context.newId();
  return {
    ...draft,
    id,
    createdAt: context.clock.now().toISOString(),
    baseUrl: baseUrl(),
    idempotencyKey: flags.idempotencyKey ?? id,
    lastTry: null,
  };
}

/**
 * Prints the address of the feedback, if the server gives one. That of the sender's page only if it is wanted: it opens the
 * page for everybody, and logs are read by many.
 */
export function printAnswer(
  invocation: Invocation,
  { statusUrl, ...answer }: Answer,
  wanted: Pick<SendFlags, "statusUrl"> = {},
): void {
  const page = wanted.statusUrl ? { statusUrl } : {};
  // The server wrote these texts: each is one line that no CI service reads as a command.
  const places = [answer.id, answer.consoleUrl, page.statusUrl]
    .filter((place) => typeof place === "string")
    .map((place) => withoutCommands(onOneLine(place)));
  if (!invocation.flags.json && places.length > 0) {
    note(invocation, answer.deduplicated ? "Added to feedback that is open already." : "Feedback sent.");
  }
  tellEarlier(invocation, answer);
  for (const dropped of droppedOf(answer)) note(invocation, dropped);
  printOne(invocation, { ...answer, ...page }, () =>
    places.length > 0 ? places.join("\n") : "Feedback sent.",
  );
}

/** Says that a failure came back which was resolved before. */
export function tellEarlier(invocation: Invocation, { earlier }: Answer): void {
  if (invocation.flags.json || typeof earlier?.consoleUrl !== "string") return;
  const link = withoutCommands(onOneLine(earlier.consoleUrl));
  note(invocation, `This failure came back. It was resolved before: ${link}`);
}

/** What the server did not keep, and why. */
export function droppedOf({ metadataDropped = [], filesDropped = [], fieldsDropped = [] }: Answer): string[] {
  const lines: string[] = [];
  if (metadataDropped.length > 0)
    lines.push(
      `The server dropped metadata, because there was too much of it: ${metadataDropped.join(", ")}.`,
    );
  if (filesDropped.length > 0)
    lines.push(`The server dropped files, because the app has no room for more: ${filesDropped.join(", ")}.`);
  if (fieldsDropped.length > 0)
    lines.push(`The server dropped fields, because they were too long: ${fieldsDropped.join(", ")}.`);
  return lines;
}

/** Reports an interruption: an interrupted program prints nothing else. */
function interrupted(invocation: Invocation, failure: CliError, draft: Draft | undefined): CliError {
  note(invocation, draft ? failureText(failure) : "Interrupted: nothing was sent.");
  return failure;
}
