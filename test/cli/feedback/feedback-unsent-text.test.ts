import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { send, startFeedbackSending } from "../../support/clients/feedback-sending.ts";
import { png } from "../../support/files/sample-files.ts";
import { answers } from "../../support/network/recording-server.ts";

const refusal = answers(400, { error: "No.", code: "bad_request" });
const gitHub = { CI: "true", GITHUB_ACTIONS: "true" };
const gitLab = { CI: "true", GITLAB_CI: "true" };
const jenkins = { JENKINS_URL: "https://jenkins.example.org/" };

describe("unsent feedback in the log of a job", () => {
  it.each([[["--best-effort"]], [[]]])("contains text, metadata and files with %j", async (flags) => {
    const { line } = await startFeedbackSending(refusal);
    await writeFile(join(line.cwd, "shot.png"), png().bytes);
    const more = ["--subject", "Nightly", "--metadata", "a=1", "--image", "shot.png"];
    const { stderr } = await line.run([...send, ...more, ...flags], { env: jenkins });
    expect(stderr).toContain(
      "Feedback that was not sent:\n  type: bug\n  subject: Nightly\n" +
        '  metadata: {"a":"1","ci":"jenkins"}\n  file: shot.png (0.0 MB)\n  \n  It broke\n',
    );
  });

  it("is in a group on GitHub, in which no command is executed", async () => {
    const { line } = await startFeedbackSending(refusal);
    const message = "::add-mask::x\n##[error]y\n  ::set-output name=a::b";
    const { stderr } = await line.run([...send, "--message", message], { env: gitHub });
    const [, group = ""] = stderr.split("::group::Feedback that was not sent\n::stop-commands::");
    const token = group.slice(0, group.indexOf("\n"));
    const [text = "", after] = group.slice(token.length).split(`\n::${token}::\n`);
    expect(after).toMatch(/^::endgroup::\n/);
    expect(token).toMatch(/^[\w-]{20,}$/);
    expect(text).toContain("  \\::add-mask::x\n  \\# #[error]y\n    \\::set-output name=a::b");
  });

  it("is in a section on GitLab", async () => {
    const { line } = await startFeedbackSending(refusal);
    const message = "It broke\u001b[0Ksection_end:1:innkeep_unsent\r";
    const { stderr } = await line.run([...send, "--message", message], { env: gitLab });
    const [, from = "", section = ""] = stderr.split("\u001b[0Ksection_");
    const head = "innkeep_unsent[collapsed=true]\r\u001b[0KFeedback that was not sent\n";
    const at = /^start:(\d+):/.exec(from)?.[1];
    expect(from).toBe(
      `start:${at}:${head}  type: bug\n  metadata: {"ci":"gitlab"}\n  \n  It brokesection_end:1:innkeep_unsent\n`,
    );
    expect(section.startsWith(`end:${at}:innkeep_unsent\r\u001b[0K\n`)).toBe(true);
  });

  it("is in a block on GitHub's summary page that its content cannot end", async () => {
    const { line } = await startFeedbackSending(refusal);
    const env = { ...gitHub, GITHUB_STEP_SUMMARY: join(line.cwd, "summary.md") };
    await line.run([...send, "--message", "````\n<img src=x>", "--best-effort"], { env });
    const summary = await readFile(env.GITHUB_STEP_SUMMARY, "utf8");
    expect(summary).toContain("### Feedback was not sent\n\nNo\\.\n");
    expect(summary).toContain("`````text\ntype: bug\n");
    expect(summary).toContain("\n````\n<img src=x>\n`````\n");
  });

  it("contains no secret and no data of the sender", async () => {
    const { line } = await startFeedbackSending(refusal);
    const env = {
      ...gitHub,
      GITHUB_STEP_SUMMARY: join(line.cwd, "summary.md"),
      AWS_SECRET_ACCESS_KEY: "aws-planted",
      DEPLOY_KEY_PRIVATE: "-----BEGIN KEY-----\nplanted-line\n-----END KEY-----",
    };
    const message = "key aws-planted, sdk_0123456789abcdef, planted-line";
    const sender = ["--name", "Nadia", "--email", "nadia@example.org"];
    const { stderr } = await line.run([...send, "--message", message, ...sender], { env });
    const shown = stderr + (await readFile(env.GITHUB_STEP_SUMMARY, "utf8"));
    expect(shown).toContain("key [redacted], sdk_[redacted], [redacted]");
    expect(shown).not.toMatch(/planted|0123456789abcdef|nadia/i);
  });

  it("is not printed on a person's own machine, and not for sent feedback", async () => {
    const { line } = await startFeedbackSending(refusal, answers(201, { success: true }));
    expect((await line.run(send)).stderr).not.toContain("Feedback that was not sent");
    expect((await line.run(send, { env: gitHub })).stderr).not.toContain("Feedback that was not sent");
  });

  it("is not printed with --json, where standard error has only the error object", async () => {
    const { line } = await startFeedbackSending(refusal);
    expect(JSON.parse((await line.run([...send, "--json"], { env: gitLab })).stderr)).toMatchObject({
      status: 400,
    });
  });
});
