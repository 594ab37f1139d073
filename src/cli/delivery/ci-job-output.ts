import { redactText } from "../../client/redact.ts";
import { placesOf } from "../../client/send.ts";
import { systemReason } from "../../words/phrases.ts";
import { oneLine } from "../../words/visible.ts";
import { type BestEffortVerb, isCiJob, isGitHubActions, isGitLab } from "../core/ci.ts";
import type { CliError, Exit } from "../core/cli-error.ts";
import { startInvocation } from "../core/command.ts";
import type { Context, GlobalFlags, Invocation } from "../core/context.ts";
import { cliErrorOf } from "../core/failures.ts";
import {
  addOutput,
  addToSummary,
  annotateJob,
  annotation,
  markdownBlock,
  markdownLink,
  markdownText,
} from "../core/github-actions.ts";
import { note, printable, printOne, withoutCommands } from "../core/output.ts";
import type { Answer } from "./report.ts";
import { failureText, megabytes } from "./send.ts";
import type { ReportContent } from "./stored.lazy.ts";

/** Prints a warning that the feedback was not sent. Returns `ok`, so that the job continues. */
export async function warnAndContinue(
  invocation: Invocation,
  failure: CliError,
  draft?: ReportContent,
): Promise<Exit> {
  await reportFailureToJob(invocation, failure, { level: "warning", draft });
  note(invocation, `Warning: the feedback was not sent.\n${failureText(failure)}`);
  if (!invocation.flags.json) return "ok";
  const { code, message, details } = failure;
  const { spooled = null, ...rest } = details;
  printOne(invocation, { success: false, error: { code, message, ...rest }, spooled }, () => "");
  return "ok";
}

/** Warns that the command line could not be parsed. Returns `ok`, so that the job continues. */
export async function warnUnreadAndContinue(
  context: Context,
  { json }: GlobalFlags,
  { fault, verb }: { readonly fault: unknown; readonly verb: BestEffortVerb },
): Promise<Exit> {
  const invocation = startInvocation(context, { json });
  const failure = cliErrorOf(fault);
  if (verb === "send") return warnAndContinue(invocation, failure);
  note(invocation, `Warning: no feedback was resolved.\n${failureText(failure)}`);
  const { code, message, details } = failure;
  printOne(invocation, { success: false, error: { code, message, ...details } }, () => "");
  return "ok";
}

/**
 * Shows in a GitHub Actions job what was sent. Writes an annotation, the outputs of the step, and the summary.
 */
export async function reportSuccessToJob(
  invocation: Invocation,
  { fields }: ReportContent,
  answer: Answer,
): Promise<void> {
  if (!isGitHubActions(invocation.context.env)) return;
  const { id, consoleUrl, deduplicated } = answer;
  const done = `Feedback ${deduplicated ? "added to an open thread" : "sent"}`;
  const subject = fields.subject ? [String(fields.subject)] : [];
  const place = consoleUrl ?? id;
  annotateJob(
    invocation,
    annotation(
      "notice",
      done,
      [...subject, ...(place ? [place] : [])].map((text) => oneLine(text)).join("\n"),
    ),
  );
  await writeOutputs(invocation, { "feedback-id": id, "console-url": consoleUrl });
  await summarise(invocation, [
    `### ${done}`,
    ...subject.map(markdownText),
    ...(id ? [consoleUrl ? markdownLink(id, consoleUrl) : markdownText(id)] : []),
  ]);
}

/** Shows in a CI job what went wrong, and prints the unsent report to the log. */
export async function reportFailureToJob(
  invocation: Invocation,
  failure: CliError,
  {
    level,
    draft,
  }: {
    readonly level: "warning" | "error";
    /** The report. Undefined if there is none, because the input has faults. */
    readonly draft: ReportContent | undefined;
  },
): Promise<void> {
  const { context, flags } = invocation;
  // With `--json`, an error prints only a JSON object, so the report is printed only after a warning.
  if (draft && (level === "warning" || !flags.json)) showUnsent(invocation, draft);
  if (!isGitHubActions(context.env)) return;
  const text = failureText(failure);
  annotateJob(invocation, annotation(level, "Feedback was not sent", text));
  const report = draft ? [markdownBlock(unsentText(context, draft))] : [];
  const why = text.split("\n").map(markdownText);
  await summarise(invocation, ["### Feedback was not sent", ...why, ...report]);
}

/** Writes the outputs of a GitHub Actions step. */
export async function writeOutputs(
  invocation: Invocation,
  outputs: Readonly<Record<string, string | undefined>>,
): Promise<void> {
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

/** Adds Markdown paragraphs to the job summary of GitHub Actions. If this fails, prints a note. */
export async function summarise(invocation: Invocation, paragraphs: readonly string[]): Promise<void> {
  const { env } = invocation.context;
  if (!isGitHubActions(env) || !env.GITHUB_STEP_SUMMARY) return;
  try {
    await addToSummary(env.GITHUB_STEP_SUMMARY, `${paragraphs.join("\n\n")}\n`);
  } catch (cause) {
    note(invocation, `The job summary cannot be written (${systemReason(cause)}).`);
  }
}

/**
 * Returns unsent feedback for the job log. The text omits secrets and the sender, because many people read
 * logs.
 */
function unsentText({ env }: Context, { fields, files }: ReportContent): string {
  const { message, email, name, metadata, dedupeParts: _, ...rest } = fields;
  const facts = Object.entries(rest).map(([field, value]) => `${field}: ${value}`);
  const names = placesOf(files).map(({ file }) => `file: ${file.name} (${megabytes(file.bytes)})`);
  const lines = [...facts, ...(metadata ? [`metadata: ${JSON.stringify(metadata)}`] : []), ...names];
  return printable(withoutSecrets(env, [...lines, "", String(message ?? "")].join("\n")));
}

/** Prints unsent feedback to the log of a CI job, as a collapsed group if possible. */
export function showUnsent({ context }: Invocation, draft: ReportContent): void {
  if (!isCiJob(context.env)) return;
  const lines = withoutCommands(unsentText(context, draft))
    .split("\n")
    .map((line) => `  ${line}`);
  const [before, after] = frameOf(context);
  context.io.stderr.write([...before, ...lines, ...after, ""].join("\n"));
}

const heading = "Feedback that was not sent";

type Frame = readonly [before: readonly string[], after: readonly string[]];

function frameOf({ env, clock, newId }: Context): Frame {
  if (isGitHubActions(env)) {
    const token = newId();
    return [
      [`::group::${heading}`, `::stop-commands::${token}`],
      [`::${token}::`, "::endgroup::"],
    ];
  }
  if (!isGitLab(env)) return [[`${heading}:`], []];
  const at = Math.floor(clock.now().getTime() / 1_000);
  const clear = "\r\u001b[0K";
  return [
    [`\u001b[0Ksection_start:${at}:innkeep_unsent[collapsed=true]${clear}${heading}`],
    [`\u001b[0Ksection_end:${at}:innkeep_unsent${clear}`],
  ];
}

const secretNames = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_?KEY/i;

const shortestSecret = 6;

/**
 * Returns `text` without the secrets of Innkeep, and without the values of environment variables such as
 * `DATABASE_PASSWORD`.
 */
function withoutSecrets(env: Context["env"], text: string): string {
  const values = Object.entries(env)
    .filter(([name]) => secretNames.test(name))
    .flatMap(([, value = ""]) => [value, ...value.split("\n")])
    .map((value) => value.trim())
    .filter((value) => value.length >= shortestSecret)
    .sort((a, b) => b.length - a.length);
  return redactText(values.reduce((left, value) => left.replaceAll(value, "[redacted]"), text));
}
