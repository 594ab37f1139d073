import { type Env, providers } from "./ci-providers.ts";

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
  /** The id of the run, the same in each of its attempts; undefined if the service tells none. */
  readonly run: string | undefined;
}

/** The job of this environment; undefined outside known services. A matrix and the system are not in it. */
export function ciJob(env: Env): CiJob | undefined {
  const provider = providers.find(({ runs }) => runs(env));
  if (!provider) return undefined;
  const { workflow, job, lastingJob = job, ref, run } = provider.facts(env);
  return { scope: present({ ci: provider.name, workflow, job: lastingJob, ref }), run: run || undefined };
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
