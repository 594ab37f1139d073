import { stat } from "node:fs/promises";
import { ciMetadata } from "../core/ci.ts";
import { ciRun, ciStart, ciStatus, fileOfStart } from "../core/ci-run.ts";
import type { Invocation } from "../core/context.ts";
import { DryRun, type RequestView, textOfRequest } from "../core/dry-run.ts";
import type { Exit } from "../core/exit-codes.ts";
import { cliErrorOf } from "../core/failures.ts";
import { type Checked, type InputFault, inputFaultsError } from "../core/input-fault.ts";
import { printOne } from "../core/output.ts";
import { onOneLine } from "../core/plain-text.ts";
import { failureText } from "../delivery/tell-ci-job.ts";
import { readReports } from "./junit/read-reports.ts";
import { warnJob, warnOfDoubts } from "./junit/tell-job.ts";
import { type Passed, passedTests } from "./passed-tests.ts";
import { nothingResolved, printResolved, tellResolved } from "./print-resolved.ts";
import { type PassingRun, requestsOf, resolvePassed } from "./resolve-passed.ts";

/** The flags of `feedback resolve`. */
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
 * Resolves the threads of the failures that passed in a run. Resolves nothing after a run that neither succeeded nor
 * failed. With `--best-effort` the exit is `ok` whatever happens. (rule F28)
 */
export async function resolve(invocation: Invocation, flags: ResolveFlags): Promise<Exit> {
  try {
    await resolveRun(invocation, flags);
  } catch (error) {
    if (!flags.bestEffort || error instanceof DryRun || invocation.context.signal.aborted) throw error;
    const why = failureText(cliErrorOf(error)).split("\n").map(onOneLine).join(" ");
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
    return nothingResolved(invocation, `The run ended as "${onOneLine(status)}": nothing is resolved.`);
  if (outcome === "failure" && !flags.junit && wrong.length === 0)
    return nothingResolved(invocation, "The run failed: nothing is resolved by its key.");
  const passed = await passedOf(invocation, flags, wrong);
  if (passed.length === 0) return nothingResolved(invocation, "No test passed: nothing is resolved.");
  if (invocation.flags.dryRun) return showRequests(invocation, await requestsOf(invocation, run, passed));
  const resolved = await resolvePassed(invocation, run, passed);
  await tellResolved(invocation, resolved);
  printResolved(invocation, resolved);
}

/** One request as every dry run shows it; several as a list. */
function showRequests(invocation: Invocation, requests: readonly RequestView[]): void {
  const [request, ...others] = requests;
  if (request && others.length === 0) throw new DryRun(request);
  printOne(invocation, { dryRun: true, requests }, () => requests.map(textOfRequest).join("\n\n"));
}

const noStatus: InputFault = {
  flag: "--run-status",
  message:
    "must say how the run ended, such as success. On GitHub Actions it is the value of job.status; GitLab sets it in after_script",
};

/**
 * The words of the services, in lower case. Any other word, such as `cancelled`, says nothing about a failure. Jenkins and
 * Azure Pipelines have words for a run that went on after a failure.
 */
const outcomes = new Map<string, "success" | "failure">([
  ...["success", "succeeded", "passed"].map((word) => [word, "success"] as const),
  ...["failure", "failed", "unstable", "succeededwithissues"].map((word) => [word, "failure"] as const),
]);

function choiceFaults({ dedupeKey, junit }: ResolveFlags): readonly InputFault[] {
  if ((dedupeKey === undefined) !== (junit === undefined)) return [];
  if (junit) return [{ flag: "--junit", message: "cannot be used together with --dedupe-key" }];
  return [{ flag: "--junit", message: "or --dedupe-key must name what passed" }];
}

/** What passed. Throws a usage error that names what is wrong with the reports, and before that what was found wrong. */
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
  message: `must be an instant such as 2026-11-21T09:00:00Z, not "${onOneLine(given)}"`,
});

/** GitHub sets no variable with the start of a job, but writes a file at that time. */
async function startOfGitHubJob({ env, clock }: Invocation["context"]): Promise<string | undefined> {
  const written = fileOfStart(env);
  const file = written ? await stat(written).catch(() => undefined) : undefined;
  return file && file.mtime <= clock.now() ? file.mtime.toISOString() : undefined;
}
