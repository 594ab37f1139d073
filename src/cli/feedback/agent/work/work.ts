import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Client } from "../../../../client/calls/call.ts";
import { clientOf } from "../../../../client/client.ts";
import { ServerError } from "../../../../client/errors.ts";
import { connect, lastingClient } from "../../../core/connection/connect.ts";
import { usageError } from "../../../core/failures/cli-error.ts";
import { note, printLine } from "../../../core/output/output.ts";
import type { Ending } from "../../../core/program/command-action.ts";
import type { Invocation } from "../../../core/program/context.ts";
import { approvedRuns, type Search } from "./candidates.ts";
import { type CarriedOut, type Claimed, carryOut, type Order, refusalOf } from "./carry-out.ts";
import { patiently } from "./patiently.ts";
import { beginOf, type Job, namedWorker, namelessWorker, type Worker } from "./worker.ts";

export interface WorkFlags {
  readonly worker?: string;
  readonly once?: boolean;
  readonly reportOutput?: boolean;
}

/**
 * Waits for approved proposals, claims one after another, runs the command for each, and reports how it ended. Ends with
 * an interruption, and with `--once` after one proposal, with the exit code of the command. (rules L72 to L74)
 */
export async function work(
  invocation: Invocation,
  flags: WorkFlags,
  command: readonly string[],
): Promise<Ending> {
  const { context } = invocation;
  assertThere(invocation, command);
  const worker =
    flags.worker === undefined ? namelessWorker(context) : await namedWorker(invocation, flags.worker);
  try {
    return await workAs(worker, invocation, { ...flags, command });
  } finally {
    await worker.end();
  }
}

async function workAs(
  worker: Worker,
  invocation: Invocation,
  { once, command, reportOutput = false }: WorkFlags & { readonly command: readonly string[] },
): Promise<Ending> {
  const client = lastingClient(invocation);
  const search: Search = { client, context: invocation.context, app: invocation.flags.app };
  note(invocation, `Waiting for approved proposals as ${worker.name}. Ctrl-C ends it.`);
  for await (const job of jobsOf(worker, search)) {
    const claimed = await claim(invocation, client, job);
    if (!claimed) continue;
    const ended = await finish(invocation, { ...claimed, job }, { command, reportOutput });
    if (ended.received !== undefined) return "interrupted";
    if (ended.code === 126 || ended.code === 127) assertThere(invocation, command);
    if (once) return { code: ended.code };
  }
  return "ok";
}

/** What this worker left unfinished, if it has a name of its own; then what is approved. */
async function* jobsOf(worker: Worker, search: Search): AsyncGenerator<Job> {
  yield* worker.left;
  for await (const runId of approvedRuns(search)) yield worker.begin(runId);
}

/** Claims a proposal; undefined if there is nothing to do for it. Throws what another claim would not change. */
async function claim(invocation: Invocation, client: Client, job: Job): Promise<Claimed | undefined> {
  const { context } = invocation;
  const { runId, worker, left } = job;
  if (left?.claimId && left.ended) {
    await report(invocation, job, { ...left.ended, claimId: left.claimId, wasStopped: false });
    return undefined;
  }
  try {
    const refusal = left && (await refusalOfLeft(invocation, client, job));
    if (refusal !== undefined) {
      note(invocation, refusal);
      job.done();
      return undefined;
    }
    const claimed = await patiently(context, () =>
      client.agent.claimRun({ params: { runId }, body: { worker }, signal: context.signal }),
    );
    job.note({ claimId: claimed.claimId });
    return claimed;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    job.done();
    if (error.status !== 404 && error.status !== 409) throw error;
    note(invocation, `Not claimed: ${runId} (${error.code}).`);
    return undefined;
  }
}

/** Why what an earlier process has left is not carried out. The answer to a claim sent twice may be a minute old. */
async function refusalOfLeft(
  { context }: Invocation,
  client: Client,
  { runId, worker }: Job,
): Promise<string | undefined> {
  const { claim, outcome } = await patiently(context, () =>
    client.agent.readRun({ params: { runId }, signal: context.signal }),
  );
  if (outcome) return `Already reported: ${runId} ${outcome.status}.`;
  const isFree = !claim || (claim.worker === worker && claim.releasedAt === null);
  return isFree ? undefined : `Not claimed: ${runId} was released.`;
}

/** Carries a claimed proposal out and reports the outcome, also after an interruption. */
async function finish(
  invocation: Invocation,
  { job, ...claimed }: Claimed & { readonly job: Job },
  options: Pick<Order, "command" | "reportOutput">,
): Promise<CarriedOut> {
  const { run, claimId } = claimed;
  note(invocation, `Claimed: ${run.id}. ${run.consoleUrl}`);
  const refusal = refusalOf(claimed);
  const ended: CarriedOut =
    refusal === undefined
      ? await carryOut(invocation, claimed, { ...options, onStart: (id) => noteCommand(job, id, invocation) })
      : { code: 1, received: undefined, summary: refusal };
  const outcome = { status: ended.code === 0 ? "succeeded" : "failed", summary: ended.summary } as const;
  job.note({ ended: outcome });
  await report(invocation, job, { ...outcome, claimId, wasStopped: ended.received !== undefined });
  if (invocation.flags.json)
    printLine(invocation, { runId: run.id, status: outcome.status, code: ended.code });
  return ended;
}

function noteCommand(job: Job, processId: number, { context }: Invocation): void {
  const began = beginOf(processId, context);
  if (began !== undefined) job.note({ command: { processId, began } });
}

interface Outcome {
  readonly claimId: string;
  readonly status: "succeeded" | "failed";
  readonly summary: string;
  /** The person waits for the end: a server that is away gets only the usual time. */
  readonly wasStopped: boolean;
}

async function report(invocation: Invocation, job: Job, { wasStopped, ...body }: Outcome): Promise<void> {
  // An interruption that has come does not stop the report.
  const signal = new AbortController().signal;
  const context = { ...invocation.context, signal };
  const { agent } = clientOf(connect({ ...invocation, context }));
  const call = () => agent.reportOutcome({ params: { runId: job.runId }, body });
  try {
    await (wasStopped ? call() : patiently(context, call));
    note(invocation, `Reported: ${job.runId} ${body.status}.`);
  } catch (error) {
    if (!(error instanceof ServerError) || (error.status !== 404 && error.status !== 409)) throw error;
    note(invocation, `The outcome of ${job.runId} was not taken (${error.code}).`);
  }
  job.done();
}

/** Throws a usage error if the command cannot be found, before anything is claimed for it. */
function assertThere({ context }: Invocation, [file = ""]: readonly string[]): void {
  if (context.platform === "win32") return;
  const places = file.includes("/")
    ? [resolve(context.cwd, file)]
    : (context.env.PATH ?? "").split(delimiter).map((folder) => join(folder, file));
  if (file !== "" && places.some(isProgram)) return;
  throw usageError(`The command ${file || '""'} cannot be found or started.`, "Write it after `--`.");
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
