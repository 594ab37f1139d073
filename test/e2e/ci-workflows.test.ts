import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { readAction } from "../support/programs/actions-runner.ts";
import { parsed, runShell, shellLinesOf, workflowsIn } from "../support/programs/ci-workflows.ts";
import { readGitHubWorkflow, runGitHubJob } from "../support/programs/github-workflow.ts";
import { type Service, startService } from "../support/service/service.ts";
import { type CiJob, startCiJob } from "../support/worlds/ci-job.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const workflows = workflowsIn("docs/ci.md");
const textOf = (file: string) => {
  const text = workflows.get(file);
  if (text === undefined) throw new Error(`docs/ci.md has no ${file}`);
  return text.replaceAll("https://inn.example.org", service.baseUrl);
};

const Texts = z.record(z.string(), z.string());
const GitLab = z.object({
  variables: Texts,
  unit: z.object({ image: z.string(), script: z.array(z.string()), after_script: z.array(z.string()) }),
});
const Run = z.union([z.string(), z.object({ name: z.string(), when: z.string(), command: z.string() })]);
const CircleCi = z.object({
  version: z.literal(2.1),
  jobs: z.object({
    unit: z.object({
      docker: z.array(z.object({ image: z.string() })),
      environment: Texts,
      steps: z.array(z.union([z.string(), z.object({ run: Run })])),
    }),
  }),
  workflows: z.unknown(),
});

/** Runs the job of a service once, with the run number `run`. The tests in it pass or fail. */
type RunOfJob = (job: CiJob, run: string) => Promise<void>;

const gitHub: RunOfJob = async ({ folder, env, secrets }, run) => {
  const job = { folder, env: { ...env, GITHUB_RUN_ID: run }, secrets, matrix: { node: 24 } };
  await runGitHubJob(textOf(".github/workflows/tests.yml"), "unit", job);
};

const gitLab: RunOfJob = async ({ folder, env, secrets }, run) => {
  const { variables, unit } = GitLab.parse(parsed(textOf(".gitlab-ci.yml")));
  const own = { GITLAB_CI: "true", CI_PROJECT_PATH: "example/app", CI_JOB_NAME: "unit", CI_PIPELINE_ID: run };
  const job = { cwd: folder, env: { ...env, ...secrets, ...variables, ...own } };
  const { code } = await runShell(unit.script.join("\n"), job);
  const after = { ...job, env: { ...job.env, CI_JOB_STATUS: code === 0 ? "success" : "failed" } };
  expect(await runShell(unit.after_script.join("\n"), after)).toMatchObject({ code: 0 });
};

const circleCi: RunOfJob = async ({ folder, env, secrets }, run) => {
  const { environment, steps } = CircleCi.parse(parsed(textOf(".circleci/config.yml"))).jobs.unit;
  const own = { CIRCLECI: "true", CIRCLE_JOB: "unit", CIRCLE_WORKFLOW_WORKSPACE_ID: run };
  const job = { cwd: folder, env: { ...env, ...secrets, ...environment, ...own } };
  let when = "on_success";
  for (const step of steps.flatMap((one) => (typeof one === "string" ? [] : [one.run]))) {
    const given = typeof step === "string" ? { when: "on_success", command: step } : step;
    if (given.when === when && (await runShell(given.command, job)).code !== 0) when = "on_fail";
  }
};

const jenkins: RunOfJob = async ({ folder, env, secrets }, run) => {
  const text = textOf("Jenkinsfile");
  const { script, after } = shellLinesOf(text);
  const [, address = ""] = /INNKEEP_BASE_URL = '([^']+)'/.exec(text) ?? [];
  const own = { JENKINS_URL: "https://jenkins.example.org/", JOB_NAME: "app/main", BUILD_TAG: run };
  const job = { cwd: folder, env: { ...env, ...secrets, ...own, INNKEEP_BASE_URL: address } };
  const { code } = await runShell(script, job);
  const result = code === 0 ? "SUCCESS" : "FAILURE";
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Jenkins fills it in.
  const lines = after.replaceAll("${currentBuild.currentResult}", result);
  expect(await runShell(lines, job)).toMatchObject({ code: 0 });
};

describe("the workflows of docs/ci.md", () => {
  it("exist for GitHub, GitLab, CircleCI and Jenkins", () => {
    expect([...workflows.keys()]).toEqual([
      ".github/workflows/tests.yml",
      ".github/workflows/nightly.yml",
      ".github/workflows/faq.yml",
      ".github/workflows/release.yml",
      ".gitlab-ci.yml",
      ".circleci/config.yml",
      "Jenkinsfile",
    ]);
  });

  it.each([
    ["github-actions", gitHub],
    ["gitlab", gitLab],
    ["circleci", circleCi],
    ["jenkins", jenkins],
  ])("report a failing test on %s once, and resolve it when the test passes again", async (ci, run) => {
    const job = await startCiJob(service);
    await run(job, "run-1");
    const failure = { subject: expect.stringContaining("adds"), ci };
    expect(await job.threads()).toMatchObject([{ ...failure, status: "open" }]);
    await run(job, "run-2");
    expect(await job.threads()).toMatchObject([{ ...failure, status: "open" }]);
    await job.turnGreen();
    await run(job, "run-3");
    expect(await job.threads()).toMatchObject([{ ...failure, status: "resolved" }]);
  });

  it("report a failing run with its log", async () => {
    const { folder, env, secrets, threads } = await startCiJob(service);
    const ended = await runGitHubJob(textOf(".github/workflows/nightly.yml"), "nightly", {
      folder,
      env,
      secrets,
    });
    expect(ended.status).toBe("failure");
    expect(await threads()).toMatchObject([
      { subject: "The nightly run failed", message: "1 test failed: adds" },
    ]);
    expect(ended.log).toMatch(/^See http:\S+\/console\/feedback\/\S+$/m);
  });

  it("show in a pull request what a push would change in the FAQ, and push the change", async () => {
    const { json, ...job } = await startCiJob(service);
    await mkdir(join(job.folder, "faq"));
    await writeFile(join(job.folder, "faq", "sync.md"), "---\nquestion: How do I sync?\n---\nTap *Sync*.\n");
    const text = textOf(".github/workflows/faq.yml");
    const planned = await runGitHubJob(text, "plan", job);
    expect(planned.status).toBe("success");
    expect(planned.log).toMatch(
      /^pr\ncomment\n12\n--repo\nexample\/app\n--body\n### innkeep faq diff\n\n```text\ncreate .*sync\.md/m,
    );
    expect(await json("faq", "list")).toMatchObject({ items: [] });
    expect(await runGitHubJob(text, "push", job)).toMatchObject({ status: "success" });
    const pushed = [{ question: "How do I sync?", answer: "Tap *Sync*." }];
    expect(await json("faq", "list")).toMatchObject({ items: pushed });
  });

  it("publish the notes of a tag", async () => {
    const { json, env, ...job } = await startCiJob(service);
    await writeFile(
      join(job.folder, "CHANGELOG.md"),
      "# Changelog\n\n## 1.2.0\n\n### Fixed\n\n- The list.\n",
    );
    const tagged = { ...job, env: { ...env, GITHUB_REF: "refs/tags/v1.2.0" } };
    const text = textOf(".github/workflows/release.yml");
    expect(await runGitHubJob(text, "notes", tagged)).toMatchObject({ status: "success" });
    expect(await json("changelog", "list")).toMatchObject({ items: [{ version: "1.2.0" }] });
  });

  it("use only inputs that the action has", async () => {
    const { inputs, outputs } = await readAction();
    for (const [file, text] of [...workflows].filter(([name]) => name.startsWith(".github/"))) {
      const steps = Object.values(readGitHubWorkflow(text).jobs).flatMap((job) => job.steps);
      const ours = steps.filter(({ uses }) => uses?.startsWith("innkeep/innkeep@"));
      expect([file, ours.length > 0]).toEqual([file, true]);
      for (const step of ours)
        expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})));
      const used = [...text.matchAll(/steps\.\w+\.outputs\.([\w-]+)/g)].map(([, name]) => name ?? "");
      expect(Object.keys(outputs)).toEqual(expect.arrayContaining(used));
    }
  });
});
