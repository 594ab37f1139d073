import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { send } from "../../../support/clients/feedback-sending.ts";
import { gitHubJob, place, sendJunit, startJunitSending } from "../../../support/clients/junit-sending.ts";
import { junitReport } from "../../../support/files/junit-samples.ts";
import { accepts, answers } from "../../../support/network/recording-server.ts";

const id = "0197b3a0-0000-7000-8000-000000000001";
const sent = answers(201, { success: true, id, consoleUrl: "https://inn.example.org/1" });
const gitHubScope = "example/app/.github/workflows/ci.yml, test, linux, refs/heads/main";

describe("the command feedback send --junit on GitHub Actions", () => {
  it("marks the line of each failing test, and writes outputs and a summary", async () => {
    const failure = "no:\nway\n    at test/a.test.ts:17:3";
    const tests = [
      { name: "a, 100%", failure, file: "test/a.test.ts" },
      { name: "b", inside: "<flakyFailure message='x'/>" },
    ];
    const { line } = await startJunitSending(junitReport(...tests), sent, accepts);
    await place(line, "test/a.test.ts", "");
    const env = gitHubJob({
      GITHUB_WORKSPACE: line.cwd,
      GITHUB_OUTPUT: join(line.cwd, "output"),
      GITHUB_STEP_SUMMARY: join(line.cwd, "summary.md"),
    });
    const { stderr, exit } = await line.run(sendJunit, { env });
    expect(exit).toBe(0);
    expect(stderr).toContain(
      "::error file=test/a.test.ts,line=17,title=a%2C 100%25 (cart)::no: way at test/a.test.ts:17:3%0Ahttps://inn.example.org/1\n",
    );
    expect(stderr).toContain("::warning title=b (cart)::x\n");
    expect(await readFile(join(line.cwd, "output"), "utf8")).toContain(`\n${id}\n`);
    expect(await readFile(join(line.cwd, "summary.md"), "utf8")).toBe(
      `### Failing tests\n\n- Test failed\\: a\\, 100\\% \\(cart\\): sent [${id.replaceAll("-", "\\-")}](<https://inn.example.org/1>)\n- Flaky test\\: b \\(cart\\): sent\n\n`,
    );
  });

  it.each([
    ["the attribute of the test", { name: "t", failure: "no", file: "src/t.py" }, "src/t.py", undefined],
    ["the text", { name: "t", failure: "at f (/x/y.js:1:2)\nsrc/t.py:9: no" }, "src/t.py", "9"],
    [
      "the class, for Maven",
      { name: "t", suite: "org.app.CartTest", failure: "at (CartTest.java:12)" },
      "app/src/test/java/org/app/CartTest.java",
      "12",
    ],
    ["the suite", { name: "t", suite: "src/t.test.ts", failure: "src/t.test.ts:3:1" }, "src/t.test.ts", "3"],
  ])("finds the file and line of a test by %s", async (_, test, file, line) => {
    const { line: commands, bodies } = await startJunitSending("");
    await place(commands, file, "");
    await place(commands, "app/target/reports/junit.xml", junitReport(test));
    const ran = await commands.run(["feedback", "send", "--junit", "app/**/*.xml"], { env: gitHubJob() });
    expect(ran.stderr).toContain(`::error file=${file},${line ? `line=${line},` : ""}title=`);
    expect(bodies()[0].metadata).toMatchObject({ file, ...(line && { line: Number(line) }) });
    expect(bodies()[0].message).toContain(`Where: ${file}${line ? `:${line}` : ""}\n`);
  });

  it("writes no annotation with --json, but the outputs", async () => {
    const { line } = await startJunitSending(junitReport({ name: "t", failure: "no" }), sent);
    const env = gitHubJob({ GITHUB_OUTPUT: join(line.cwd, "output") });
    const { stderr, json } = await line.run([...sendJunit, "--json"], { env });
    expect(json()).toMatchObject({ reports: [{ sent: true, id }] });
    expect(stderr).toBe("");
    expect(await readFile(join(line.cwd, "output"), "utf8")).toContain(`\n${id}\n`);
  });

  it("names no file outside the repository", async () => {
    const { line } = await startJunitSending(
      junitReport({ name: "t", failure: "/etc/hosts:1", file: "../../etc/hosts" }),
    );
    const { stderr } = await line.run(sendJunit, { env: gitHubJob() });
    expect(stderr).toContain("::error title=t (cart)::");
  });

  it("prevents that a test writes commands into the log", async () => {
    const { line } = await startJunitSending(
      junitReport({ name: "::set-env name=x::y", failure: "::add-mask::z\n::stop::" }),
    );
    const { stderr, stdout } = await line.run([...sendJunit, "--debug"], { env: gitHubJob() });
    expect(`${stderr}${stdout}`).not.toMatch(/^\s*::(set-env|add-mask|stop)/m);
  });
});

describe("the scope and run of a failure report", () => {
  const red = junitReport({ name: "t", failure: "no" });

  it("come from the job, without its attempt", async () => {
    const { line, bodies } = await startJunitSending(red);
    await line.run(sendJunit, { env: gitHubJob({ GITHUB_RUN_ATTEMPT: "2", GITHUB_SHA: "c0ffee" }) });
    expect(bodies()[0]).toMatchObject({
      ...{ dedupeScope: gitHubScope, dedupeRun: "77" },
      metadata: { commit: "c0ffee", job: "test", runUrl: "https://github.com/example/app/actions/runs/77" },
    });
  });

  it.each([
    ['{"os":"ubuntu","node":20}', "node=20, os=ubuntu"],
    ['{"node":20,"os":"ubuntu","shard":3}', "node=20, os=ubuntu"],
    ["chromium", "chromium"],
  ])("contain the matrix %s as %s", async (INNKEEP_MATRIX, inScope) => {
    const { line, bodies } = await startJunitSending(red);
    await line.run(sendJunit, { env: gitHubJob({ INNKEEP_MATRIX }) });
    expect(bodies()[0].dedupeScope).toBe(gitHubScope.replace("linux", `${inScope}, linux`));
  });

  it.each(["null", "", "{}"])("contain no matrix for `%s`", async (INNKEEP_MATRIX) => {
    const { line, bodies } = await startJunitSending(red);
    await line.run(sendJunit, { env: gitHubJob({ INNKEEP_MATRIX }) });
    expect(bodies()[0].dedupeScope).toBe(gitHubScope);
  });

  it("are different for different long scopes", async () => {
    const { line, bodies } = await startJunitSending(red);
    const ref = `refs/heads/${"x".repeat(300)}`;
    for (const end of ["1", "2"])
      await line.run(sendJunit, { env: gitHubJob({ GITHUB_REF: `${ref}${end}` }) });
    const [one, other] = bodies().map(({ dedupeScope }) => dedupeScope);
    expect([one.length, other.length, one === other]).toEqual([300, 300, false]);
  });

  it("are equal for the parts of a suite, but not if the person gives a key", async () => {
    const { line, bodies } = await startJunitSending(red);
    const env = { GITLAB_CI: "true", CI_PROJECT_PATH: "a/b", CI_JOB_NAME: "test 2/3", CI_PIPELINE_ID: "9" };
    await line.run(sendJunit, { env });
    await line.run([...send, "--dedupe-key", "nightly"], { env });
    expect(bodies()).toMatchObject([
      { dedupeScope: "a/b, test, linux", dedupeRun: "9" },
      { dedupeScope: "a/b, test, 2/3, linux", dedupeRun: "9" },
    ]);
  });

  it("are the values of the flags if there are flags", async () => {
    const { line, bodies } = await startJunitSending(red);
    const flags = ["--dedupe-scope", "mine", "--dedupe-run", "5"];
    await line.run([...sendJunit, ...flags], { env: gitHubJob() });
    await line.run([...send, "--dedupe-key", "k", ...flags], { env: gitHubJob() });
    expect(bodies()).toMatchObject([
      { dedupeScope: "mine", dedupeRun: "5" },
      { dedupeScope: "mine", dedupeRun: "5" },
    ]);
  });

  it("are left out with --no-ci-metadata, and without a key", async () => {
    const { line, bodies } = await startJunitSending(red);
    await line.run([...sendJunit, "--no-ci-metadata"], { env: gitHubJob() });
    await line.run(send, { env: gitHubJob() });
    for (const body of bodies()) expect(Object.keys(body)).not.toContain("dedupeScope");
    const { exit, stderr } = await line.run([...send, "--dedupe-scope", "x"]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining("--dedupe-scope needs --dedupe-key")]);
  });
});
