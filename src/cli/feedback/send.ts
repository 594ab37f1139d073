import { CliError } from "../cli-error.ts";
import type { Invocation } from "../context.ts";
import type { Exit } from "../exit-codes.ts";
import { note, printOne } from "../output.ts";
import { attempt, keep } from "../spool/attempt.ts";
import { remind } from "../spool/remind.ts";
import type { Spool } from "../spool/spool.ts";
import { type Answer, deliver } from "./deliver.ts";
import { type Draft, type DraftFlags, draftOf } from "./draft.ts";
import { tellingOf, tellJobOfFailure, tellJobOfSuccess } from "./job.ts";
import { preview } from "./preview.ts";
import type { Report } from "./report.ts";
import { openSpool } from "./reports.ts";
import { undelivered } from "./undelivered.ts";

export interface SendFlags extends DraftFlags {
  readonly bestEffort?: boolean;
}

/** Checks, keeps and sends one report. Under `--best-effort` it ends well also where the server fails or refuses. */
export async function send(invocation: Invocation, flags: SendFlags): Promise<Exit> {
  const report = reportOf(invocation, await checkedDraft(invocation, flags));
  if (invocation.flags.dryRun) await preview(invocation, report);

  const spool = openSpool(invocation);
  const kept = await keep(invocation, report, spool);
  const delivery = await attempt(invocation, kept, deliver);
  if (delivery.delivered) return succeed(invocation, report, delivery.answer, spool);

  const failure = undelivered(kept, delivery);
  if (invocation.context.signal.aborted) throw interrupted(invocation, failure);
  await tellJobOfFailure(invocation, flags.bestEffort ? "warning" : "error", failure);
  if (!flags.bestEffort) throw failure;
  return goOn(invocation, failure);
}

async function checkedDraft(invocation: Invocation, flags: SendFlags): Promise<Draft> {
  try {
    return await draftOf(invocation, flags);
  } catch (error) {
    if (error instanceof CliError) await tellJobOfFailure(invocation, "error", error);
    throw error;
  }
}

function reportOf({ context, flags, baseUrl }: Invocation, draft: Draft): Report {
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

async function succeed(
  invocation: Invocation,
  report: Report,
  answer: Answer,
  spool: Spool<Report>,
): Promise<Exit> {
  await tellJobOfSuccess(invocation, report, answer);
  printAnswer(invocation, answer);
  await remind(invocation, spool);
  return "ok";
}

/** Shows where the feedback is to be read; a server of the specification alone does not say. */
export function printAnswer(invocation: Invocation, answer: Answer): void {
  const places = [answer.id, answer.consoleUrl].filter((place) => typeof place === "string");
  if (!invocation.flags.json && places.length > 0) {
    note(invocation, answer.deduplicated ? "Added to feedback that is open already." : "Feedback sent.");
  }
  printOne(invocation, answer, () => (places.length > 0 ? places.join("\n") : "Feedback sent."));
}

/** An interrupted program says nothing by itself. */
function interrupted(invocation: Invocation, failure: CliError): CliError {
  note(invocation, tellingOf(failure));
  return failure;
}

function goOn(invocation: Invocation, failure: CliError): Exit {
  note(invocation, `Warning: the feedback was not sent.\n${tellingOf(failure)}`);
  if (!invocation.flags.json) return "ok";
  const { code, message, details } = failure;
  const { spooled = null, ...rest } = details;
  printOne(invocation, { success: false, error: { code, message, ...rest }, spooled }, () => "");
  return "ok";
}
