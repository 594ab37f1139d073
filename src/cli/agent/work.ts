import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Client } from "../../client/call.ts";
import { ServerError } from "../../client/errors.ts";
import { usageError } from "../core/cli-error.ts";
import type { Ending } from "../core/command.ts";
import { lastingClient } from "../core/connection.ts";
import type { Invocation } from "../core/context.ts";
import { note, printLine } from "../core/output.ts";
import { approvedRuns, type Search } from "./candidates.ts";
import { type CarriedOut, type Claimed, carryOut, type Order, refusalOf } from "./carry-out.ts";
import { heard } from "./heartbeat.ts";
import type { Left } from "./left-work.ts";
import { patiently } from "./patiently.ts";
import { reasonOf, report } from "./report.ts";
import { beginOf, type Job, namedWorker, namelessWorker, type Worker } from "./worker.ts";

export interface WorkFlags {
  readonly worker?: string;
  readonly once?: boolean;
  readonly reportOutput?: boolean;
  readonly pass?: readonly string[];
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
  const missing = flags.pass?.find((name) => context.env[name] === undefined);
  if (missing !== undefined) throw usageError(`--pass ${missing}: there is no such variable.`);
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
  { once, command, reportOutput = false, pass = [] }: WorkFlags & { readonly command: readonly string[] },
): Promise<Ending> {
  const client = lastingClient(invocation);
  const search: Search = { client, context: invocation.context, app: invocation.flags.app };
  note(invocation, `Waiting for approved proposals as ${worker.name}. Ctrl-C ends it.`);
  for await (const job of jobsOf(worker, search)) {
    const claimed = await claim(invocation, client, job);
    if (!claimed) continue;
    const ended = await finish(invocation, { ...claimed, job, client }, { command, reportOutput, pass });
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
  const leave = (why: string) => {
    note(invocation, why);
    job.done();
    return undefined;
  };
  try {
    const body = left ? await claimOfLeft(invocation, client, left) : { worker };
    if (typeof body === "string") return leave(body);
    const claimed = await patiently(context, () =>
      client.agent.claimRun({ params: { runId }, body, signal: context.signal }),
    );
    job.note({ claimId: claimed.claimId });
    return claimed;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (error.status === 409) return leave(`Not claimed: ${runId}. ${reasonOf(error)}`);
    if (left) return keepLeft(invocation, job, error);
    job.done();
    if (error.status !== 404) throw error;
    note(invocation, `Not claimed: ${runId}. ${reasonOf(error)}`);
    return undefined;
  }
}

/**
 * With what the work that an earlier process has left is claimed; or why it is not taken up. A claim that a person has
 * released is not taken up: the proposal is found again among those that nobody has.
 */
async function claimOfLeft({ context }: Invocation, client: Client, { runId, worker, claimId }: Left) {
  const { claim, outcome } = await patiently(context, () =>
    client.agent.readRun({ params: { runId }, signal: context.signal }),
  );
  if (outcome) return `Already reported: ${runId} ${outcome.status}.`;
  const isOurs = claim?.worker === worker;
  if (isOurs && claim.releasedAt !== null) return `Not taken up: ${runId}. A person has released its claim.`;
  if (claimId !== undefined) return { worker, claimId };
  // The answer to the claim was lost, and its token may be another one now.
  return { worker, ...(isOurs && { resume: true }) };
}

/** Keeps the note of work whose claim this token cannot use. Throws what is not about the claim alone. */
function keepLeft(invocation: Invocation, { runId, noted }: Job, error: ServerError): undefined {
  if (error.status !== 404) throw error;
  const why = "This token finds no such claim. The next start tries again.";
  note(invocation, `Not taken up: ${runId}. ${why} To give the work up, remove ${noted}.`);
  return undefined;
}

/** Carries a claimed proposal out and reports the outcome, also after an interruption. */
async function finish(
  invocation: Invocation,
  { job, client, ...claimed }: Claimed & { readonly job: Job; readonly client: Client },
  options: Omit<Order, "onStart">,
): Promise<CarriedOut> {
  const { run, claimId } = claimed;
  note(invocation, `Claimed: ${run.id}. ${run.consoleUrl}`);
  const refusal = refusalOf(claimed);
  const ended: CarriedOut =
    refusal === undefined
      ? await heard({ client, context: invocation.context }, claimed, () =>
          carryOut(invocation, claimed, { ...options, onStart: (id) => noteCommand(job, id, invocation) }),
        )
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
