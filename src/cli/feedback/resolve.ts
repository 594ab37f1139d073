import { stat } from "node:fs/promises";
import type { Client } from "../../client/call.ts";
import { ServerError } from "../../client/errors.ts";
import { limits } from "../../contract/limits.ts";
import { countOf } from "../../words/phrases.ts";
import { oneLine } from "../../words/visible.ts";
import { ciMetadata, ciRun, ciStart, ciStatus, fileOfStart } from "../core/ci.ts";
import { CliError, type Exit } from "../core/cli-error.ts";
import { DryRun, type RequestView, textOfRequest } from "../core/connection.ts";
import type { Invocation } from "../core/context.ts";
import { cliErrorOf } from "../core/failures.ts";
import { markdownLink } from "../core/github-actions.ts";
import { appIdOf } from "../core/ids.ts";
import { type Checked, type InputFault, inputFaultsError } from "../core/input.ts";
import { note, printOne } from "../core/output.ts";
import { summarise } from "../delivery/ci-job-output.ts";
import { failureText } from "../delivery/send.ts";
import { passedPrefix, testHash } from "./junit/failure.ts";
import { readReports, warnJob, warnOfDoubts } from "./junit/read-reports.ts";
import type { TestResult } from "./junit/test-result.ts";

export interface ResolveFlags {
  readonly dedupeKey?: readonly string[];
  readonly junit?: readonly string[];
  readonly runStatus?: string;
  readonly dedupeScope?: string;
  readonly dedupeRun?: string;
  readonly runUrl?: string;
  readonly runStartedAt?: string;
  readonly bestEffort?: boolean;
}

/**
 * Resolves the threads of passed tests. With `--best-effort`, prints a warning after an error and returns `ok`.
 * (rule F28)
 */
export async function resolve(invocation: Invocation, flags: ResolveFlags): Promise<Exit> {
  try {
    await resolveRun(invocation, flags);
  } catch (error) {
    if (!flags.bestEffort || error instanceof DryRun || invocation.context.signal.aborted) throw error;
    const why = failureText(cliErrorOf(error))
      .split("\n")
      .map((text) => oneLine(text))
      .join(" ");
    warnJob(invocation, { title: "No feedback was resolved", message: why });
    printResolved(invocation, { resolved: [], stillFailing: [], why });
  }
  return "ok";
}

async function resolveRun(invocation: Invocation, flags: ResolveFlags): Promise<void> {
  const status = flags.runStatus ?? ciStatus(invocation.context.env);
  const outcome = outcomes.get(status?.trim().toLowerCase() ?? "");
  const { value: run, faults } = await runOf(invocation, flags);
  const wrong = [...choiceFaults(flags), ...(status === undefined ? [noStatus] : []), ...faults];
  if (status !== undefined && outcome === undefined && choiceFaults(flags).length === 0)
    return nothingResolved(invocation, `The run ended with "${oneLine(status)}", so no thread is resolved.`);
  if (outcome === "failure" && !flags.junit && wrong.length === 0)
    return nothingResolved(invocation, "The run failed, so the threads of --dedupe-key are not resolved.");
  const passed = await passedOf(invocation, flags, wrong);
  if (passed.length === 0) return nothingResolved(invocation, "No test passed, so no thread is resolved.");
  if (invocation.flags.dryRun) return showRequests(invocation, await requestsOf(invocation, run, passed));
  const resolved = await resolvePassed(invocation, run, passed);
  await summariseResolved(invocation, resolved);
  printResolved(invocation, resolved);
}

/** Shows the requests of a dry run as a list. Throws DryRun if there is only one. */
function showRequests(invocation: Invocation, requests: readonly RequestView[]): void {
  const [request, ...others] = requests;
  if (request && others.length === 0) throw new DryRun(request);
  printOne(invocation, { dryRun: true, requests }, () => requests.map(textOfRequest).join("\n\n"));
}

const noStatus: InputFault = {
  flag: "--run-status",
  message:
    "must say how the run ended, such as success. On GitHub Actions, use the value of job.status. On GitLab, run the command in after_script",
};

/** The results of CI services, in lower case. Other words, such as `cancelled`, are unclear. */
const outcomes = new Map<string, "success" | "failure">([
  ...["success", "succeeded", "passed"].map((word) => [word, "success"] as const),
  // `unstable` comes from Jenkins, `succeededwithissues` from Azure Pipelines.
  ...["failure", "failed", "unstable", "succeededwithissues"].map((word) => [word, "failure"] as const),
]);

function choiceFaults({ dedupeKey, junit }: ResolveFlags): readonly InputFault[] {
  if ((dedupeKey === undefined) !== (junit === undefined)) return [];
  if (junit) return [{ flag: "--junit", message: "cannot be used together with --dedupe-key" }];
  return [{ flag: "--junit", message: "or --dedupe-key is needed, to say which tests passed" }];
}

/** Returns the passed tests. Throws one usage error with `wrong` and the faults of the reports. */
async function passedOf(
  invocation: Invocation,
  { dedupeKey, junit = [] }: ResolveFlags,
  wrong: readonly InputFault[],
): Promise<Passed[]> {
  if (dedupeKey && wrong.length === 0) return [...new Set(dedupeKey)];
  const { tests, faults, doubts } = await readReports(invocation, junit);
  if (wrong.length + faults.length > 0) throw inputFaultsError([...wrong, ...faults]);
  warnOfDoubts(invocation, doubts);
  return passedTests([...tests.values()], invocation.context.cwd);
}

async function runOf({ context }: Invocation, flags: ResolveFlags): Promise<Checked<PassingRun>> {
  const { env, platform } = context;
  const known = ciRun(env, { platform, joinsShards: flags.junit !== undefined });
  const run = (flags.dedupeRun ?? known.run) || "";
  const given = flags.runStartedAt || undefined;
  return {
    value: {
      scope: (flags.dedupeScope ?? known.scope) || undefined,
      run,
      runUrl: (flags.runUrl ?? ciMetadata(env).runUrl) || undefined,
      startedAt: given ?? ciStart(env) ?? (await startOfGitHubJob(context)),
    },
    faults: [
      ...(run === "" ? [{ flag: "--dedupe-run", message: "must name the run, such as its number" }] : []),
      ...(given !== undefined && !isInstant(given) ? [noInstant(given)] : []),
    ],
  };
}

const isInstant = (given: string): boolean =>
  /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:?\d\d)$/i.test(given) && !Number.isNaN(Date.parse(given));

const noInstant = (given: string): InputFault => ({
  flag: "--run-started-at",
  message: `must be an instant such as 2026-11-21T09:00:00Z, not "${oneLine(given)}"`,
});

/** Returns when a GitHub job started. No variable contains this time, but GitHub writes a file at the start. */
async function startOfGitHubJob({ env, clock }: Invocation["context"]): Promise<string | undefined> {
  const written = fileOfStart(env);
  const file = written ? await stat(written).catch(() => undefined) : undefined;
  return file && file.mtime <= clock.now() ? file.mtime.toISOString() : undefined;
}

/**
 * Prints the resolved threads. Also prints the threads that stay open because a test has not passed in all scopes.
 */
function printResolved(
  invocation: Invocation,
  { resolved, stillFailing, why }: Resolved & { readonly why?: string },
): void {
  if (why === undefined) {
    note(invocation, `${countOf(resolved.length, "thread")} resolved.`);
    for (const thread of stillFailing) note(invocation, whyOpen(thread));
  }
  printOne(invocation, { resolved, stillFailing, why: why ?? null }, () =>
    resolved.map(({ consoleUrl }) => oneLine(consoleUrl)).join("\n"),
  );
}

/** Returns why a thread stays open. Older servers do not return `reportedLater`. */
function whyOpen({ consoleUrl, scopes, reportedLater }: Resolved["stillFailing"][number]): string {
  const where = `has not passed in ${scopes.map(scopeName).join("; ")}`;
  const since = reportedLater ? ", and was reported after this run had started" : "";
  return `Still open: ${oneLine(consoleUrl)} ${where}${since}.`;
}

/** Adds links to the resolved threads to the summary page of a GitHub Actions job. */
async function summariseResolved(invocation: Invocation, { resolved }: Resolved): Promise<void> {
  if (resolved.length === 0) return;
  const links = resolved.slice(0, mostLinks).map(({ id, consoleUrl }) => `- ${markdownLink(id, consoleUrl)}`);
  const more = resolved.length > mostLinks ? [`and ${resolved.length - mostLinks} more`] : [];
  await summarise(invocation, ["### Resolved feedback", links.join("\n"), ...more]);
}

const mostLinks = 100;

function nothingResolved(invocation: Invocation, why: string): void {
  note(invocation, why);
  printResolved(invocation, { resolved: [], stillFailing: [], why });
}

const scopeName = (scope: string): string => (scope === "" ? "a job without a scope" : oneLine(scope));

/** The fields of a request that describe the CI run. */
interface PassingRun {
  readonly scope: string | undefined;
  readonly run: string;
  readonly runUrl: string | undefined;
  readonly startedAt: string | undefined;
}

type Answer = Awaited<ReturnType<Client["failures"]["resolve"]>>;

type Resolved = Omit<Answer, "more">;

/**
 * Sends the passed tests to the server, in several requests because of its limits. Returns resolved and open threads.
 */
async function resolvePassed(
  invocation: Invocation,
  run: PassingRun,
  passed: readonly Passed[],
): Promise<Resolved> {
  const appId = await appIdOf(invocation);
  const all: { resolved: Answer["resolved"]; stillFailing: Answer["stillFailing"] } = {
    resolved: [],
    stillFailing: [],
  };
  const nextKey = keysOf(invocation);
  for (const part of parts(passed)) {
    const [namedResolved, namedFailing] = [new Set<string>(), new Set<string>()];
    for (let more = true; more; ) {
      const answer = await ask(invocation, {
        params: { appId },
        body: { ...run, passed: part },
        idempotencyKey: nextKey(),
      });
      const resolved = newIn(answer.resolved, namedResolved);
      const stillFailing = newIn(answer.stillFailing, namedFailing);
      all.resolved.push(...resolved);
      all.stillFailing.push(...stillFailing);
      more = answer.more && resolved.length + stillFailing.length > 0;
    }
  }
  return all;
}

/** Returns the first request for each part of `passed`, for a dry run. Later requests depend on the answers. */
async function requestsOf(
  invocation: Invocation,
  run: PassingRun,
  passed: readonly Passed[],
): Promise<RequestView[]> {
  const appId = await appIdOf(invocation);
  const nextKey = keysOf(invocation);
  const requests: RequestView[] = [];
  for (const part of parts(passed)) {
    const input = { params: { appId }, body: { ...run, passed: part }, idempotencyKey: nextKey() };
    try {
      await ask(invocation, input);
    } catch (error) {
      if (!(error instanceof DryRun)) throw error;
      requests.push(error.request);
    }
  }
  return requests;
}

/** Returns new threads, and adds their addresses to `named`. The caller stops when there are no new threads. */
function newIn<Thread extends { readonly consoleUrl: string }>(
  threads: readonly Thread[],
  named: Set<string>,
): Thread[] {
  return threads.filter(({ consoleUrl }) => {
    const isNew = !named.has(consoleUrl);
    named.add(consoleUrl);
    return isNew;
  });
}

async function ask(
  invocation: Invocation,
  input: Parameters<Client["failures"]["resolve"]>[0],
): Promise<Answer> {
  try {
    return await invocation.client().failures.resolve(input);
  } catch (error) {
    if (error instanceof ServerError && [404, 405, 501].includes(error.status))
      throw notThere(error, input.params.appId);
    throw error;
  }
}

const notThere = ({ status, code }: ServerError, appId: string): CliError =>
  new CliError({
    exit: "notFound",
    code,
    message: `This server has no app ${appId}, or the server cannot resolve failures, because it is an older Innkeep or another program.`,
    status,
  });

/**
 * Returns a function for the idempotency keys. The first key is `--idempotency-key`. Later keys are derived from it.
 */
function keysOf({ flags: { idempotencyKey } }: Invocation): () => string | undefined {
  let count = 0;
  return () => {
    count += 1;
    return idempotencyKey === undefined || count === 1 ? idempotencyKey : `${idempotencyKey}-${count}`;
  };
}

// The size limit of the server for a request, minus 16 KiB for the other fields of the body.
const mostBytes = limits.json - 16_384;

/** Splits `passed` into parts. Each part fits into one request. */
function parts(passed: readonly Passed[]): Passed[][] {
  const all: Passed[][] = [];
  let part: Passed[] = [];
  let bytes = 0;
  for (const one of passed) {
    const size = Buffer.byteLength(JSON.stringify(one)) + 1;
    if (part.length === limits.passedFailures || bytes + size > mostBytes) {
      all.push(part);
      [part, bytes] = [[], 0];
    }
    part.push(one);
    bytes += size;
  }
  return [...all, part];
}

/** A dedupe key from `--dedupe-key`, or the beginning of the dedupe keys of a passed test. */
type Passed = string | { readonly prefix: string };

/**
 * Returns the dedupe prefixes of passed tests, suites and classes. Tools can report a whole suite or class as
 * failed. (rule F28)
 */
function passedTests(tests: readonly TestResult[], folder: string): Passed[] {
  const passed = new Set<string>();
  const failed = new Set<string>();
  for (const test of tests) {
    if (test.outcome === "passed" && !test.inDoubt)
      for (const hash of hashesOf(test, folder)) passed.add(hash);
    if (isFailing(test)) failed.add(testHash(test, folder));
  }
  return [...passed].filter((hash) => !failed.has(hash)).map((hash) => ({ prefix: passedPrefix(hash) }));
}

const isFailing = ({ outcome }: TestResult): boolean => outcome === "failed" || outcome === "flaky";

/** The test names that tools write when a class could not start. */
const namesOfClass = ["", "initializationError", "executionError", "classMethod"];

/**
 * Returns the hash of a test. Also returns the hashes of the failures that tools report if its class or suite
 * cannot start.
 */
const hashesOf = ({ suite, className, name }: TestResult, folder: string): string[] =>
  [
    { suite, className, name },
    ...[...namesOfClass, className].map((other) => ({ suite, className, name: other })),
    { suite, className: "", name: "" },
    { suite, className: "", name: className },
  ].map((one) => testHash(one, folder));
