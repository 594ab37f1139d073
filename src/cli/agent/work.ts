import { createHash } from "node:crypto";
import { accessSync, constants, rmSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Client } from "../../client/call.ts";
import { ServerError } from "../../client/errors.ts";
import { redactText } from "../../client/redact.ts";
import { clientOf } from "../../client/send.ts";
import { isTemporary, type Pauses, pollUntil } from "../../client/wait.ts";
import type { FoundThread, Waiting } from "../../contract/find-work.ts";
import { limits } from "../../contract/limits.ts";
import type { Run } from "../../contract/runs.ts";
import { makeFolder, writePrivately } from "../../credentials/folders.ts";
import { fromTerminal } from "../../words/visible.ts";
import { CliError, type Exit, usageError } from "../core/cli-error.ts";
import type { Ending } from "../core/command.ts";
import { connect, lastingClient } from "../core/connection.ts";
import type { Context, Invocation } from "../core/context.ts";
import { isId } from "../core/ids.ts";
import { explainMissingList } from "../core/missing-endpoints.ts";
import { note, printable, printLine } from "../core/output.ts";
import { type Job, type JobNotes, startWorker, type Worker } from "./worker.ts";

export interface WorkFlags {
  readonly worker?: string;
  readonly once?: boolean;
  readonly reportOutput?: boolean;
  readonly pass?: readonly string[];
}

/** Runs the command for each approved proposal, and reports the outcome. (rules L72, L73, L74) */
export async function work(
  invocation: Invocation,
  flags: WorkFlags,
  command: readonly string[],
): Promise<Ending> {
  const { context } = invocation;
  assertCommandExists(invocation, command);
  const missing = flags.pass?.find((name) => context.env[name] === undefined);
  if (missing !== undefined) throw usageError(`--pass ${missing}: there is no such variable.`);
  const worker = await startWorker(invocation, flags.worker);
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
  note(invocation, `Waiting for approved proposals as ${worker.name}. Ctrl-C ends the worker.`);
  for await (const job of jobsOf(worker, search)) {
    const claimed = await claim(invocation, client, job);
    if (!claimed) continue;
    const ended = await finish(invocation, { ...claimed, job, client }, { command, reportOutput, pass });
    if (ended.received !== undefined) return "interrupted";
    if (ended.code === 126 || ended.code === 127) assertCommandExists(invocation, command);
    if (once) return { code: ended.code };
  }
  return "ok";
}

/**
 * Yields the unfinished jobs of an earlier process of this worker. Then yields a job for each approved
 * proposal.
 */
async function* jobsOf(worker: Worker, search: Search): AsyncGenerator<Job> {
  yield* worker.unfinished;
  for await (const runId of approvedRuns(search)) yield worker.begin(runId);
}

/** Claims a proposal. Undefined if the command must not run. Throws if no proposal can be claimed. */
async function claim(invocation: Invocation, client: Client, job: Job): Promise<Claimed | undefined> {
  const { context } = invocation;
  const { runId, worker, earlier } = job;
  // An earlier process has already run the command.
  if (earlier?.claimId && earlier.ended) {
    await report(invocation, job, { ...earlier.ended, claimId: earlier.claimId, wasStopped: false });
    return undefined;
  }
  const skip = (why: string) => {
    note(invocation, why);
    job.done();
    return undefined;
  };
  try {
    const body = earlier ? await resumingClaim(invocation, client, earlier) : { worker };
    if (typeof body === "string") return skip(body);
    const claimed = await retryUntilAnswered(context, () =>
      client.agent.claimRun({ params: { runId }, body, signal: context.signal }),
    );
    job.note({ claimId: claimed.claimId });
    return claimed;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (error.status === 409) return skip(`Not claimed: ${runId}. ${reasonOf(error)}`);
    if (earlier) return keepNotes(invocation, job, error);
    job.done();
    if (error.status !== 404) throw error;
    note(invocation, `Not claimed: ${runId}. ${reasonOf(error)}`);
    return undefined;
  }
}

/** Returns the request body that claims an unfinished job again, or the reason why this is impossible. */
async function resumingClaim({ context }: Invocation, client: Client, { runId, worker, claimId }: JobNotes) {
  const { claim, outcome } = await retryUntilAnswered(context, () =>
    client.agent.readRun({ params: { runId }, signal: context.signal }),
  );
  if (outcome) return `Already reported: ${runId} ${outcome.status}.`;
  const isOurs = claim?.worker === worker;
  // After a release, every worker can claim the proposal, so this worker does not resume its claim.
  if (isOurs && claim.releasedAt !== null) return `Not resumed: ${runId}. A person has released its claim.`;
  if (claimId !== undefined) return { worker, claimId };
  // No answer with a claim id arrived. With a new token, the worker needs `resume` to continue its claim.
  return { worker, ...(isOurs && { resume: true }) };
}

/** After a 404, keeps the notes and prints what to do. Throws other errors. */
function keepNotes(invocation: Invocation, { runId, notesFile }: Job, error: ServerError): undefined {
  if (error.status !== 404) throw error;
  const why = "This token has no such claim. The worker tries again at its next start.";
  note(invocation, `Not resumed: ${runId}. ${why} To abandon the job, remove ${notesFile}.`);
  return undefined;
}

/** Carries out a claimed proposal and reports the outcome, even after an interruption. */
async function finish(
  invocation: Invocation,
  { job, client, ...claimed }: Claimed & { readonly job: Job; readonly client: Client },
  options: Omit<CommandOptions, "onStart">,
): Promise<CommandResult> {
  const { run, claimId } = claimed;
  note(invocation, `Claimed: ${run.id}. ${run.consoleUrl}`);
  const refusal = refusalOf(claimed);
  const ended: CommandResult =
    refusal === undefined
      ? await withHeartbeats({ client, context: invocation.context }, claimed, () =>
          carryOut(invocation, claimed, { ...options, onStart: job.noteCommand }),
        )
      : { code: 1, received: undefined, summary: refusal };
  const outcome = { status: ended.code === 0 ? "succeeded" : "failed", summary: ended.summary } as const;
  job.note({ ended: outcome });
  await report(invocation, job, { ...outcome, claimId, wasStopped: ended.received !== undefined });
  if (invocation.flags.json)
    printLine(invocation, { runId: run.id, status: outcome.status, code: ended.code });
  return ended;
}

/** Throws a usage error if the command cannot be found. The worker checks this before it claims a proposal. */
function assertCommandExists({ context }: Invocation, [file = ""]: readonly string[]): void {
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

interface Search {
  readonly client: Pick<Client, "agent">;
  readonly context: Pick<Context, "clock" | "signal">;
  /** The app, by id or name, to which the search is limited. Undefined for all apps. */
  readonly app: string | undefined;
}

/**
 * Yields the id of each proposal that is or becomes approved. Never ends. Waits while the server is
 * unreachable.
 */
async function* approvedRuns(search: Search): AsyncGenerator<string, never> {
  for (;;) {
    const { runs, changes } = await listed(search);
    yield* runs;
    let last: string | undefined = changes;
    while (last !== undefined) {
      const page = await changedAfter(search, last);
      yield* runsIn(search, page?.items ?? []);
      last = page?.changes ?? undefined;
    }
  }
}

async function listed(search: Search) {
  const runs: string[] = [];
  let changes: string | undefined;
  let cursor: string | undefined;
  do {
    const page = await retryUntilAnswered(search.context, () =>
      ask(search, { waiting: "approved", cursor, limit: "50" }),
    );
    runs.push(...runsIn(search, page.items));
    changes ??= page.changes ?? undefined;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return { runs, changes };
}

/**
 * Waits for changes after the position `token`, and returns the threads. Undefined if the server refuses
 * `token`.
 */
async function changedAfter(search: Search, token: string) {
  const { clock, signal } = search.context;
  let changes = token;
  try {
    const result = await pollUntil(
      {
        async ask(hold) {
          const wait = hold > 0 ? String(hold) : undefined;
          const page = await ask(search, { waiting: "approved", changedAfter: changes, wait });
          changes = page.changes ?? changes;
          return { ...page, changes };
        },
        holdSeconds: () => limits.waitSeconds,
        leftMs: () => Number.POSITIVE_INFINITY,
        pauses,
        clock,
        signal,
      },
      ({ items }) => items.length > 0,
    );
    return "value" in result ? result.value : undefined;
  } catch (error) {
    if (error instanceof ServerError && error.status === 404) return undefined;
    throw error;
  }
}

const ask = (
  { client, context: { signal }, app }: Search,
  query: {
    readonly waiting: Waiting;
    readonly cursor?: string | undefined;
    readonly limit?: string;
    readonly changedAfter?: string;
    readonly wait?: string | undefined;
  },
) =>
  explainMissingList(() =>
    client.agent.listFeedback({ query: { ...query, appId: app && isId(app) ? app : undefined }, signal }),
  );

const runsIn = ({ app }: Search, items: readonly FoundThread[]): string[] =>
  items
    .filter((item) => app === undefined || [item.app.id, item.app.name].includes(app))
    .flatMap(({ runId }) => runId ?? []);

const reasons: Readonly<Record<string, string>> = {
  run_claimed: "Another worker has claimed it.",
  claim_released: "A person has released its claim.",
  claim_resumed: "Another worker of this account has resumed it.",
  wrong_state: "It is not approved any more.",
  run_superseded: "A newer plan of its thread was approved.",
  not_found: "It does not exist any more.",
};

/** Returns why the server refused a request about a claim. */
const reasonOf = ({ code }: ServerError): string => reasons[code] ?? `The server answered ${code}.`;

interface Outcome {
  readonly claimId: string;
  readonly status: "succeeded" | "failed";
  readonly summary: string;
  /** Whether a person stopped the worker. If so, the report is repeated only for the time of `--max-wait`. */
  readonly wasStopped: boolean;
}

/**
 * Reports an outcome. Keeps the notes on disk until the server accepts the outcome or refuses it permanently.
 * (rule L74)
 */
async function report(invocation: Invocation, job: Job, { wasStopped, ...body }: Outcome): Promise<void> {
  // Uses a new signal, so that the report is sent even after an interruption.
  const signal = new AbortController().signal;
  const context = { ...invocation.context, signal };
  const { agent } = clientOf(connect({ ...invocation, context }));
  const { runId } = job;
  const call = () => agent.reportOutcome({ params: { runId }, body });
  try {
    await (wasStopped ? call() : retryUntilAnswered(context, call));
    note(invocation, `Reported: ${runId} ${body.status}.`);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (error.status !== 409) return keepOutcome(invocation, { job, error, body });
    const reason = error.code === "wrong_state" ? "An outcome is reported already." : reasonOf(error);
    note(invocation, `The outcome of ${runId} was not accepted. ${reason}`);
  }
  job.done();
}

const exits: Readonly<Record<number, Exit>> = { 401: "authentication", 403: "forbidden" };

/** Prints how to report the outcome later. Throws a CliError if the server refuses the token for all requests. */
function keepOutcome(
  invocation: Invocation,
  {
    job: { runId, notesFile },
    error,
    body,
  }: { readonly job: Job; readonly error: ServerError; readonly body: Pick<Outcome, "claimId" | "status"> },
): void {
  const what = `The outcome of ${runId} (${body.status}) is not reported.`;
  const byHand = `\`innkeep agent outcome ${runId} --claim ${body.claimId} --status ${body.status} --summary …\``;
  const again =
    notesFile === undefined
      ? `${byHand} reports it, with a token of the same account.`
      : `Start again with this --worker and a token of the same account: this reports the outcome, and does not run the command again. If the outcome must not be reported, remove ${notesFile}.`;
  if (error.status === 404) {
    note(invocation, `${what} This token has no such claim. ${again}`);
    return;
  }
  const { status, code, requestId } = error;
  throw new CliError({
    exit: exits[status] ?? "unexpected",
    ...{ code, status, requestId },
    message: `${what} ${error.message}`,
    next: `${status === 401 ? "Set a valid agent token. " : ""}${again}`,
  });
}

/** The pauses between tries while the server cannot be reached. */
const pauses: Pauses = { firstMs: 1_000, growth: 1.5, mostMs: 30_000 };

/** Repeats a call until the server answers. Throws permanent errors, and the reason of an abort. */
async function retryUntilAnswered<T>(
  { clock, signal }: Pick<Context, "clock"> & { readonly signal?: AbortSignal },
  call: () => Promise<T>,
): Promise<T> {
  for (let pauseMs = pauses.firstMs; ; pauseMs = Math.min(pauses.mostMs, pauseMs * pauses.growth)) {
    try {
      return await call();
    } catch (error) {
      if (signal?.aborted || !isTemporary(error)) throw error;
      const asked = error instanceof ServerError ? error.retryAfterSeconds : undefined;
      await clock.sleep(Math.max(pauseMs, (asked ?? 0) * 1_000), signal);
    }
  }
}

/**
 * The minutes between two reports of progress. After 15 minutes without progress, another worker may resume the
 * claim.
 */
const heartbeatMinutes = 10;

interface HeartbeatDeps {
  readonly client: Pick<Client, "agent">;
  readonly context: Pick<Context, "clock">;
}

/**
 * Does the work of a claim. Meanwhile, reports to the server every ten minutes that the work continues. (rule L72)
 */
export async function withHeartbeats<Result>(
  deps: HeartbeatDeps,
  claimed: Claimed,
  work: () => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const heartbeats = sendHeartbeats(deps, claimed, over.signal);
  try {
    return await work();
  } finally {
    over.abort();
    await heartbeats;
  }
}

/**
 * Reports progress until `signal` aborts or the server refuses a report. A refusal is printed only when the
 * outcome is reported.
 */
async function sendHeartbeats(
  { client, context }: HeartbeatDeps,
  { run, claimId }: Claimed,
  signal: AbortSignal,
): Promise<void> {
  for (let passed = heartbeatMinutes; ; passed += heartbeatMinutes) {
    try {
      await context.clock.sleep(heartbeatMinutes * 60_000, signal);
      const body = { claimId, text: `The command has run for ${passed} minutes.` };
      await client.agent.reportProgress({ params: { runId: run.id }, body, signal });
    } catch (error) {
      if (signal.aborted || (error instanceof ServerError && !isTemporary(error))) return;
    }
  }
}

interface Claimed {
  readonly claimId: string;
  readonly run: Run;
}

interface CommandResult {
  readonly code: number;
  readonly received: NodeJS.Signals | undefined;
  /** The text of the outcome: how the command ended, and with `--report-output` the end of its output. */
  readonly summary: string;
}

interface CommandOptions {
  readonly command: readonly string[];
  readonly reportOutput: boolean;
  /** The names of the secret variables that the command may read. */
  readonly pass: readonly string[];
  /** Called with the process id of the command. */
  readonly onStart: (processId: number) => void;
}

/** Returns why a claimed proposal must not be carried out. Undefined if it may be carried out. */
function refusalOf({ run }: Claimed): string | undefined {
  if (run.status !== "approved") return `The proposal is ${run.status}. Nothing was done.`;
  const hash = createHash("sha256").update(run.plan, "utf8").digest("hex");
  return hash === run.planSha256
    ? undefined
    : "The SHA-256 of the plan is not the one that the server sent. Nothing was done.";
}

/** Runs the command with the plan in a private file. Hides Innkeep's secrets, except those in `pass`. */
async function carryOut(
  invocation: Invocation,
  { run, claimId }: Claimed,
  { command, reportOutput, pass, onStart }: CommandOptions,
): Promise<CommandResult> {
  const { context, flags, stateFolder } = invocation;
  const folder = join(stateFolder, "work", claimId);
  const file = join(folder, "plan.md");
  makeFolder(folder, 0o700);
  try {
    writePrivately(file, run.plan, context.newId);
    const { runCommand } = await import("../../local/run-command.ts");
    if (context.signal.aborted) return notStarted;
    let end = "";
    const { code, received } = await runCommand({
      command,
      env: { ...withoutSecrets(context.env, pass), ...variablesOf(invocation, run, file) },
      platform: context.platform,
      cwd: context.cwd,
      toStderr: flags.json === true,
      onStart,
      onOutput: reportOutput
        ? (text) => {
            end = (end + text).slice(-keptCharacters);
          }
        : undefined,
    });
    return { code, received, summary: summaryOf(code, end) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The result if the worker is interrupted before the command starts. A command that started later would not
 * receive the signal.
 */
const notStarted: CommandResult = {
  code: 130,
  received: "SIGINT",
  summary: "The worker was interrupted before it started the command. Nothing was done.",
};

const keptCharacters = 8_000;

/**
 * The names of variables that contain tokens, keys or secrets, or addresses of services. An address may contain a
 * password.
 */
const secretVariable =
  /^INNKEEP_(?:(?:.*_)?(?:TOKEN|KEY|SECRET)(?:_.*)?|(?:DATABASE|S3|SMTP|IMAP)_URL|IDENTITY_PROVIDERS)$/i;

const withoutSecrets = (env: Context["env"], pass: readonly string[]) =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !secretVariable.test(name) || pass.includes(name)),
  );

function variablesOf({ baseUrl }: Invocation, run: Run, planFile: string) {
  const given = {
    INNKEEP_BASE_URL: baseUrl(),
    INNKEEP_RUN_ID: run.id,
    INNKEEP_FEEDBACK_ID: run.feedbackId,
    INNKEEP_THREAD_URL: run.consoleUrl,
    INNKEEP_PLAN_FILE: planFile,
    INNKEEP_PLAN_HASH: run.planSha256,
    INNKEEP_SUMMARY: run.summary,
    INNKEEP_DECISION_NOTE: run.decisionNote ?? "",
  };
  // A variable cannot contain a zero byte.
  const texts = Object.entries(given).map(([name, value]) => [name, value.replaceAll("\0", "")]);
  return Object.fromEntries(texts);
}

function summaryOf(code: number, output: string): string {
  const ended = `The command ended with exit code ${code}.`;
  const text = redactText(printable(fromTerminal(output))).trim();
  if (text === "") return ended;
  const space = limits.outcome - ended.length - 2;
  return `${ended}\n\n${text.length > space ? text.slice(-space).replace(/^(?:[^\n]*\n|[\uDC00-\uDFFF])/, "") : text}`;
}
