import type { BestEffortVerb } from "../core/best-effort.ts";
import type { CliError } from "../core/cli-error.ts";
import { startInvocation } from "../core/command.ts";
import type { Context, GlobalFlags, Invocation } from "../core/context.ts";
import type { Exit } from "../core/exit-codes.ts";
import { cliErrorOf } from "../core/failures.ts";
import { note, printOne } from "../core/output.ts";
import type { Draft } from "./draft-feedback.ts";
import { failureText, reportFailureToJob } from "./tell-ci-job.ts";

/** Warns that feedback was not sent, and lets the job go on. */
export async function warnAndContinue(
  invocation: Invocation,
  failure: CliError,
  draft?: Draft,
): Promise<Exit> {
  await reportFailureToJob(invocation, failure, { level: "warning", draft });
  note(invocation, `Warning: the feedback was not sent.\n${failureText(failure)}`);
  if (!invocation.flags.json) return "ok";
  const { code, message, details } = failure;
  const { spooled = null, ...rest } = details;
  printOne(invocation, { success: false, error: { code, message, ...rest }, spooled }, () => "");
  return "ok";
}

/** The same for a command line that could not be parsed. */
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
