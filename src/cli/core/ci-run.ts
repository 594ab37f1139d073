import { createHash } from "node:crypto";
import { limits } from "../../contract/limits.ts";
import { ciJob, ciMetadata, type Env } from "./ci.ts";

/** Identifies a CI run, and what it covers. */
export interface CiRun {
  /** Workflow, job, matrix, operating system and ref: what must pass before a failure is resolved. */
  readonly scope: string | undefined;
  /** The id of the run. A second attempt has the same id. */
  readonly run: string | undefined;
}

/** Returns the scope and the id of the CI run. Both are undefined if no known CI service runs this job. (rule F27) */
export function ciRun(
  env: Env,
  {
    platform,
    joinsShards,
  }: {
    readonly platform: string;
    /** Whether all shards of a suite have the same scope. A test may run in another shard next time. */
    readonly joinsShards: boolean;
  },
): CiRun {
  const job = ciJob(env);
  if (!job) return { scope: undefined, run: undefined };
  const { workflow, job: name, ref } = job.scope;
  const shard = joinsShards ? undefined : shardOf(env, ciMetadata(env).job);
  const parts = [workflow, name, ...matrixOf(env, joinsShards), shard, platform, ref];
  return {
    scope: within(limits.dedupeScope, parts.filter(Boolean).join(", ")),
    run: within(limits.dedupeRun, job.run ?? ""),
  };
}

/** The shard of a suite that this job runs. GitLab writes it behind the name of the job: `test 1/3`. */
const shardOf = (env: Env, job = ""): string | undefined =>
  / (\d+\/\d+)$/.exec(job)?.[1] ||
  env.CIRCLE_NODE_INDEX ||
  env.BUILDKITE_PARALLEL_JOB ||
  env.BITBUCKET_PARALLEL_STEP;

/**
 * The values in INNKEEP_MATRIX, such as `{"node": 20}`, sorted. A user sets this variable, because GitHub Actions sets
 * none that distinguishes the jobs of a matrix. Without the shard if all shards have the same scope.
 */
function matrixOf({ INNKEEP_MATRIX: given = "" }: Env, joinsShards: boolean): string[] {
  const matrix = objectIn(given);
  if (!matrix) return given.trim() === "null" ? [] : [given.trim()];
  return Object.entries(matrix)
    .filter(([name]) => !joinsShards || !/shard/i.test(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .sort();
}

function objectIn(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Shortens a text that is too long, and puts a hash in place of its end. Undefined for an empty text. */
function within(most: number, text: string): string | undefined {
  const characters = [...text.trim().toWellFormed().replaceAll("\0", "\ufffd")];
  if (characters.length <= most) return characters.join("") || undefined;
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return `${characters.slice(0, most - hash.length - 2).join("")} #${hash}`;
}

/** How the services that set such a variable name the result of a job. */
const statuses: readonly ((env: Env) => string | undefined)[] = [
  (env) => env.CI_JOB_STATUS,
  (env) => env.AGENT_JOBSTATUS,
  (env) => statusOfExit(env.BUILDKITE_COMMAND_EXIT_STATUS),
  (env) => statusOfExit(env.BITBUCKET_EXIT_CODE),
  (env) => statusOfExit(env.BITRISE_BUILD_STATUS),
];

/** The result of the job so far, from the variables of the service; undefined if it sets none. */
export const ciStatus = (env: Env): string | undefined =>
  statuses.map((statusIn) => statusIn(env)).find((status) => status);

const statusOfExit = (code: string | undefined): string | undefined =>
  code === undefined || code === "" ? undefined : code === "0" ? "success" : "failure";

/** When the run started, from the variables of the service; undefined if it sets none. */
export function ciStart(env: Env): string | undefined {
  const seconds = Number(env.BITRISE_BUILD_TRIGGER_TIMESTAMP);
  if (seconds > 0) return new Date(seconds * 1_000).toISOString();
  const text = env.CI_PIPELINE_CREATED_AT || env.CI_JOB_STARTED_AT || env.SYSTEM_PIPELINESTARTTIME;
  return text && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined;
}

/** The folders of the checkout and of temporary files, from the variables of the service. */
export const ciFolders = (
  env: Env,
): { readonly workspace: string | undefined; readonly temporary: string | undefined } => ({
  workspace: env.GITHUB_WORKSPACE || env.CI_PROJECT_DIR,
  temporary: env.RUNNER_TEMP,
});

/** A file that GitHub writes when a job starts. Its time is the start of the job, which no variable holds. */
export const fileOfStart = (env: Env): string | undefined => env.GITHUB_EVENT_PATH;
