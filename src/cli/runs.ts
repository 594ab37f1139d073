import { randomUUID } from "node:crypto";
import { ServerError } from "../client/errors.ts";
import type { Run, RunLife } from "../contract/runs.ts";
import { CliError } from "./core/cli-error.ts";
import type { Invocation } from "./core/context.ts";
import { textOf } from "./core/input.ts";
import { details, note, printOne } from "./core/output.ts";
import { reportingWork } from "./agent/lacking.ts";

/** Shows one proposal with its plan, its decision and the work on it. */
export async function showRun(invocation: Invocation, _: object, runId: string): Promise<undefined> {
  const run = await invocation.client().agent.readRun({ params: { runId } });
  printOne(invocation, run, () => `${runLines(run)}\n\n${run.summary ?? ""}\n\n${run.plan ?? ""}`.trim());
}

export interface ClaimFlags {
  readonly worker?: string;
  readonly resume?: boolean;
}

/** Claims an approved proposal and prints the id of the claim. */
export async function claimRun(
  invocation: Invocation,
  { worker = `cli-${randomUUID()}`, resume }: ClaimFlags,
  runId: string,
): Promise<undefined> {
  const { agent } = invocation.client();
  const claim = await reportingWork(
    () => agent.claimRun({ params: { runId }, body: { worker, ...(resume && { resume }) } }),
    () => agent.readRun({ params: { runId } }),
  ).catch((error) => offerResume(error, runId));
  // The same worker gets its claim again, also after its outcome.
  if (claim.run?.outcome) throw alreadyReported(runId, claim.run.outcome.status);
  note(
    invocation,
    `Claimed. When the work is done: innkeep agent outcome ${runId} --claim ${claim.claimId} …`,
  );
  printOne(invocation, claim, () => claim.claimId);
}

/** Only a server that would grant it says that the claim may be taken up. */
function offerResume(error: unknown, runId: string): never {
  if (!(error instanceof ServerError) || Object(error.body).mayResume !== true) throw error;
  throw new CliError({
    exit: "conflict",
    code: error.code,
    message: "A worker of your account has claimed this proposal.",
    next: `If that worker has stopped, or its answer was lost, take the claim up: \`innkeep agent claim ${runId} --resume\`. Otherwise leave the proposal to it.`,
  });
}

const alreadyReported = (runId: string, status: string) =>
  new CliError({
    exit: "conflict",
    code: "wrong_state",
    message: `The outcome of this proposal is reported already: ${status}. Do not carry it out again.`,
    next: `Read it with \`innkeep agent run ${runId}\`.`,
  });

export interface ProgressFlags {
  readonly claim: string;
  readonly text: string;
}

export async function reportProgress(
  invocation: Invocation,
  flags: ProgressFlags,
  runId: string,
): Promise<undefined> {
  const body = { claimId: flags.claim, text: await textOf(invocation, "--text", flags.text) };
  const { agent } = invocation.client();
  const progress = await reportingWork(
    () => agent.reportProgress({ params: { runId }, body }),
    () => agent.readRun({ params: { runId } }),
  );
  printOne(invocation, progress, () => `Reported step ${progress.count}.`);
}

export interface OutcomeFlags {
  readonly claim: string;
  readonly status: "succeeded" | "failed";
  readonly summary: string;
  readonly link?: readonly string[];
}

export async function reportOutcome(
  invocation: Invocation,
  { claim: claimId, status, link, ...flags }: OutcomeFlags,
  runId: string,
): Promise<undefined> {
  const summary = await textOf(invocation, "--summary", flags.summary);
  const body = { claimId, status, summary, links: link && [...link] };
  const { agent } = invocation.client();
  const run = await reportingWork(
    () => agent.reportOutcome({ params: { runId }, body }),
    () => agent.readRun({ params: { runId } }),
  );
  printOne(invocation, run, () => runLines(run));
}

const runLines = ({ id, status, decision, decidedAt, decisionNote, replacedBy, ...run }: Run): string =>
  details({
    run: id,
    thread: run.feedbackId,
    console: run.consoleUrl,
    status,
    decision,
    decided: decidedAt,
    note: decisionNote,
    "replaced by": replacedBy,
    expires: run.expiresAt,
    ...workLines(run),
    "plan sha256": run.planSha256,
  });

/** A server that has only the base API gives none of these. */
const workLines = ({ claim, progress, outcome }: Partial<RunLife>) => ({
  "claimed by": claim && `${claim.worker}, ${claim.claimedAt}${claim.releasedAt ? ", released" : ""}`,
  progress: progress?.text,
  outcome: outcome && `${outcome.status}: ${outcome.summary}`,
  links: outcome?.links.join(" "),
});
