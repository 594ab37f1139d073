import { systemReason } from "../../words/system-reason.ts";
import { isGitHubActions } from "../core/ci.ts";
import type { CliError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import {
  addOutput,
  addToSummary,
  annotation,
  markdownBlock,
  markdownLink,
  markdownText,
} from "../core/github-actions.ts";
import { note } from "../core/output.ts";
import { onOneLine } from "../core/plain-text.ts";
import type { Answer } from "./deliver-feedback.ts";
import type { Draft } from "./draft-feedback.ts";
import type { OutgoingFeedback } from "./stored-feedback.lazy.ts";
import { showUnsent, unsentText } from "./unsent-text.ts";

/**
 * Reports to a GitHub Actions job what was sent: as an annotation, as outputs of the step, and on the summary page.
 */
export async function reportSuccessToJob(
  invocation: Invocation,
  { fields }: OutgoingFeedback,
  answer: Answer,
): Promise<void> {
  const { env, io } = invocation.context;
  if (!isGitHubActions(env)) return;
  const { id, consoleUrl, deduplicated } = answer;
  const done = `Feedback ${deduplicated ? "added to an open thread" : "sent"}`;
  const subject = fields.subject ? [String(fields.subject)] : [];
  const place = consoleUrl ?? id;
  io.stderr.write(
    annotation("notice", done, [...subject, ...(place ? [place] : [])].map(onOneLine).join("\n")),
  );
  await writeOutputs(invocation, { "feedback-id": id, "console-url": consoleUrl });
  await summarise(invocation, [
    `### ${done}`,
    ...subject.map(markdownText),
    ...(id ? [consoleUrl ? markdownLink(id, consoleUrl) : markdownText(id)] : []),
  ]);
}

interface UnsentReport {
  readonly level: "warning" | "error";
  /** The report, if it could be made. */
  readonly draft: Draft | undefined;
}

/**
 * Reports to a CI job what went wrong, with the text of the unsent report: in its log, and on GitHub Actions also
 * as an annotation and on the summary page.
 */
export async function reportFailureToJob(
  invocation: Invocation,
  failure: CliError,
  { level, draft }: UnsentReport,
): Promise<void> {
  const { context, flags } = invocation;
  // With --json a failure is one object on standard error; a warning is on standard output.
  if (draft && (level === "warning" || !flags.json)) showUnsent(invocation, draft);
  if (!isGitHubActions(context.env)) return;
  const text = failureText(failure);
  context.io.stderr.write(annotation(level, "Feedback was not sent", text));
  const report = draft ? [markdownBlock(unsentText(context, draft))] : [];
  const why = text.split("\n").map(markdownText);
  await summarise(invocation, ["### Feedback was not sent", ...why, ...report]);
}

/** The message and the next step of a failure, in lines. */
export const failureText = ({ message, details, next }: CliError): string =>
  [
    message,
    ...(details.issues ?? []).map((issue) => `${issue.path} ${issue.message}`),
    ...(next ? [next] : []),
  ].join("\n");

type Outputs = Readonly<Record<string, string | undefined>>;

/** Writes the outputs of a step of GitHub Actions. */
export async function writeOutputs(invocation: Invocation, outputs: Outputs): Promise<void> {
  const { context } = invocation;
  const file = context.env.GITHUB_OUTPUT;
  if (!file) return;
  try {
    for (const [name, value] of Object.entries(outputs)) {
      const delimiter = `innkeep_${context.newId()}`;
      if (value !== undefined) await addOutput(file, { name, value, delimiter });
    }
  } catch (cause) {
    note(invocation, `The outputs of the step cannot be written (${systemReason(cause)}).`);
  }
}

/** Adds paragraphs of Markdown to the summary page of a GitHub Actions job. */
export async function summarise(invocation: Invocation, paragraphs: readonly string[]): Promise<void> {
  const { env } = invocation.context;
  if (!isGitHubActions(env) || !env.GITHUB_STEP_SUMMARY) return;
  try {
    await addToSummary(env.GITHUB_STEP_SUMMARY, `${paragraphs.join("\n\n")}\n`);
  } catch (cause) {
    note(invocation, `The job summary cannot be written (${systemReason(cause)}).`);
  }
}
