import type { CliError } from "../cli-error.ts";
import type { Invocation } from "../context.ts";
import { note } from "../output.ts";
import { reasonOf } from "../text-flag.ts";
import { isGitHubActions } from "./ci.ts";
import type { Answer } from "./deliver.ts";
import { addToSummary, annotation, markdownLink, markdownText } from "./github.ts";
import type { Report } from "./report.ts";

/** Shows what was sent on the summary page of a GitHub Actions job. */
export async function tellJobOfSuccess(
  invocation: Invocation,
  { fields }: Report,
  answer: Answer,
): Promise<void> {
  const { id, consoleUrl, deduplicated } = answer;
  await summarise(invocation, [
    `### Feedback ${deduplicated ? "added to an open thread" : "sent"}`,
    ...(fields.subject ? [markdownText(String(fields.subject))] : []),
    ...(id ? [consoleUrl ? markdownLink(id, consoleUrl) : markdownText(id)] : []),
  ]);
}

/** Marks a GitHub Actions job with what went wrong, beside the run and on its summary page. */
export async function tellJobOfFailure(
  invocation: Invocation,
  level: "warning" | "error",
  failure: CliError,
): Promise<void> {
  const { env, io } = invocation.context;
  if (!isGitHubActions(env)) return;
  const text = tellingOf(failure);
  io.stderr.write(annotation(level, "Feedback was not sent", text));
  await summarise(invocation, ["### Feedback was not sent", ...text.split("\n").map(markdownText)]);
}

/** All that a failure has to say, line by line. */
export const tellingOf = ({ message, details, next }: CliError): string =>
  [
    message,
    ...(details.issues ?? []).map((issue) => `${issue.path} ${issue.message}`),
    ...(next ? [next] : []),
  ].join("\n");

async function summarise(invocation: Invocation, paragraphs: readonly string[]): Promise<void> {
  const { env } = invocation.context;
  if (!isGitHubActions(env) || !env.GITHUB_STEP_SUMMARY) return;
  try {
    await addToSummary(env.GITHUB_STEP_SUMMARY, `${paragraphs.join("\n\n")}\n`);
  } catch (cause) {
    note(invocation, `The job summary cannot be written (${reasonOf(cause)}).`);
  }
}
