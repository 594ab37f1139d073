import { placesOf } from "../../client/body.ts";
import { redactText } from "../../client/redact.ts";
import { isCiJob, isGitHubActions, isGitLab } from "../core/ci.ts";
import type { Context, Invocation } from "../core/context.ts";
import { printable, withoutCommands } from "../core/plain-text.ts";
import type { Draft } from "./draft-feedback.ts";
import { megabytes } from "./progress.ts";

/**
 * Unsent feedback as text for the job's log: the disk of a runner is deleted, its log is kept. Without secrets and
 * without the sender's name and address, because many people read a log.
 */
export function unsentText({ env }: Context, { fields, files }: Draft): string {
  const { message, email, name, metadata, dedupeParts: _, ...rest } = fields;
  const facts = Object.entries(rest).map(([field, value]) => `${field}: ${value}`);
  const names = placesOf(files).map(({ file }) => `file: ${file.name} (${megabytes(file.bytes)})`);
  const lines = [...facts, ...(metadata ? [`metadata: ${JSON.stringify(metadata)}`] : []), ...names];
  return printable(withoutSecrets(env, [...lines, "", String(message ?? "")].join("\n")));
}

/** Prints unsent feedback to the log of a CI job, as a collapsible group. */
export function showUnsent({ context }: Invocation, draft: Draft): void {
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

/** Without our secrets, and without the values of variables whose names mean a secret. */
function withoutSecrets(env: Context["env"], text: string): string {
  const values = Object.entries(env)
    .filter(([name]) => secretNames.test(name))
    .flatMap(([, value = ""]) => [value, ...value.split("\n")])
    .map((value) => value.trim())
    .filter((value) => value.length >= shortestSecret)
    .sort((a, b) => b.length - a.length);
  return redactText(values.reduce((left, value) => left.replaceAll(value, "[redacted]"), text));
}
