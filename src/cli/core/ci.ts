import { type Env, providers } from "./ci-providers.ts";

/** Where each service names the tag for which a job runs. TeamCity does not. */
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

/** The address of a CI run, its commit, ref and job. Empty outside known services. */
export function ciMetadata(env: Env): Record<string, string> {
  const provider = providers.find(({ runs }) => runs(env));
  if (!provider) return {};
  const { runUrl, commit, ref, job } = provider.facts(env);
  return present({ ci: provider.name, runUrl: webAddress(runUrl), commit, ref, job });
}

/** A job of a CI run, as far as it can be told apart from others. */
export interface CiJob {
  /** The service, workflow, job and ref: the same for this job in every run, and in each of its parallel parts. */
  readonly scope: Readonly<Record<string, string>>;
  /** The id of the run, the same in each of its attempts; undefined if the service gives no id. */
  readonly run: string | undefined;
}

/** The job of this environment; undefined outside known services. A matrix and the system are not in it. (rule L22) */
export function ciJob(env: Env): CiJob | undefined {
  const provider = providers.find(({ runs }) => runs(env));
  if (!provider) return undefined;
  const { workflow, job, lastingJob = job, ref, run } = provider.facts(env);
  return { scope: present({ ci: provider.name, workflow, job: lastingJob, ref }), run: run || undefined };
}

/** The tag for which a CI job runs; undefined for other jobs. */
export function ciTag(env: Env): string | undefined {
  const provider = providers.find(({ runs }) => runs(env));
  return (provider && tagOf[provider.name]?.(env)) || undefined;
}

/** Whether the environment is that of a CI job, whose disk is deleted afterwards. */
export const isCiJob = (env: Env): boolean => Boolean(env.CI) || providers.some(({ runs }) => runs(env));

export const isGitHubActions = (env: Env): boolean => env.GITHUB_ACTIONS === "true";

export const isGitLab = (env: Env): boolean => env.GITLAB_CI === "true";

const longest = 500;

/** The address; undefined if it is malformed or holds a name and a password. */
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
