import { isGitHubActions } from "../../core/ci.ts";
import type { Invocation } from "../../core/context.ts";
import { annotation, markdownLink, markdownText } from "../../core/github-actions.ts";
import { note } from "../../core/output.ts";
import { onOneLine } from "../../core/plain-text.ts";
import { reportFailureToJob, showUnsent, summarise, writeOutputs } from "../../delivery/tell-ci-job.ts";
import type { FailureReport, ReportRow, SentReports } from "./deliver.ts";
import { headlineOf, titleOf } from "./failure.ts";

/**
 * Reports to a CI job what was sent: on GitHub Actions as annotations at the lines of the tests, as outputs of the step
 * and on the summary page. What was not sent is in the log of the job.
 */
export async function tellJob(
  invocation: Invocation,
  { reports, rows, failure }: SentReports,
  level: "warning" | "error",
): Promise<void> {
  const { context, flags } = invocation;
  const pairs = rows.flatMap((row, at) => {
    const report = reports[at];
    return report ? [{ row, report }] : [];
  });
  if (isGitHubActions(context.env)) {
    for (const { row, report } of pairs) context.io.stderr.write(annotationOf(report, row));
    await writeOutputs(invocation, outputsOf(rows));
    await summarise(invocation, ["### Failing tests", pairs.map(({ row }) => summaryLine(row)).join("\n")]);
  }
  if (!failure) return;
  const [first, ...others] = pairs.filter(({ row }) => !row.sent).map(({ report }) => report.draft);
  await reportFailureToJob(invocation, failure, { level, draft: first });
  if (level === "warning" || !flags.json) for (const draft of others) showUnsent(invocation, draft);
}

/** A fault that does not end the command. */
export function warnJob(
  invocation: Invocation,
  { title, message }: { readonly title: string; readonly message: string },
): void {
  const { env, io } = invocation.context;
  note(invocation, `Warning: ${message}`);
  if (isGitHubActions(env)) io.stderr.write(annotation("warning", title, message));
}

/** Warns of suites that contradict themselves: nobody knows what passed in them. */
export function warnOfDoubts(invocation: Invocation, doubts: readonly string[]): void {
  const title = "A test report contradicts itself";
  for (const doubt of doubts)
    warnJob(invocation, { title, message: onOneLine(`${doubt}. Nothing in it counts as passed.`) });
}

function annotationOf({ test, place, draft }: FailureReport, { consoleUrl, id, sent }: ReportRow): string {
  const level = test?.outcome === "flaky" ? "warning" : "error";
  const title = test ? titleOf(test) : String(draft.fields.subject);
  const lines = [test ? headlineOf(test) : "", consoleUrl ?? id ?? (sent ? "" : "The report was not sent.")];
  const text = lines.map(onOneLine).filter((line) => line !== "");
  return annotation(level, { title: onOneLine(title), ...place }, text.join("\n"));
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
