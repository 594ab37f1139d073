import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { createCommandLine } from "../support/clients/command-line.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { readAction, runStep, variablesOf } from "../support/programs/actions-runner.ts";
import { commandsIn, parsed, runShell, shellLinesOf, workflowsIn } from "../support/programs/ci-workflows.ts";
import { type Service, startService } from "../support/service/service.ts";

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
const ActionStep = z.object({
  id: z.optional(z.string()),
  if: z.optional(z.string()),
  run: z.optional(z.string()),
  uses: z.optional(z.string()),
  with: z.optional(z.record(z.string(), z.union([z.string(), z.boolean()]))),
  env: z.optional(Texts),
});
const GitHub = z.object({
  name: z.string(),
  on: z.unknown(),
  env: z.optional(Texts),
  jobs: z.record(z.string(), z.looseObject({ steps: z.array(ActionStep) })),
});
const GitLab = z.object({
  variables: Texts,
  unit: z.object({ image: z.string(), script: z.array(z.string()), after_script: z.array(z.string()) }),
});
const CircleStep = z.union([
  z.string(),
  z.object({ run: z.union([z.string(), z.looseObject({ command: z.string() })]) }),
]);
const CircleCi = z.object({
  version: z.literal(2.1),
  jobs: z.object({ unit: z.object({ docker: z.unknown(), environment: Texts, steps: z.array(CircleStep) }) }),
  workflows: z.unknown(),
});

/** An app on the server, with what a job has, and a reader of the feedback that arrived. */
async function newApp() {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner);
  const token = await service.makeToken(owner, "maintainer", {
    scopes: ["feedback:read", "changelog:write", "faqs:write", "apps:read"],
    appId: app.id,
  });
  const line = await createCommandLine({
    INNKEEP_BASE_URL: service.baseUrl,
    INNKEEP_TOKEN: token,
    INNKEEP_APP: app.id,
  });
  const folder = await temporaryFolder();
  const bin = await commandsIn(folder);
  const reports = async () => {
    const { items } = z
      .object({ items: z.array(z.object({ id: z.string(), subject: z.string(), occurrences: z.int() })) })
      .parse((await line.run(["feedback", "list", "--json"])).json());
    const threads = items.map(async ({ id, ...item }) => {
      const thread = (await line.run(["feedback", "view", id, "--json"])).json();
      const { feedback } = z
        .object({ feedback: z.looseObject({ message: z.string(), metadata: Texts }) })
        .parse(thread);
      return { ...item, message: feedback.message, ci: feedback.metadata.ci };
    });
    return Promise.all(threads);
  };
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: folder, CI: "true", INNKEEP_API_KEY: app.key };
  return { folder, env, token, key: app.key, line, reports };
}

const failure = { subject: "Tests failed", message: "1 test failed: adds numbers", occurrences: 1 };

describe("the workflows of docs/ci.md", () => {
  it("are those of GitHub, GitLab, CircleCI and Jenkins", () => {
    expect([...workflows.keys()]).toEqual([
      ".github/workflows/tests.yml",
      ".github/workflows/faq.yml",
      ".github/workflows/release.yml",
      ".gitlab-ci.yml",
      ".circleci/config.yml",
      "Jenkinsfile",
    ]);
  });

  it("for GitHub give the action only inputs that it has", async () => {
    const { inputs, outputs } = await readAction();
    for (const [file, text] of [...workflows].filter(([name]) => name.startsWith(".github/"))) {
      const { jobs } = GitHub.parse(parsed(text));
      const steps = Object.values(jobs).flatMap((job) => job.steps);
      const ours = steps.filter(({ uses }) => uses?.startsWith("innkeep/innkeep@"));
      expect([file, ours.length > 0]).toEqual([file, true]);
      for (const step of ours)
        expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})));
      const used = [...text.matchAll(/steps\.\w+\.outputs\.([\w-]+)/g)].map(([, name]) => name ?? "");
      expect(Object.keys(outputs)).toEqual(expect.arrayContaining(used));
    }
  });

  it("for GitHub report a failing test", async () => {
    const { folder, env, key, reports } = await newApp();
    const workflow = GitHub.parse(parsed(textOf(".github/workflows/tests.yml")));
    const ended = await runJob(workflow, "unit", { folder, env, secrets: { INNKEEP_API_KEY: key } });
    expect(ended.status).toBe("failure");
    expect(await reports()).toEqual([{ ...failure, ci: "github-actions" }]);
    expect(ended.log).toMatch(/^See http:\S+\/console\/feedback\/\S+$/m);
  });

  it("for GitHub show in a pull request what a push would change in the FAQ, and push it", async () => {
    const { folder, env, key, line } = await newApp();
    await mkdir(join(folder, "faq"));
    await writeFile(join(folder, "faq", "sync.md"), "---\nquestion: How do I sync?\n---\nTap *Sync*.\n");
    const workflow = GitHub.parse(parsed(textOf(".github/workflows/faq.yml")));
    const runner = { folder, env, secrets: { INNKEEP_API_KEY: key } };
    const list = async () =>
      z.object({ items: z.array(z.unknown()) }).parse((await line.run(["faq", "list", "--json"])).json());

    const planned = await runJob(workflow, "plan", runner);
    expect(planned.status).toBe("success");
    expect(planned.log).toMatch(
      /^pr\ncomment\n12\n--repo\nexample\/app\n--body\n### innkeep faq diff\n\n```text\ncreate .*sync\.md/m,
    );
    expect((await list()).items).toEqual([]);
    expect(await runJob(workflow, "push", runner)).toMatchObject({ status: "success" });
    expect((await list()).items).toMatchObject([{ question: "How do I sync?", answer: "Tap *Sync*." }]);
  });

  it("for GitHub publish the notes of a tag", async () => {
    const { folder, env, token, line } = await newApp();
    const workflow = GitHub.parse(parsed(textOf(".github/workflows/release.yml")));
    await writeFile(join(folder, "CHANGELOG.md"), "# Changelog\n\n## 1.2.0\n\n### Fixed\n\n- The list.\n");
    const runner = {
      folder,
      env: { ...env, GITHUB_REF: "refs/tags/v1.2.0" },
      secrets: { INNKEEP_TOKEN: token },
    };
    expect(await runJob(workflow, "notes", runner)).toMatchObject({ status: "success" });
    const { items } = z
      .object({ items: z.array(z.looseObject({ version: z.string() })) })
      .parse((await line.run(["changelog", "list", "--json"])).json());
    expect(items.map(({ version }) => version)).toEqual(["1.2.0"]);
  });

  it("for GitLab report a failing test", async () => {
    const { folder, env, reports } = await newApp();
    const { variables, unit } = GitLab.parse(parsed(textOf(".gitlab-ci.yml")));
    const job = { cwd: folder, env: { ...env, ...variables, GITLAB_CI: "true" } };
    expect(await runShell(unit.script.join("\n"), job)).toMatchObject({ code: 1 });
    const run = (status: string) =>
      runShell(unit.after_script.join("\n"), { ...job, env: { ...job.env, CI_JOB_STATUS: status } });
    expect([await run("success"), await reports()]).toEqual([{ code: 0, log: "" }, []]);
    expect(await run("failed")).toMatchObject({ code: 0 });
    expect(await reports()).toEqual([{ ...failure, ci: "gitlab" }]);
  });

  it("for CircleCI report a failing test", async () => {
    const { folder, env, reports } = await newApp();
    const { unit } = CircleCi.parse(parsed(textOf(".circleci/config.yml"))).jobs;
    const runs = unit.steps.flatMap((step) => (typeof step === "string" ? [] : [step.run]));
    const job = { cwd: folder, env: { ...env, ...unit.environment, CIRCLECI: "true" } };
    const [script = "", onFail = ""] = runs.map((run) => (typeof run === "string" ? run : run.command));
    expect(runs.map((run) => typeof run === "object" && run.when)).toEqual([false, "on_fail"]);
    expect(await runShell(script, job)).toMatchObject({ code: 1 });
    expect(await runShell(onFail, job)).toMatchObject({ code: 0 });
    expect(await reports()).toEqual([{ ...failure, ci: "circleci" }]);
  });

  it("for Jenkins report a failing test", async () => {
    const { folder, env, reports } = await newApp();
    const { script, failure: after } = shellLinesOf(textOf("Jenkinsfile"));
    const address = /INNKEEP_BASE_URL = '([^']+)'/.exec(textOf("Jenkinsfile"))?.[1] ?? "";
    const jenkins = { JENKINS_URL: "https://jenkins.example.org/", INNKEEP_BASE_URL: address };
    const job = { cwd: folder, env: { ...env, ...jenkins } };
    expect(await runShell(script.join("\n"), job)).toMatchObject({ code: 1 });
    expect(await runShell(after.join("\n"), job)).toMatchObject({ code: 0 });
    expect(await reports()).toEqual([{ ...failure, ci: "jenkins" }]);
  });
});

interface Runner {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Runs the steps of a job as GitHub does, other actions than ours aside. */
async function runJob({ jobs, env = {} }: z.output<typeof GitHub>, name: string, runner: Runner) {
  const { folder, secrets } = runner;
  let status: "success" | "failure" = "success";
  let log = "";
  const outputs: Record<string, Record<string, string>> = {};
  const filled = (text: string) =>
    text.replace(/\$\{\{ (\S+) \}\}/g, (_, expression: string) => {
      const [kind = "", first = "", , output = ""] = expression.split(".");
      const values = { "github.token": "ghs_test", "github.event.number": "12" };
      const known = Object.entries({ ...values, [`secrets.${first}`]: secrets[first] });
      const value = kind === "steps" ? outputs[first]?.[output] : new Map(known).get(expression);
      if (value === undefined) throw new Error(`${expression} has no value.`);
      return value;
    });
  const filledIn = (texts: Readonly<Record<string, string | boolean>> = {}) =>
    Object.fromEntries(Object.entries(texts).map(([field, value]) => [field, filled(String(value))]));
  for (const step of jobs[name]?.steps ?? []) {
    const runs = { undefined: status === "success", "failure()": status === "failure", "always()": true }[
      String(step.if)
    ];
    if (runs === undefined) throw new Error(`The runner of the tests does not know ${step.if}`);
    if (!runs || (step.uses && !step.uses.startsWith("innkeep/"))) continue;
    const variables = { ...runner.env, INNKEEP_API_KEY: "", ...env, ...filledIn(step.env) };
    const ended = step.uses
      ? await runStep({ with: filledIn(step.with), env: variables, status, workspace: folder })
      : await runShell(filled(step.run ?? ""), {
          cwd: folder,
          env: { ...variablesOf(folder), ...variables },
        });
    if (step.id && "outputs" in ended) outputs[step.id] = ended.outputs;
    log += `${ended.log}\n`;
    if (ended.code !== 0) status = "failure";
  }
  return { status, log, outputs };
}
