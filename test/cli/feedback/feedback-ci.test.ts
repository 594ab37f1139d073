import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { send, startFeedbackSending } from "../../support/clients/feedback-sending.ts";
import { filesIn } from "../../support/files/temporary-folder.ts";
import { accepts, answers } from "../../support/network/recording-server.ts";

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

describe("the command feedback send in a CI job", () => {
  it("keeps the person's value if a name is equal", async () => {
    const { line, bodies } = await startFeedbackSending();
    await line.run([...send, "--metadata", "job=mine"], { env: gitHub });
    expect(bodies()[0].metadata).toEqual({ ...gitHubFacts, job: "mine" });
  });

  it("adds nothing with --no-ci-metadata, or outside a CI job", async () => {
    const { line, bodies } = await startFeedbackSending();
    await line.run([...send, "--no-ci-metadata"], { env: gitHub });
    await line.run(send, { env: { CI: "true", GITHUB_SHA: "c0ffee" } });
    expect(bodies().map(({ metadata }) => metadata)).toEqual([undefined, undefined]);
  });

  it("puts its metadata after the person's metadata, because a server keeps the first entries", async () => {
    const { line, bodies } = await startFeedbackSending();
    const names = Array.from({ length: 50 }, (_, at) => `key${at}`);
    const facts = names.flatMap((name) => ["--metadata", `${name}=x`]);
    expect(await line.run([...send, ...facts], { env: gitHub })).toMatchObject({ exit: 0 });
    expect(Object.keys(bodies()[0].metadata)).toEqual([...names, ...Object.keys(gitHubFacts)]);
  });

  it("leaves out an address with a password", async () => {
    const { line, bodies } = await startFeedbackSending();
    await line.run(send, { env: { ...gitLab, CI_JOB_URL: "https://user:url-planted@gitlab.com/jobs/1" } });
    expect(bodies()[0].metadata).not.toHaveProperty("runUrl");
  });

  it.each([
    ["GitHub Actions", gitHub],
    ["GitLab CI", gitLab],
  ])("never shows a secret of the environment on %s", async (_, ci) => {
    const { line, received } = await startFeedbackSending(accepts, refusal);
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

describe("the output of feedback send in a GitHub Actions job", () => {
  it("is a link to the thread on the summary page of the job, with the subject as the person typed it", async () => {
    const consoleUrl = `https://example.org/console/feedback/a/${id}`;
    const { line } = await startFeedbackSending(answers(201, { success: true, id, consoleUrl }));
    await writeFile(join(line.cwd, "summary.md"), "# Before\n");
    const subject = "<img src=x> [a](b) | `c`\n# *d*";
    await line.run([...send, "--subject", subject], { env: { ...gitHub, ...summaryIn(line.cwd) } });
    expect(await readFile(join(line.cwd, "summary.md"), "utf8")).toBe(
      "# Before\n### Feedback sent\n\n" +
        "\\<img src\\=x\\> \\[a\\]\\(b\\) \\| \\`c\\` \\# \\*d\\*\n\n" +
        `[${id.replaceAll("-", "\\-")}](<${consoleUrl}>)\n\n`,
    );
  });

  it("is a notice on the run, and outputs of the step", async () => {
    const consoleUrl = `https://example.org/console/feedback/a/${id}`;
    const { line } = await startFeedbackSending(answers(201, { success: true, id, consoleUrl }));
    const env = { ...gitHub, GITHUB_OUTPUT: join(line.cwd, "outputs") };
    const { stderr } = await line.run([...send, "--subject", "Nightly"], { env });
    expect(stderr).toContain(`::notice title=Feedback sent::Nightly%0A${consoleUrl}\n`);
    const written = await readFile(join(line.cwd, "outputs"), "utf8");
    const form = /^feedback-id<<(\S+)\n(.*)\n\1\nconsole-url<<(\S+)\n(.*)\n\3\n$/.exec(written);
    expect([form?.[2], form?.[4]]).toEqual([id, consoleUrl]);
    expect(form?.[1]).not.toBe(form?.[3]);
  });

  it("has no outputs that come from the server's text", async () => {
    const answer = { success: true, id: "1\nEOF\nPATH<<EOF\n/evil", consoleUrl: "x\r\ny" };
    const { line } = await startFeedbackSending(answers(201, answer));
    await line.run(send, { env: { ...gitHub, GITHUB_OUTPUT: join(line.cwd, "outputs") } });
    const lines = (await readFile(join(line.cwd, "outputs"), "utf8")).trimEnd().split("\n");
    expect(lines).toHaveLength(6);
    expect([lines[1], lines[4]]).toEqual(["1 EOF PATH<<EOF /evil", "x y"]);
  });

  it("does not cause a failure if the outputs cannot be written", async () => {
    const { line } = await startFeedbackSending(answers(201, { success: true, id }));
    const { exit, stderr } = await line.run(send, { env: { ...gitHub, GITHUB_OUTPUT: line.cwd } });
    expect(exit).toBe(0);
    expect(stderr).toContain("The outputs of the step cannot be written (it is a folder).");
  });

  it("contains no invalid link", async () => {
    const { line } = await startFeedbackSending(
      answers(201, { success: true, id, consoleUrl: "javascript:alert(1)" }),
    );
    await line.run(send, { env: { ...gitHub, ...summaryIn(line.cwd) } });
    expect(await readFile(join(line.cwd, "summary.md"), "utf8")).not.toContain("javascript");
  });

  it("is an error annotation of one line if the report cannot be sent, with the same text on the summary page", async () => {
    const { line, keptId } = await startFeedbackSending(refusal);
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
      "::error title=Feedback was not sent::Nothing was sent. 3 things are wrong:%0A--type ",
    );
  });

  it.each([
    ["an error", refusal, [], (stderr: string) => expect(JSON.parse(stderr)).toMatchObject({ exitCode: 2 })],
    ["a notice", accepts, [], (stderr: string) => expect(stderr).toBe("")],
    ["a warning", refusal, ["--best-effort"], (stderr: string) => expect(stderr).not.toMatch(/^::warning/m)],
  ])(
    "contains no annotation with --json that is %s, but the summary page",
    async (_, answer, flags, check) => {
      const { line } = await startFeedbackSending(answer);
      const env = { ...gitHub, ...summaryIn(line.cwd) };
      const { stderr } = await line.run([...send, ...flags, "--json"], { env });
      check(stderr);
      expect(await readFile(join(line.cwd, "summary.md"), "utf8")).toMatch(/^### Feedback (was not )?sent\n/);
    },
  );

  it("contains no command from the server's answer that GitHub executes", async () => {
    const { line } = await startFeedbackSending(
      answers(400, { error: "No.\n::add-mask::x", code: "bad_request" }),
    );
    const { stderr } = await line.run(send, { env: gitHub });
    const after = stderr.slice(stderr.indexOf("::endgroup::\n") + "::endgroup::\n".length);
    expect(after.split("\n").filter((text) => text.trim().startsWith("::"))).toEqual([
      expect.stringMatching(/^::error title=/),
    ]);
    expect(stderr).not.toMatch(/^\s*::add-mask/m);
  });

  it("contains no command on standard output or in a warning that GitHub executes", async () => {
    const evil = "x\n::stop-commands::y\n  ::add-mask::e";
    const lines = (text: string) => text.split("\n").filter((line) => /^\s*(::|##\[)/.test(line));
    const sent = await startFeedbackSending(
      answers(201, { success: true, id: "::error::x", consoleUrl: evil }),
    );
    expect(lines((await sent.line.run(send, { env: gitHub })).stdout)).toEqual([]);
    const refused = await startFeedbackSending(answers(400, { error: evil, code: "bad_request" }));
    const { stderr } = await refused.line.run([...send, "--best-effort"], { env: gitHub });
    const unfolded = stderr.replace(/::group::[\s\S]*?::endgroup::\n/, "");
    expect(lines(unfolded)).toEqual([expect.stringMatching(/^::warning title=/)]);
  });

  it("does not prevent a report if the summary page cannot be written", async () => {
    const { line } = await startFeedbackSending();
    const { exit, stderr } = await line.run(send, { env: { ...gitHub, GITHUB_STEP_SUMMARY: line.cwd } });
    expect(exit).toBe(0);
    expect(stderr).toContain("The job summary cannot be written (it is a folder).");
  });

  it("is empty outside a CI job", async () => {
    const { line } = await startFeedbackSending(refusal);
    const { stderr } = await line.run(send, { env: { ...gitLab, ...summaryIn(line.cwd) } });
    expect(stderr).not.toContain("::error");
    expect(await filesIn(line.cwd)).toEqual([]);
  });
});
