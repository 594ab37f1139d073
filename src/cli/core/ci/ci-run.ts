import { createHash } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import { ciMetadata } from "./ci-environment.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What a CI run covers, and which run it is. */
export interface CiRun {
  /** Repository, workflow, job, matrix, operating system and ref: what must pass before a failure is resolved. */
  readonly scope: string | undefined;
  /** The run without its attempt: repeating it changes nothing. */
  readonly run: string | undefined;
  readonly runUrl: string | undefined;
  /** How the job ended, as the service says it. */
  readonly status: string | undefined;
  readonly startedAt: string | undefined;
}

/** Beside the facts for the metadata. */
interface More {
  readonly repository?: string | undefined;
  readonly workflow?: string | undefined;
  /** The job, if its fact for the metadata is not the same in every run. */
  readonly job?: string | undefined;
  /** Which part of the tests the job runs, if several jobs share them. */
  readonly shard?: string | undefined;
  readonly run: string | undefined;
  readonly status?: string | undefined;
  readonly startedAt?: string | undefined;
}

/** By the names of the services in `ci-environment.ts`. */
const services: Readonly<Record<string, (env: Env) => More>> = {
  "github-actions": (env) => ({
    repository: env.GITHUB_REPOSITORY,
    workflow: env.GITHUB_WORKFLOW,
    run: env.GITHUB_RUN_ID,
  }),
  gitlab: (env) => ({
    repository: env.CI_PROJECT_PATH,
    // Jobs of `parallel: 3` are called `test 1/3`.
    job: env.CI_JOB_NAME?.replace(/ \d+\/\d+$/, ""),
    shard: / \d+\/\d+$/.test(env.CI_JOB_NAME ?? "") ? env.CI_NODE_INDEX : undefined,
    run: env.CI_PIPELINE_ID,
    status: env.CI_JOB_STATUS,
    startedAt: env.CI_PIPELINE_CREATED_AT || env.CI_JOB_STARTED_AT,
  }),
  circleci: (env) => ({
    repository: named(env.CIRCLE_PROJECT_USERNAME, env.CIRCLE_PROJECT_REPONAME),
    shard: Number(env.CIRCLE_NODE_TOTAL) > 1 ? env.CIRCLE_NODE_INDEX : undefined,
    run: env.CIRCLE_PIPELINE_ID || env.CIRCLE_WORKFLOW_ID,
  }),
  "azure-pipelines": (env) => ({
    repository: env.BUILD_REPOSITORY_NAME,
    workflow: env.BUILD_DEFINITIONNAME,
    run: env.BUILD_BUILDID,
    status: env.AGENT_JOBSTATUS,
    startedAt: env.SYSTEM_PIPELINESTARTTIME,
  }),
  buildkite: (env) => ({
    repository: named(env.BUILDKITE_ORGANIZATION_SLUG, env.BUILDKITE_PIPELINE_SLUG),
    shard: env.BUILDKITE_PARALLEL_JOB,
    run: env.BUILDKITE_BUILD_ID,
    status: statusOfExit(env.BUILDKITE_COMMAND_EXIT_STATUS),
  }),
  bitbucket: (env) => ({
    repository: env.BITBUCKET_REPO_FULL_NAME,
    // The id of a step is another one in each run.
    job: "",
    shard: env.BITBUCKET_PARALLEL_STEP,
    run: env.BITBUCKET_BUILD_NUMBER,
    status: statusOfExit(env.BITBUCKET_EXIT_CODE),
  }),
  bitrise: (env) => ({
    repository: env.BITRISE_APP_SLUG,
    run: env.BITRISE_BUILD_SLUG,
    status: statusOfExit(env.BITRISE_BUILD_STATUS),
    startedAt: secondsSince1970(env.BITRISE_BUILD_TRIGGER_TIMESTAMP),
  }),
  teamcity: (env) => ({
    repository: env.TEAMCITY_PROJECT_NAME,
    run: env.BUILD_URL || env.BUILD_NUMBER,
  }),
  jenkins: (env) => ({ run: env.BUILD_TAG || env.BUILD_URL }),
};

interface JobTraits {
  readonly platform: string;
  /** Whether the parts of a suite that several jobs share are one scope. A test may run in another part next time. */
  readonly joinsShards: boolean;
}

/** The run of a CI job. Outside of known services every field is undefined. */
export function ciRun(env: Env, traits: JobTraits): CiRun {
  const { ci = "", runUrl, ref, job } = ciMetadata(env);
  const more = services[ci]?.(env);
  if (!more) return { scope: undefined, run: undefined, runUrl, status: undefined, startedAt: undefined };
  const parts = [more.repository, more.workflow, more.job ?? job, ...matrixOf(env, traits.joinsShards)];
  const shard = traits.joinsShards ? undefined : more.shard;
  return {
    scope: within(limits.dedupeScope, [...parts, shard, traits.platform, ref].filter(Boolean).join(", ")),
    run: within(limits.dedupeRun, more.run ?? ""),
    runUrl,
    status: more.status || undefined,
    startedAt: instantOf(more.startedAt),
  };
}

/**
 * INNKEEP_MATRIX, such as `{"node": 20}`: GitHub Actions sets no variable that tells the jobs of a matrix apart. In a fixed
 * order; without the part of a suite if the parts are one scope.
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

/** The text, with a hash in place of its end if it is too long; undefined if it is empty. */
function within(most: number, text: string): string | undefined {
  const characters = [...text.trim().toWellFormed().replaceAll("\0", "\ufffd")];
  if (characters.length <= most) return characters.join("") || undefined;
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return `${characters.slice(0, most - hash.length - 2).join("")} #${hash}`;
}

const named = (...parts: readonly (string | undefined)[]): string | undefined =>
  parts.every(Boolean) ? parts.join("/") : undefined;

const statusOfExit = (code: string | undefined): string | undefined =>
  code === undefined || code === "" ? undefined : code === "0" ? "success" : "failure";

const secondsSince1970 = (text: string | undefined): string | undefined =>
  text && /^\d{1,11}$/.test(text) ? new Date(Number(text) * 1_000).toISOString() : undefined;

const instantOf = (text: string | undefined): string | undefined =>
  text && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined;
