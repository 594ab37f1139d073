type Env = Readonly<Record<string, string | undefined>>;

/**
 * What a CI job tells about itself: where its run is to be seen, the commit, the ref and the job. Nothing else of the
 * environment is looked at, because it is full of secrets. Empty outside GitHub Actions and GitLab CI.
 */
export function ciMetadata(env: Env): Record<string, string> {
  if (isGitHubActions(env)) {
    const { GITHUB_SHA: commit, GITHUB_REF: ref, GITHUB_JOB: job } = env;
    return present({ ci: "github-actions", runUrl: webAddress(gitHubRun(env)), commit, ref, job });
  }
  if (env.GITLAB_CI === "true") {
    const { CI_JOB_URL: run, CI_COMMIT_SHA: commit, CI_COMMIT_REF_NAME: ref, CI_JOB_NAME: job } = env;
    return present({ ci: "gitlab", runUrl: webAddress(run), commit, ref, job });
  }
  return {};
}

export const isGitHubActions = (env: Env): boolean => env.GITHUB_ACTIONS === "true";

const longest = 500;

const gitHubRun = ({
  GITHUB_SERVER_URL: server,
  GITHUB_REPOSITORY: repository,
  GITHUB_RUN_ID: run,
}: Env): string | undefined =>
  server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined;

/** The address, unless it is none or carries a name and a password. */
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
