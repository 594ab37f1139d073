import { readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { limits } from "../../../../src/contract/limits.ts";
import { createCommandLine } from "../../../support/clients/command-line.ts";
import { gitHubJob, place, resolveJunit } from "../../../support/clients/junit-sending.ts";
import { junitReport } from "../../../support/files/junit-samples.ts";
import { type Answering, answers, startRecordingServer } from "../../../support/network/recording-server.ts";

const nothing = { resolved: [], stillFailing: [], more: false };
const appId = "0197b3a0-0000-7000-8000-00000000000a";
const resolveKey = ["feedback", "resolve", "--dedupe-key", "nightly", "--run-status", "success"];
const failure = (at: number) => ({
  id: appId,
  dedupeKey: `key ${at}`,
  consoleUrl: `https://inn.example.org/${at}`,
});

async function started(...prepared: Answering[]) {
  const server = await startRecordingServer(...(prepared.length > 0 ? prepared : [answers(200, nothing)]));
  const line = await createCommandLine({
    INNKEEP_BASE_URL: server.baseUrl,
    INNKEEP_TOKEN: "sdm_test",
    INNKEEP_APP: appId,
  });
  const bodies = () => server.received.map(({ body }) => JSON.parse(body.toString()));
  const keys = () => server.received.map(({ headers }) => headers["idempotency-key"]);
  return { line, bodies, keys, received: server.received };
}

describe("the command feedback resolve", () => {
  it("sends the run of the CI job", async () => {
    const { line, bodies } = await started();
    await place(line, "event.json", "{}");
    const event = join(line.cwd, "event.json");
    await utimes(event, new Date(), new Date("2026-01-02T03:04:05Z"));
    await line.run(resolveKey, { env: gitHubJob({ GITHUB_EVENT_PATH: event }) });
    expect(bodies()).toEqual([
      {
        scope: "example/app/.github/workflows/ci.yml, test, linux, refs/heads/main",
        run: "77",
        runUrl: "https://github.com/example/app/actions/runs/77",
        startedAt: "2026-01-02T03:04:05.000Z",
        passed: ["nightly"],
      },
    ]);
  });

  it.each([
    ["success", 1],
    ["failed", 0],
    ["canceled", 0],
  ])("reads the status `%s` from GitLab", async (CI_JOB_STATUS, requests) => {
    const { line, bodies } = await started();
    const env = {
      GITLAB_CI: "true",
      CI_PIPELINE_ID: "9",
      CI_PIPELINE_CREATED_AT: "2026-01-02T03:04:05Z",
      CI_JOB_STATUS,
    };
    const { exit } = await line.run(["feedback", "resolve", "--dedupe-key", "nightly"], { env });
    expect([exit, bodies().length]).toEqual([0, requests]);
    for (const body of bodies())
      expect(body).toMatchObject({ run: "9", startedAt: "2026-01-02T03:04:05.000Z" });
  });

  it.each([
    ["SUCCESS", 1, 1],
    ["Succeeded", 1, 1],
    ["UNSTABLE", 1, 0],
    ["SucceededWithIssues", 1, 0],
    ["Failed", 1, 0],
    ["ABORTED", 0, 0],
    ["__proto__", 0, 0],
  ])("interprets the status `%s` of a run", async (status, byTests, byKey) => {
    const { line, received } = await started();
    await place(line, "junit.xml", junitReport({ name: "a" }));
    await line.run([...resolveJunit, "--run-status", status], { env: gitHubJob() });
    expect(received).toHaveLength(byTests);
    await line.run([...resolveKey.slice(0, -1), status], { env: gitHubJob() });
    expect(received).toHaveLength(byTests + byKey);
  });

  it("prefers flags to the values of the job", async () => {
    const { line, bodies } = await started();
    const flags = ["--dedupe-scope", "mine", "--dedupe-run", "5", "--run-url", "https://ci.example.org/5"];
    const argv = [...resolveKey, ...flags, "--run-started-at", "2026-01-01T00:00:00+01:00"];
    await line.run(argv, { env: gitHubJob() });
    expect(bodies()[0]).toMatchObject({
      ...{
        scope: "mine",
        run: "5",
        runUrl: "https://ci.example.org/5",
        startedAt: "2026-01-01T00:00:00+01:00",
      },
    });
  });

  it("sends the beginnings of the keys of tests that passed, and not of skipped or failed tests", async () => {
    const { line, bodies } = await started();
    const tests = [
      { name: "a" },
      { name: "b", failure: "no" },
      { name: "c", inside: "<skipped/>" },
      { name: "a" },
    ];
    await place(line, "junit.xml", junitReport(...tests));
    await line.run([...resolveJunit, "--run-status", "success"], { env: gitHubJob() });
    const [{ passed }] = bodies();
    // The keys of the test, of its class with five names, of its suite, and of a suite with the name of its class. No
    // key of a summary is among them.
    expect(passed).toHaveLength(8);
    for (const one of passed) expect(one).toEqual({ prefix: expect.stringMatching(/^junit:[0-9a-f]{32}:$/) });
  });

  it("sends further requests while there is more, each with a separate key", async () => {
    const more = answers(200, { resolved: [failure(1)], stillFailing: [], more: true });
    const last = answers(200, {
      resolved: [failure(2)],
      stillFailing: [{ ...failure(3), scopes: ["", "linux"] }],
      more: false,
    });
    const { line, keys } = await started(more, last);
    const ran = await line.run([...resolveKey, "--idempotency-key", "mine"], { env: gitHubJob() });
    expect(keys()).toEqual(["mine", "mine-2"]);
    expect(ran.stdout).toBe("https://inn.example.org/1\nhttps://inn.example.org/2\n");
    expect(ran.stderr).toBe(
      "2 threads resolved.\nStill open: https://inn.example.org/3 has not passed in a job without a scope; linux.\n",
    );
  });

  it("also says on GitLab why a thread stays open", async () => {
    const left = { ...failure(1), scopes: ["example/app, test, linux, main"], reportedLater: true };
    const { line } = await started(answers(200, { ...nothing, stillFailing: [left] }));
    const env = { GITLAB_CI: "true", CI_PIPELINE_ID: "9", CI_JOB_STATUS: "success" };
    const ran = await line.run(["feedback", "resolve", "--dedupe-key", "key 1"], { env });
    expect(ran).toMatchObject({ exit: 0, stdout: "" });
    expect(ran.stderr).toBe(
      "0 threads resolved.\nStill open: https://inn.example.org/1 has not passed in example/app, test, linux, main, and was reported after this run had started.\n",
    );
  });

  it("names the resolved threads on the summary page of the job", async () => {
    const { line } = await started(answers(200, { ...nothing, resolved: [failure(1)] }));
    const summary = join(line.cwd, "summary.md");
    await line.run(resolveKey, { env: gitHubJob({ GITHUB_STEP_SUMMARY: summary }) });
    const link = `[${appId.replaceAll("-", "\\-")}](<https://inn.example.org/1>)`;
    expect(await readFile(summary, "utf8")).toBe(`### Resolved feedback\n\n- ${link}\n\n`);
  });

  it("ends even if a server always answers that there is more", async () => {
    const { line, received } = await started(answers(200, { ...nothing, more: true }));
    expect(await line.run(resolveKey, { env: gitHubJob() })).toMatchObject({ exit: 0 });
    expect(received).toHaveLength(1);
  });

  it("also ends if the server returns the same threads again and again", async () => {
    const { line, received } = await started(
      answers(200, { ...nothing, resolved: [failure(1)], more: true }),
    );
    expect(await line.run(resolveKey, { env: gitHubJob() })).toMatchObject({
      exit: 0,
      stdout: "https://inn.example.org/1\n",
    });
    expect(received).toHaveLength(2);
  });

  it("sends many tests in several requests", async () => {
    const { line, bodies, received } = await started();
    const tests = Array.from(
      { length: limits.passedFailures + 496 },
      (_, at) => `<testcase name="t${at}" classname="c"/>`,
    );
    await place(line, "junit.xml", `<testsuite name="s">${tests.join("")}</testsuite>`);
    await line.run([...resolveJunit, "--run-status", "success"], { env: gitHubJob() });
    const lengths = bodies().map(({ passed }) => passed.length);
    expect(lengths).toEqual([limits.passedFailures, 503]);
    for (const { body } of received) expect(body.length).toBeLessThan(1_048_576);
  });

  it("keeps each request within its limit of bytes", async () => {
    const { line, received } = await started();
    const flags = Array.from({ length: 3_000 }, (_, at) => [
      "--dedupe-key",
      `${"ä".repeat(190)}${at}`,
    ]).flat();
    await line.run(["feedback", "resolve", ...flags, "--run-status", "success"], { env: gitHubJob() });
    expect(received.length).toBeGreaterThan(1);
    for (const { body } of received) expect(body.length).toBeLessThan(1_048_576);
  });

  it("sends nothing if no test passed", async () => {
    const { line, received } = await started();
    await place(line, "junit.xml", junitReport({ name: "a", failure: "no" }));
    const ran = await line.run([...resolveJunit, "--run-status", "failure", "--json"], { env: gitHubJob() });
    expect(ran.json()).toEqual({
      resolved: [],
      stillFailing: [],
      why: "No test passed, so no thread is resolved.",
    });
    expect(received).toEqual([]);
  });
});

describe("the command feedback resolve, if it cannot resolve,", () => {
  it.each([
    [
      "no choice",
      ["feedback", "resolve", "--run-status", "success"],
      "--junit or --dedupe-key is needed, to say which tests passed",
    ],
    [
      "both choices",
      [...resolveKey, "--junit", "a.xml"],
      "--junit cannot be used together with --dedupe-key",
    ],
    [
      "no status",
      ["feedback", "resolve", "--dedupe-key", "k"],
      "--run-status must say how the run ended, such as success",
    ],
    ["no run", resolveKey, "--dedupe-run must name the run, such as its number"],
    [
      "a start that is no instant",
      [...resolveKey, "--dedupe-run", "1", "--run-started-at", "today"],
      "--run-started-at must be",
    ],
    [
      "a glob without a file",
      ["feedback", "resolve", "--junit", "x*.xml", "--run-status", "success", "--dedupe-run", "1"],
      "--junit x*.xml matches no file",
    ],
    [
      "several faults, all at once",
      ["feedback", "resolve", "--junit", "x*.xml", "--run-started-at", "today"],
      "Nothing was sent. 4 things are wrong:",
    ],
  ])(
    "ends with a usage error for %s, and with a warning if the flag is --best-effort",
    async (_, argv, why) => {
      const { line, received } = await started();
      const ran = await line.run(argv);
      expect([ran.exit, received.length]).toEqual([2, 0]);
      expect(ran.stderr).toContain(why);
      const kind = await line.run([...argv, "--best-effort"]);
      expect(kind.exit).toBe(0);
      expect(kind.stderr).toContain("Warning: ");
      expect(kind.stderr).toContain(why.replace(/\.$/, ""));
    },
  );

  it.each([404, 405, 501])("prints one sentence if the server answers %i", async (status) => {
    const { line } = await started(answers(status, { error: "Not found.", code: "not_found" }));
    const ran = await line.run([...resolveKey, "--max-wait", "0s"], { env: gitHubJob() });
    expect(ran.exit).toBe(6);
    expect(ran.stderr).toBe(
      `error: This server has no app ${appId}, or the server cannot resolve failures, because it is an older Innkeep or another program.\n`,
    );
  });

  it("does not make the build fail with --best-effort", async () => {
    const { line } = await started(answers(503, { error: "Busy.", code: "busy" }));
    const argv = [...resolveKey, "--best-effort", "--max-wait", "0s"];
    const ran = await line.run(argv, { env: gitHubJob() });
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toContain("::warning title=No feedback was resolved::Busy.");
    const json = await line.run([...argv, "--json"], { env: gitHubJob() });
    expect(json.json()).toMatchObject({ resolved: [], why: "Busy." });
    expect(json.stderr).toBe("");
    expect(await line.run([...argv, "--no-such-flag"])).toMatchObject({ exit: 0 });
  });
});
