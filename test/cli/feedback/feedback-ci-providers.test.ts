import { describe, expect, it } from "vitest";
import { send, startFeedbackSending } from "../../support/clients/feedback-sending.ts";

const planted = "planted-secret";
/** Secrets that services also set, which must not be shown. */
const secrets = {
  GITHUB_TOKEN: planted,
  CI_JOB_TOKEN: planted,
  CIRCLE_OIDC_TOKEN: planted,
  SYSTEM_ACCESSTOKEN: planted,
  BUILDKITE_AGENT_ACCESS_TOKEN: planted,
  BITBUCKET_STEP_OIDC_TOKEN: planted,
  BITRISE_BUILD_API_TOKEN: planted,
  TEAMCITY_AUTH_PASSWORD: planted,
  GIT_URL: `https://user:${planted}@example.org/app.git`,
};

const facts = { commit: "c0ffee", ref: "main", job: "test" };

/** The variables that each service sets, and the metadata that a report takes from them. */
const services: [string, Record<string, string>, Record<string, string>][] = [
  [
    "GitHub Actions",
    {
      GITHUB_ACTIONS: "true",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: "example/app",
      GITHUB_RUN_ID: "77",
      GITHUB_SHA: "c0ffee",
      GITHUB_REF: "refs/heads/main",
      GITHUB_JOB: "test",
    },
    {
      ...facts,
      ci: "github-actions",
      ref: "refs/heads/main",
      runUrl: "https://github.com/example/app/actions/runs/77",
    },
  ],
  [
    "GitLab CI",
    {
      GITLAB_CI: "true",
      CI_JOB_URL: "https://gitlab.com/example/app/-/jobs/78",
      CI_COMMIT_SHA: "c0ffee",
      CI_COMMIT_REF_NAME: "main",
      CI_JOB_NAME: "test",
    },
    { ...facts, ci: "gitlab", runUrl: "https://gitlab.com/example/app/-/jobs/78" },
  ],
  [
    "CircleCI",
    {
      CIRCLECI: "true",
      CIRCLE_BUILD_URL: "https://circleci.com/gh/example/app/79",
      CIRCLE_SHA1: "c0ffee",
      CIRCLE_BRANCH: "main",
      CIRCLE_JOB: "test",
    },
    { ...facts, ci: "circleci", runUrl: "https://circleci.com/gh/example/app/79" },
  ],
  [
    "Azure Pipelines",
    {
      TF_BUILD: "True",
      SYSTEM_COLLECTIONURI: "https://dev.azure.com/example/",
      SYSTEM_TEAMPROJECT: "My app",
      BUILD_BUILDID: "80",
      BUILD_SOURCEVERSION: "c0ffee",
      BUILD_SOURCEBRANCH: "main",
      SYSTEM_JOBDISPLAYNAME: "test",
    },
    {
      ...facts,
      ci: "azure-pipelines",
      runUrl: "https://dev.azure.com/example/My%20app/_build/results?buildId=80",
    },
  ],
  [
    "Buildkite",
    {
      BUILDKITE: "true",
      BUILDKITE_BUILD_URL: "https://buildkite.com/example/app/builds/81",
      BUILDKITE_COMMIT: "c0ffee",
      BUILDKITE_BRANCH: "main",
      BUILDKITE_TAG: "",
      BUILDKITE_LABEL: "test",
    },
    { ...facts, ci: "buildkite", runUrl: "https://buildkite.com/example/app/builds/81" },
  ],
  [
    "Bitbucket Pipelines",
    {
      BITBUCKET_BUILD_NUMBER: "82",
      BITBUCKET_REPO_FULL_NAME: "example/app",
      BITBUCKET_COMMIT: "c0ffee",
      BITBUCKET_BRANCH: "main",
      BITBUCKET_STEP_UUID: "test",
    },
    { ...facts, ci: "bitbucket", runUrl: "https://bitbucket.org/example/app/pipelines/results/82" },
  ],
  [
    "Bitrise",
    {
      BITRISE_IO: "true",
      BITRISE_BUILD_URL: "https://app.bitrise.io/build/83",
      BITRISE_GIT_COMMIT: "c0ffee",
      BITRISE_GIT_BRANCH: "main",
      BITRISE_TRIGGERED_WORKFLOW_ID: "test",
    },
    { ...facts, ci: "bitrise", runUrl: "https://app.bitrise.io/build/83" },
  ],
  [
    "TeamCity",
    {
      TEAMCITY_VERSION: "2025.07",
      BUILD_URL: "https://teamcity.example.org/build/84",
      BUILD_VCS_NUMBER: "c0ffee",
      TEAMCITY_BUILDCONF_NAME: "test",
    },
    { ci: "teamcity", commit: "c0ffee", job: "test", runUrl: "https://teamcity.example.org/build/84" },
  ],
  [
    "Jenkins",
    {
      JENKINS_URL: "https://jenkins.example.org/",
      BUILD_URL: "https://jenkins.example.org/job/app/85/",
      GIT_COMMIT: "c0ffee",
      BRANCH_NAME: "main",
      JOB_NAME: "test",
    },
    { ...facts, ci: "jenkins", runUrl: "https://jenkins.example.org/job/app/85/" },
  ],
];

describe("the command feedback send in a job", () => {
  it.each(services)(
    "of %s adds the address of the run, commit, ref and job, and no secret",
    async (_, env, metadata) => {
      const { line, bodies, received } = await startFeedbackSending();
      await line.run([...send, "--metadata", "a=1"], { env: { CI: "true", ...secrets, ...env } });
      expect(bodies()[0].metadata).toEqual({ a: "1", ...metadata });
      expect(received[0]?.body.toString()).not.toContain(planted);
    },
  );

  it.each(services)("of %s leaves out values that the service did not set", async (_, env) => {
    const { line, bodies } = await startFeedbackSending();
    const [name = "", ...others] = Object.keys(env);
    await line.run(send, { env: { [name]: env[name] ?? "" } });
    const told = Object.keys(bodies()[0].metadata);
    expect([told, others.length > 0]).toEqual([["ci"], true]);
  });

  it.each([
    ["CIRCLE_TAG", "CircleCI"],
    ["BUILDKITE_TAG", "Buildkite"],
    ["BITBUCKET_TAG", "Bitbucket Pipelines"],
    ["BITRISE_GIT_TAG", "Bitrise"],
    ["TAG_NAME", "Jenkins"],
  ])("adds the tag that %s sets", async (variable, service) => {
    const { line, bodies } = await startFeedbackSending();
    const [, env] = services.find(([name]) => name === service) ?? [];
    await line.run(send, { env: { ...env, [variable]: "v1.0.0" } });
    expect(bodies()[0].metadata.ref).toBe("v1.0.0");
  });

  it("of an unknown service adds nothing", async () => {
    const { line, bodies } = await startFeedbackSending();
    await line.run(send, {
      env: { CI: "true", ...secrets, BUILD_URL: "https://example.org", GIT_COMMIT: "c" },
    });
    expect(bodies()[0].metadata).toBeUndefined();
  });
});
