import { describe, expect, it } from "vitest";
import { ciJob } from "../../../src/cli/core/ci.ts";

const ref = "main";

/** The variables of a job of each service, and the scope and run that follow from them. */
const services: [string, Record<string, string>, Record<string, string>, string][] = [
  [
    "GitHub Actions",
    {
      GITHUB_ACTIONS: "true",
      GITHUB_WORKFLOW_REF: "example/app/.github/workflows/test.yml@refs/heads/main",
      GITHUB_WORKFLOW: "Tests",
      GITHUB_JOB: "unit",
      GITHUB_REF: "refs/heads/main",
      GITHUB_RUN_ID: "77",
      GITHUB_RUN_ATTEMPT: "2",
    },
    {
      ci: "github-actions",
      workflow: "example/app/.github/workflows/test.yml",
      job: "unit",
      ref: "refs/heads/main",
    },
    "77",
  ],
  [
    "GitLab CI, in a parallel part",
    {
      GITLAB_CI: "true",
      CI_PROJECT_PATH: "example/app",
      CI_JOB_NAME: "unit: [ruby] 2/3",
      CI_COMMIT_REF_NAME: ref,
      CI_PIPELINE_ID: "78",
      CI_JOB_ID: "9001",
    },
    { ci: "gitlab", workflow: "example/app", job: "unit: [ruby]", ref },
    "78",
  ],
  [
    "CircleCI, run again from a failed job",
    {
      CIRCLECI: "true",
      CIRCLE_PROJECT_USERNAME: "example",
      CIRCLE_PROJECT_REPONAME: "app",
      CIRCLE_JOB: "unit",
      CIRCLE_BRANCH: ref,
      CIRCLE_WORKFLOW_ID: "second",
      CIRCLE_WORKFLOW_WORKSPACE_ID: "first",
      CIRCLE_NODE_INDEX: "1",
    },
    { ci: "circleci", workflow: "example/app", job: "unit", ref },
    "first",
  ],
  [
    "Azure Pipelines",
    {
      TF_BUILD: "True",
      SYSTEM_TEAMPROJECT: "app",
      BUILD_DEFINITIONNAME: "nightly",
      SYSTEM_JOBDISPLAYNAME: "unit",
      BUILD_SOURCEBRANCH: ref,
      BUILD_BUILDID: "80",
      SYSTEM_JOBATTEMPT: "2",
    },
    { ci: "azure-pipelines", workflow: "app/nightly", job: "unit", ref },
    "80",
  ],
  [
    "Buildkite",
    {
      BUILDKITE: "true",
      BUILDKITE_ORGANIZATION_SLUG: "example",
      BUILDKITE_PIPELINE_SLUG: "app",
      BUILDKITE_LABEL: "unit 2",
      BUILDKITE_STEP_KEY: "unit",
      BUILDKITE_BRANCH: ref,
      BUILDKITE_BUILD_ID: "81",
    },
    { ci: "buildkite", workflow: "example/app", job: "unit", ref },
    "81",
  ],
  [
    "Bitbucket Pipelines, whose steps have no names",
    {
      BITBUCKET_BUILD_NUMBER: "82",
      BITBUCKET_REPO_FULL_NAME: "example/app",
      BITBUCKET_BRANCH: ref,
      BITBUCKET_STEP_UUID: "{new each time}",
    },
    { ci: "bitbucket", workflow: "example/app", ref },
    "82",
  ],
  [
    "Bitrise",
    {
      BITRISE_IO: "true",
      BITRISE_APP_SLUG: "app",
      BITRISE_TRIGGERED_WORKFLOW_ID: "unit",
      BITRISE_GIT_BRANCH: ref,
      BITRISE_BUILD_SLUG: "83",
    },
    { ci: "bitrise", workflow: "app", job: "unit", ref },
    "83",
  ],
  [
    "TeamCity",
    {
      TEAMCITY_VERSION: "2025.07",
      TEAMCITY_PROJECT_NAME: "app",
      TEAMCITY_BUILDCONF_NAME: "unit",
      BUILD_URL: "https://teamcity.example.org/build/84",
    },
    { ci: "teamcity", workflow: "app", job: "unit" },
    "https://teamcity.example.org/build/84",
  ],
  [
    "an older TeamCity",
    {
      TEAMCITY_VERSION: "2019.1",
      TEAMCITY_PROJECT_NAME: "app",
      TEAMCITY_BUILDCONF_NAME: "unit",
      BUILD_NUMBER: "84",
    },
    { ci: "teamcity", workflow: "app", job: "unit" },
    "84",
  ],
  [
    "Jenkins",
    {
      JENKINS_URL: "https://jenkins.example.org/",
      JOB_NAME: "app/main",
      BRANCH_NAME: ref,
      BUILD_TAG: "jenkins-app-main-85",
    },
    { ci: "jenkins", workflow: "https://jenkins.example.org/", job: "app/main", ref },
    "jenkins-app-main-85",
  ],
];

describe("the job of a CI run", () => {
  it.each(services)(
    "has on %s a scope without the number of the run, and a run without the number of the attempt",
    (_, env, scope, run) => {
      expect(ciJob({ ...env, CI: "true", SECRET: "planted" })).toEqual({ scope, run });
    },
  );

  it("is unknown on an unknown service", () => {
    expect(ciJob({ CI: "true", GITHUB_JOB: "unit" })).toBeUndefined();
  });
});
