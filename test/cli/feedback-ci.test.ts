import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCommandLine } from "../support/command-line.ts";
import { filesIn } from "../support/folder.ts";
import { accepts, answers } from "../support/intake.ts";
import { send, startSending } from "../support/sending.ts";

const gitHub = {
  CI: "true",
  GITHUB_ACTIONS: "true",
  GITHUB_SERVER_URL: "https://github.com",
  GITHUB_REPOSITORY: "example/app",
  GITHUB_RUN_ID: "77",
  GITHUB_SHA: "c0ffee",
  GITHUB_REF: "refs/heads/main",
  GITHUB_JOB: "test",
};
const gitLab = {
  CI: "true",
  GITLAB_CI: "true",
  CI_JOB_URL: "https://gitlab.com/example/app/-/jobs/78",
  CI_COMMIT_SHA: "c0ffee",
  CI_COMMIT_REF_NAME: "main",
  CI_JOB_NAME: "test",
};
const gitHubFacts = {
  ci: "github-actions",
  runUrl: "https://github.com/example/app/actions/runs/77",
  commit: "c0ffee",
  ref: "refs/heads/main",
  job: "test",
};
const secrets = {
  GITHUB_TOKEN: "ghs_planted",
  ACTIONS_RUNTIME_TOKEN: "eyplanted",
  CI_JOB_TOKEN: "glcbt-planted",
  AWS_SECRET_ACCESS_KEY: "aws-planted",
  CI_REPOSITORY_URL: "https://gitlab-ci-token:url-planted@gitlab.com/example/app.git",
};
const refusal = answers(400, { error: "100% no:\nreally,\r\nno.", code: "bad_request" });
const id = "0197b3a0-0000-7000-8000-000000000001";

const summaryIn = (cwd: string) => ({ GITHUB_STEP_SUMMARY: join(cwd, "summary.md") });

describe("feedback send in a CI job", () => {
  it.each([
    ["GitHub Actions", gitHub, gitHubFacts],
    [
      "GitLab CI",
      gitLab,
      { ci: "gitlab", runUrl: gitLab.CI_JOB_URL, commit: "c0ffee", ref: "main", job: "test" },
    ],
  ])("adds run URL, commit, ref and job on %s", async (_, env, facts) => {
    const { line, bodies } = await startSending();
    await line.run([...send, "--metadata", "a=1"], { env });
    expect(bodies()[0].metadata).toEqual({ a: "1", ...facts });
  });

  it("lets what the person says under the same name stand", async () => {
    const { line, bodies } = await startSending();
    await line.run([...send, "--metadata", "job=mine"], { env: gitHub });
    expect(bodies()[0].metadata).toEqual({ ...gitHubFacts, job: "mine" });
  });

  it("adds nothing with --no-ci-metadata, and nothing elsewhere", async () => {
    const { line, bodies } = await startSending();
    await line.run([...send, "--no-ci-metadata"], { env: gitHub });
    await line.run(send, { env: { CI: "true", GITHUB_SHA: "c0ffee" } });
    expect(bodies().map(({ metadata }) => metadata)).toEqual([undefined, undefined]);
  });

  it("adds nothing where there is no more room", async () => {
    const { line, bodies } = await startSending();
    const facts = Array.from({ length: 50 }, (_, at) => ["--metadata", `key${at}=x`]).flat();
    expect(await line.run([...send, ...facts], { env: gitHub })).toMatchObject({ exit: 0 });
    expect(Object.keys(bodies()[0].metadata)).toHaveLength(50);
  });

  it("leaves out an address that carries a password", async () => {
    const { line, bodies } = await startSending();
    await line.run(send, { env: { ...gitLab, CI_JOB_URL: "https://user:url-planted@gitlab.com/jobs/1" } });
    expect(bodies()[0].metadata).not.toHaveProperty("runUrl");
  });

  it.each([
    ["GitHub Actions", gitHub],
    ["GitLab CI", gitLab],
  ])("never shows a secret of the environment, on %s", async (_, ci) => {
    const { line, received } = await startSending(accepts, refusal);
    const env = { ...secrets, ...ci, ...summaryIn(line.cwd) };
    const ran = [await line.run(send, { env }), await line.run([...send, "--debug"], { env })];
    const files = [...(await filesIn(line.cwd)), ...(await filesIn(line.stateFolder))];
    const written = await Promise.all(files.map((file) => readFile(file, "utf8")));
    expect(written.length).toBeGreaterThan(0);
    const sent = received.map(({ body }) => body.toString());
    const said = ran.map(({ stdout, stderr }) => stdout + stderr);
    expect([...sent, ...said, ...written].join()).not.toMatch(/planted/);
  });
});

describe("what a GitHub Actions job shows of feedback", () => {
  it("is a link to the thread on its summary page, with the subject as it was typed", async () => {
    const consoleUrl = `https://example.org/console/feedback/a/${id}`;
    const { line } = await startSending(answers(201, { success: true, id, consoleUrl }));
    await writeFile(join(line.cwd, "summary.md"), "# Before\n");
    const subject = "<img src=x> [a](b) | `c`\n# *d*";
    await line.run([...send, "--subject", subject], { env: { ...gitHub, ...summaryIn(line.cwd) } });
    expect(await readFile(join(line.cwd, "summary.md"), "utf8")).toBe(
      "# Before\n### Feedback sent\n\n" +
        "\\<img src\\=x\\> \\[a\\]\\(b\\) \\| \\`c\\` \\# \\*d\\*\n\n" +
        `[${id.replaceAll("-", "\\-")}](<${consoleUrl}>)\n\n`,
    );
  });

  it("holds no link that is none", async () => {
    const { line } = await startSending(
      answers(201, { success: true, id, consoleUrl: "javascript:alert(1)" }),
    );
    await line.run(send, { env: { ...gitHub, ...summaryIn(line.cwd) } });
    expect(await readFile(join(line.cwd, "summary.md"), "utf8")).not.toContain("javascript");
  });

  it("is an error annotation on one line where it was not sent, and the same on the summary page", async () => {
    const { line, keptId } = await startSending(refusal);
    const { exit, stderr } = await line.run(send, { env: { ...gitHub, ...summaryIn(line.cwd) } });
    const resend = `innkeep feedback resend ${await keptId()}`;
    expect(exit).toBe(2);
    expect(stderr.split("\n")).toContain(
      `::error title=Feedback was not sent::100%25 no: really, no.%0ANothing was posted.%0AThe report is kept.%0A${resend}`,
    );
    expect(await readFile(join(line.cwd, "summary.md"), "utf8")).toContain(
      "### Feedback was not sent\n\n100\\% no\\: really\\, no\\.\n",
    );
  });

  it("is an error annotation that names every fault of the command line", async () => {
    const line = await createCommandLine();
    const { stderr } = await line.run(["feedback", "send", "--image", "no.png"], { env: gitHub });
    expect(stderr).toContain(
      "::error title=Feedback was not sent::Nothing was sent, 3 things are wrong:%0A--type ",
    );
  });

  it("is no command that the server put into its answer", async () => {
    const { line } = await startSending(answers(400, { error: "No.\n::add-mask::x", code: "bad_request" }));
    const { stderr } = await line.run(send, { env: gitHub });
    expect(stderr.split("\n").filter((text) => text.trim().startsWith("::"))).toEqual([
      expect.stringMatching(/^::error title=/),
    ]);
  });

  it("cannot stop a report by a summary page that cannot be written", async () => {
    const { line } = await startSending();
    const { exit, stderr } = await line.run(send, { env: { ...gitHub, GITHUB_STEP_SUMMARY: line.cwd } });
    expect(exit).toBe(0);
    expect(stderr).toContain("The job summary cannot be written (EISDIR).");
  });

  it("is nothing elsewhere", async () => {
    const { line } = await startSending(refusal);
    const { stderr } = await line.run(send, { env: { ...gitLab, ...summaryIn(line.cwd) } });
    expect(stderr).not.toContain("::error");
    expect(await filesIn(line.cwd)).toEqual([]);
  });
});

describe("feedback send --best-effort", () => {
  const bestEffort = [...send, "--best-effort"];

  it.each([
    ["the server refuses", refusal, {}],
    ["the server fails", answers(500, {}), {}],
    ["nothing listens", accepts, { INNKEEP_BASE_URL: "http://127.0.0.1:9" }],
    ["there is no key", accepts, { INNKEEP_API_KEY: "" }],
  ])("ends well with a warning where %s, and keeps the report", async (_, answer, env) => {
    const { line, kept } = await startSending(answer);
    const { exit, stdout, stderr } = await line.run(bestEffort, { env });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(stderr).toContain("Warning: the feedback was not sent.\n");
    expect(await kept()).toHaveLength(1);
  });

  it("makes the annotation a warning", async () => {
    const { line } = await startSending(refusal);
    const { stderr } = await line.run(bestEffort, { env: gitHub });
    expect(stderr).toContain("::warning title=Feedback was not sent::");
    expect(stderr).not.toContain("::error");
  });

  it("says under --json that nothing was posted, and what was kept", async () => {
    const { line, keptId } = await startSending(refusal);
    const ran = await line.run([...bestEffort, "--json"]);
    expect(ran.json()).toMatchObject({
      success: false,
      error: { code: "bad_request", status: 400 },
      spooled: { id: await keptId(), outcome: "refused" },
    });
  });

  it("does not hide that the command line is wrong", async () => {
    const { line } = await startSending();
    expect(await line.run([...bestEffort, "--image", "no.png"])).toMatchObject({ exit: 2 });
  });
});
