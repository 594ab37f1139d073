type Env = Readonly<Record<string, string | undefined>>;

/** What a CI job says about itself. */
interface Facts {
  readonly runUrl: string | undefined;
  readonly commit: string | undefined;
  readonly ref: string | undefined;
  readonly job: string | undefined;
}

/** A CI service, with the variables that it sets in each job. */
interface Provider {
  readonly name: string;
  readonly runs: (env: Env) => boolean;
  readonly facts: (env: Env) => Facts;
}

/** One row for each service. No other variable of the environment is looked at, because it is full of secrets. */
const providers: readonly Provider[] = [
  {
    name: "github-actions",
    runs: (env) => env.GITHUB_ACTIONS === "true",
    facts: (env) => ({
      runUrl: joined(env.GITHUB_SERVER_URL, env.GITHUB_REPOSITORY, "actions/runs", env.GITHUB_RUN_ID),
      commit: env.GITHUB_SHA,
      ref: env.GITHUB_REF,
      job: env.GITHUB_JOB,
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
      // A step has an id and no name.
      job: env.BITBUCKET_STEP_UUID,
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
    }),
  },
  {
    name: "teamcity",
    runs: (env) => Boolean(env.TEAMCITY_VERSION),
    facts: (env) => ({
      runUrl: env.BUILD_URL,
      commit: env.BUILD_VCS_NUMBER,
      // No variable names the branch.
      ref: undefined,
      job: env.TEAMCITY_BUILDCONF_NAME,
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
    }),
  },
];

/** The address of a CI run, its commit, ref and job. Empty outside known services. */
export function ciMetadata(env: Env): Record<string, string> {
  const provider = providers.find(({ runs }) => runs(env));
  if (!provider) return {};
  const { runUrl, ...facts } = provider.facts(env);
  return present({ ci: provider.name, runUrl: webAddress(runUrl), ...facts });
}

/** Whether the environment is that of a CI job, whose disk is deleted afterwards. */
export const isCiJob = (env: Env): boolean => Boolean(env.CI) || providers.some(({ runs }) => runs(env));

export const isGitHubActions = (env: Env): boolean => env.GITHUB_ACTIONS === "true";

export const isGitLab = (env: Env): boolean => env.GITLAB_CI === "true";

const longest = 500;

/** The parts as one address; undefined if one is missing. */
const joined = (...parts: readonly (string | undefined)[]): string | undefined =>
  parts.every(Boolean) ? parts.join("/") : undefined;

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
