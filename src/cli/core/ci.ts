import { createHash } from "node:crypto";
import { limits } from "../../contract/limits.ts";

/** The scope of a CI job, and the id of its run. */
interface CiRun {
  /**
   * The workflow, job, matrix, operating system and ref. A test must pass in every scope that reported its
   * failure.
   */
  readonly scope: string | undefined;
  /** The id of the CI run. A second attempt of the same run has the same id. */
  readonly run: string | undefined;
}

/** Returns the scope and id of the CI run. Both are undefined outside known CI services. (rule F27) */
export function ciRun(
  env: Env,
  {
    platform,
    joinsShards,
  }: {
    readonly platform: string;
    /** Whether all shards, the parallel parts of a test suite, have the same scope. */
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

/** Returns the shard of a suite. GitLab adds the shard to the job name: `test 1/3`. */
const shardOf = (env: Env, job = ""): string | undefined =>
  / (\d+\/\d+)$/.exec(job)?.[1] ||
  env.CIRCLE_NODE_INDEX ||
  env.BUILDKITE_PARALLEL_JOB ||
  env.BITBUCKET_PARALLEL_STEP;

/**
 * Returns the sorted values of INNKEEP_MATRIX, which the user sets. With `joinsShards`, omits names that
 * contain "shard".
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

/** Returns at most `most` characters. A hash replaces the end of a longer text. Undefined for an empty text. */
function within(most: number, text: string): string | undefined {
  const characters = [...text.trim().toWellFormed().replaceAll("\0", "\ufffd")];
  if (characters.length <= most) return characters.join("") || undefined;
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return `${characters.slice(0, most - hash.length - 2).join("")} #${hash}`;
}

/** Functions that return the result of the job. Each function reads the variable of one CI service. */
const statuses: readonly ((env: Env) => string | undefined)[] = [
  (env) => env.CI_JOB_STATUS,
  (env) => env.AGENT_JOBSTATUS,
  (env) => statusOfExit(env.BUILDKITE_COMMAND_EXIT_STATUS),
  (env) => statusOfExit(env.BITBUCKET_EXIT_CODE),
  (env) => statusOfExit(env.BITRISE_BUILD_STATUS),
];

/**
 * Returns the current result of the job, from the variables of the service. Undefined if no variable contains
 * it.
 */
export const ciStatus = (env: Env): string | undefined =>
  statuses.map((statusIn) => statusIn(env)).find((status) => status);

const statusOfExit = (code: string | undefined): string | undefined =>
  code === undefined || code === "" ? undefined : code === "0" ? "success" : "failure";

/**
 * Returns the time when the run started, from the variables of the service. Undefined if no variable contains
 * it.
 */
export function ciStart(env: Env): string | undefined {
  const seconds = Number(env.BITRISE_BUILD_TRIGGER_TIMESTAMP);
  if (seconds > 0) return new Date(seconds * 1_000).toISOString();
  const text = env.CI_PIPELINE_CREATED_AT || env.CI_JOB_STARTED_AT || env.SYSTEM_PIPELINESTARTTIME;
  return text && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined;
}

/** Returns the folders of the checkout and of temporary files, from the variables of the service. */
export const ciFolders = (
  env: Env,
): { readonly workspace: string | undefined; readonly temporary: string | undefined } => ({
  workspace: env.GITHUB_WORKSPACE || env.CI_PROJECT_DIR,
  temporary: env.RUNNER_TEMP,
});

/** GitHub writes this file when a job starts. No variable contains the time of the start. */
export const fileOfStart = (env: Env): string | undefined => env.GITHUB_EVENT_PATH;

/** For each service, the function that returns the tag of a job. TeamCity has no variable with the tag. */
const tagOf: Readonly<Record<string, (env: Env) => string | undefined>> = {
  "github-actions": (env) => ofRef(env.GITHUB_REF),
  gitlab: (env) => env.CI_COMMIT_TAG,
  circleci: (env) => env.CIRCLE_TAG,
  "azure-pipelines": (env) => ofRef(env.BUILD_SOURCEBRANCH),
  buildkite: (env) => env.BUILDKITE_TAG,
  bitbucket: (env) => env.BITBUCKET_TAG,
  bitrise: (env) => env.BITRISE_GIT_TAG,
  jenkins: (env) => env.TAG_NAME,
};

const ofRef = (ref = ""): string | undefined => /^refs\/tags\/(.+)$/.exec(ref)?.[1];

/** Returns the address, commit, ref and job of a CI run. Empty outside known services. */
export function ciMetadata(env: Env): Record<string, string> {
  const provider = providers.find(({ runs }) => runs(env));
  if (!provider) return {};
  const { runUrl, commit, ref, job } = provider.facts(env);
  return present({ ci: provider.name, runUrl: webAddress(runUrl), commit, ref, job });
}

/** The facts that distinguish a job from other jobs. The parallel parts of a job share one scope. */
interface CiJob {
  /** The service, workflow, job and ref. They are the same in every run and in every parallel part. */
  readonly scope: Readonly<Record<string, string>>;
  /** The id of the run, the same in each of its attempts; undefined if the service has no id. */
  readonly run: string | undefined;
}

/**
 * Returns the CI job of this process. Undefined outside known services. The scope excludes matrix and operating system.
 * (rule L22)
 */
export function ciJob(env: Env): CiJob | undefined {
  const provider = providers.find(({ runs }) => runs(env));
  if (!provider) return undefined;
  const { workflow, job, lastingJob = job, ref, run } = provider.facts(env);
  return { scope: present({ ci: provider.name, workflow, job: lastingJob, ref }), run: run || undefined };
}

/** Returns the tag for which a CI job runs. Undefined for other jobs. */
export function ciTag(env: Env): string | undefined {
  const provider = providers.find(({ runs }) => runs(env));
  return (provider && tagOf[provider.name]?.(env)) || undefined;
}

/** Whether this process runs in a CI job: `CI` is set, or the variables of a known service are set. */
export const isCiJob = (env: Env): boolean => Boolean(env.CI) || providers.some(({ runs }) => runs(env));

export const isGitHubActions = (env: Env): boolean => env.GITHUB_ACTIONS === "true";

export const isGitLab = (env: Env): boolean => env.GITLAB_CI === "true";

const longest = 500;

/** Returns the address. Undefined if it is malformed, or if it contains a name or a password. */
function webAddress(address: string | undefined): string | undefined {
  const url = address && URL.canParse(address) ? new URL(address) : undefined;
  return url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
    ? url.href
    : undefined;
}

const present = (facts: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(facts).flatMap(([name, fact]) => (fact ? [[name, fact.slice(0, longest)]] : [])),
  );

type Env = Readonly<Record<string, string | undefined>>;

/** The facts about a CI job from its variables. */
interface Facts {
  readonly runUrl: string | undefined;
  readonly commit: string | undefined;
  readonly ref: string | undefined;
  readonly job: string | undefined;
  /**
   * The job's name without parts that differ between runs or parallel jobs. Set only if it differs from `job`.
   */
  readonly lastingJob?: string | undefined;
  /** The name of the workflow, with the repository or project. It is the same in all runs of the workflow. */
  readonly workflow: string | undefined;
  /** The id of the run, the same in each of its attempts. */
  readonly run: string | undefined;
}

/** A CI service, with the variables that it sets in each job. */
interface Provider {
  readonly name: string;
  readonly runs: (env: Env) => boolean;
  readonly facts: (env: Env) => Facts;
}

/** One entry for each service. Other variables of the environment are not read, because they may contain secrets. */
const providers: readonly Provider[] = [
  {
    name: "github-actions",
    runs: (env) => env.GITHUB_ACTIONS === "true",
    facts: (env) => ({
      runUrl: joined(env.GITHUB_SERVER_URL, env.GITHUB_REPOSITORY, "actions/runs", env.GITHUB_RUN_ID),
      commit: env.GITHUB_SHA,
      ref: env.GITHUB_REF,
      job: env.GITHUB_JOB,
      // The repository and the path of the workflow file. The ref follows the @ and is removed.
      workflow: env.GITHUB_WORKFLOW_REF?.replace(/@.*/s, "") || env.GITHUB_WORKFLOW,
      run: env.GITHUB_RUN_ID,
    }),
  },
  {
    name: "gitlab",
    runs: (env) => env.GITLAB_CI === "true",
    facts: (env) => ({
      runUrl: env.CI_JOB_URL,
      commit: env.CI_COMMIT_SHA,
      ref: env.CI_COMMIT_REF_NAME,
      job: env.CI_JOB_NAME,
      lastingJob: env.CI_JOB_NAME?.replace(/ \d+\/\d+$/, ""),
      workflow: env.CI_PROJECT_PATH,
      run: env.CI_PIPELINE_ID,
    }),
  },
  {
    name: "circleci",
    runs: (env) => env.CIRCLECI === "true",
    facts: (env) => ({
      runUrl: env.CIRCLE_BUILD_URL,
      commit: env.CIRCLE_SHA1,
      ref: env.CIRCLE_TAG || env.CIRCLE_BRANCH,
      job: env.CIRCLE_JOB,
      workflow: joined(env.CIRCLE_PROJECT_USERNAME, env.CIRCLE_PROJECT_REPONAME),
      // When jobs run again, CircleCI creates a new workflow in the same workspace. So the workspace id stays the same.
      run: env.CIRCLE_WORKFLOW_WORKSPACE_ID || env.CIRCLE_WORKFLOW_ID,
    }),
  },
  {
    name: "azure-pipelines",
    runs: (env) => env.TF_BUILD?.toLowerCase() === "true",
    facts: (env) => ({
      runUrl: joined(
        env.SYSTEM_COLLECTIONURI?.replace(/\/$/, ""),
        env.SYSTEM_TEAMPROJECT && encodeURIComponent(env.SYSTEM_TEAMPROJECT),
        env.BUILD_BUILDID && `_build/results?buildId=${env.BUILD_BUILDID}`,
      ),
      commit: env.BUILD_SOURCEVERSION,
      ref: env.BUILD_SOURCEBRANCH,
      job: env.SYSTEM_JOBDISPLAYNAME || env.AGENT_JOBNAME,
      workflow: joined(env.SYSTEM_TEAMPROJECT, env.BUILD_DEFINITIONNAME),
      run: env.BUILD_BUILDID,
    }),
  },
  {
    name: "buildkite",
    runs: (env) => env.BUILDKITE === "true",
    facts: (env) => ({
      runUrl: env.BUILDKITE_BUILD_URL,
      commit: env.BUILDKITE_COMMIT,
      ref: env.BUILDKITE_TAG || env.BUILDKITE_BRANCH,
      job: env.BUILDKITE_LABEL || env.BUILDKITE_STEP_KEY,
      lastingJob: env.BUILDKITE_STEP_KEY || env.BUILDKITE_LABEL,
      workflow: joined(env.BUILDKITE_ORGANIZATION_SLUG, env.BUILDKITE_PIPELINE_SLUG),
      run: env.BUILDKITE_BUILD_ID,
    }),
  },
  {
    name: "bitbucket",
    runs: (env) => Boolean(env.BITBUCKET_BUILD_NUMBER),
    facts: (env) => ({
      runUrl: joined(
        "https://bitbucket.org",
        env.BITBUCKET_REPO_FULL_NAME,
        "pipelines/results",
        env.BITBUCKET_BUILD_NUMBER,
      ),
      commit: env.BITBUCKET_COMMIT,
      ref: env.BITBUCKET_TAG || env.BITBUCKET_BRANCH,
      // Bitbucket has no variable with the name of the step. The id of a step is new in each run.
      job: env.BITBUCKET_STEP_UUID,
      lastingJob: "",
      workflow: env.BITBUCKET_REPO_FULL_NAME,
      run: env.BITBUCKET_BUILD_NUMBER,
    }),
  },
  {
    name: "bitrise",
    runs: (env) => env.BITRISE_IO === "true",
    facts: (env) => ({
      runUrl: env.BITRISE_BUILD_URL,
      commit: env.BITRISE_GIT_COMMIT || env.GIT_CLONE_COMMIT_HASH,
      ref: env.BITRISE_GIT_TAG || env.BITRISE_GIT_BRANCH,
      job: env.BITRISE_TRIGGERED_WORKFLOW_ID,
      workflow: env.BITRISE_APP_SLUG,
      run: env.BITRISE_BUILD_SLUG,
    }),
  },
  {
    name: "teamcity",
    runs: (env) => Boolean(env.TEAMCITY_VERSION),
    facts: (env) => ({
      runUrl: env.BUILD_URL,
      commit: env.BUILD_VCS_NUMBER,
      // TeamCity sets no variable with the branch.
      ref: undefined,
      job: env.TEAMCITY_BUILDCONF_NAME,
      workflow: env.TEAMCITY_PROJECT_NAME,
      // Older versions of TeamCity do not set BUILD_URL.
      run: env.BUILD_URL || env.BUILD_NUMBER,
    }),
  },
  {
    name: "jenkins",
    runs: (env) => Boolean(env.JENKINS_URL),
    facts: (env) => ({
      runUrl: env.BUILD_URL,
      commit: env.GIT_COMMIT,
      ref: env.TAG_NAME || env.BRANCH_NAME || env.GIT_BRANCH,
      job: env.JOB_NAME,
      workflow: env.JENKINS_URL,
      run: env.BUILD_TAG,
    }),
  },
];

/** Joins parts to one address. Undefined if a part is missing. */
const joined = (...parts: readonly (string | undefined)[]): string | undefined =>
  parts.every(Boolean) ? parts.join("/") : undefined;

const verbs = ["send", "resolve"] as const;

export type BestEffortVerb = (typeof verbs)[number];

/**
 * Returns the verb of a `feedback` command with `--best-effort`. The parser cannot be used, because it may
 * fail. (rule L7)
 */
export function bestEffortVerb(argv: readonly string[]): BestEffortVerb | undefined {
  const at = argv.indexOf("feedback");
  const verb = at < 0 ? undefined : argv.slice(at + 1).find((word) => !word.startsWith("-"));
  if (!argv.some((word) => /^--best-effort(=|$)/.test(word))) return undefined;
  return verbs.find((one) => one === verb);
}

/** Whether a command line must not break a build. */
export const isBestEffort = (argv: readonly string[]): boolean => bestEffortVerb(argv) !== undefined;
