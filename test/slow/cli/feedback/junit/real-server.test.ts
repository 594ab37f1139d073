import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { OwnedThread } from "../../../../../src/contract/threads.ts";
import {
  type CommandLine,
  type CommandLineOptions,
  createCommandLine,
} from "../../../../support/clients/command-line.ts";
import { gitHubJob, place, resolveJunit, sendJunit } from "../../../../support/clients/junit-sending.ts";
import { junitReport, type MadeTest } from "../../../../support/files/junit-samples.ts";
import { type Service, startService } from "../../../../support/service/service.ts";

const Threads = z.object({
  items: z.array(
    z.looseObject({ id: z.string(), status: z.string(), subject: z.string(), occurrences: z.int() }),
  ),
});
const red: MadeTest = { name: "adds", failure: "expected 3 to be 4" };
const green: MadeTest = { name: "adds" };

describe("a failing test of CI jobs", () => {
  let service: Service;
  let credentials: Record<string, string>;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    const owner = await service.makeUser();
    const app = await service.makeApp(owner);
    const scopes = ["feedback:read", "feedback:write"];
    credentials = {
      INNKEEP_BASE_URL: service.baseUrl,
      INNKEEP_API_KEY: app.key,
      INNKEEP_TOKEN: await service.makeToken(owner, "maintainer", { scopes }),
      INNKEEP_APP: app.id,
    };
  });
  afterAll(() => service.stop());

  /** A job on a separate machine. */
  async function job(traits: Record<string, string> = {}, platform = "linux") {
    const line = await createCommandLine({ ...credentials, ...gitHubJob(traits) });
    return { line, run: withReport(line, platform) };
  }

  const withReport =
    (line: CommandLine, platform: string) =>
    async (argv: readonly string[], tests: readonly MadeTest[] = [], options: CommandLineOptions = {}) => {
      await place(line, "junit.xml", junitReport(...tests));
      const ran = await line.run(argv, { ...options, world: { platform } });
      expect([ran.exit, ran.stderr]).toEqual([0, ran.stderr]);
      return ran;
    };

  const passed = [...resolveJunit, "--run-status", "success"];
  const later = { GITHUB_RUN_ID: "78" };

  async function threads() {
    const { line } = await job();
    return Threads.parse((await line.run(["feedback", "list", "--json"])).json()).items;
  }

  async function notesOf(id: string) {
    const { line } = await job();
    const { messages } = OwnedThread.parse((await line.run(["feedback", "view", id, "--json"])).json());
    return messages.filter(({ direction }) => direction === "note").map(({ body }) => body);
  }

  it("in 100 jobs at the same time is one thread with 100 occurrences, which is resolved once when all jobs have passed", async () => {
    const matrix = (at: number) => ({ INNKEEP_MATRIX: JSON.stringify({ seed: at }) });
    const jobs = await Promise.all(Array.from({ length: 100 }, (_, at) => job(matrix(at))));
    await Promise.all(jobs.map(({ run }) => run(sendJunit, [red])));
    const [thread, ...others] = await threads();
    expect([thread, others]).toMatchObject([{ occurrences: 100, status: "open" }, []]);

    const nextJobs = await Promise.all(
      Array.from({ length: 100 }, (_, at) => job({ ...matrix(at), ...later })),
    );
    await Promise.all(nextJobs.slice(1).map(({ run }) => run(passed, [green])));
    expect(await threads()).toMatchObject([{ status: "open" }]);
    const last = await nextJobs[0]?.run(passed, [green]);
    expect(last?.stderr).toContain("1 thread resolved.");
    await Promise.all(nextJobs.map(({ run }) => run(passed, [green])));
    expect(await threads()).toMatchObject([{ id: thread?.id, status: "resolved" }]);
    const notes = await notesOf(thread?.id ?? "");
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain("https://github.com/example/app/actions/runs/78");
  });

  it("adds nothing if a run is repeated", async () => {
    for (const attempt of ["1", "2", "3"]) {
      const { run } = await job({ GITHUB_RUN_ATTEMPT: attempt });
      await run(sendJunit, [red]);
    }
    expect(await threads()).toMatchObject([{ occurrences: 1 }]);
    await (await job(later)).run(sendJunit, [red]);
    expect(await threads()).toMatchObject([{ occurrences: 2 }]);
  });

  it("stays open on Windows if it passes on Linux", async () => {
    const [linux, windows] = [await job(), await job({}, "win32")];
    await linux.run(sendJunit, [red]);
    await windows.run(sendJunit, [red]);
    const [linuxLater, windowsLater] = [await job(later), await job(later, "win32")];
    const ran = await linuxLater.run(passed, [green]);
    expect(ran.stderr).toMatch(
      /^0 threads resolved\.\nStill open: .* has not passed in example\/app\/.*, test, win32, refs\/heads\/main\.\n$/,
    );
    expect(await threads()).toMatchObject([{ status: "open", occurrences: 2 }]);
    await windowsLater.run(passed, [green]);
    expect(await threads()).toMatchObject([{ status: "resolved" }]);
  });

  it.each(["cancelled", "canceled", "skipped", "", "timed_out"])(
    "stays open after a run with the status `%s`",
    async (status) => {
      await (await job()).run(sendJunit, [red]);
      const ran = await (await job(later)).run([...resolveJunit, "--run-status", status], [green]);
      expect(ran.stderr).toBe(`The run ended with "${status}", so no thread is resolved.\n`);
      expect(await threads()).toMatchObject([{ status: "open" }]);
    },
  );

  it("is resolved by a failed run in which it passed, and no other test is", async () => {
    await (await job()).run(sendJunit, [red, { name: "b", failure: "no" }, { name: "c", failure: "no" }]);
    const second: MadeTest[] = [green, { name: "b", failure: "still" }, { name: "c", inside: "<skipped/>" }];
    await (await job(later)).run([...resolveJunit, "--run-status", "failure"], second);
    const statuses = (await threads()).map(({ subject, status }) => [subject, status]);
    expect(Object.fromEntries(statuses)).toEqual({
      "Test failed: adds (cart)": "resolved",
      "Test failed: b (cart)": "open",
      "Test failed: c (cart)": "open",
    });
  });

  it("is resolved with any text of its failure, and opens a new thread when it fails again", async () => {
    await (await job()).run(sendJunit, [red]);
    await (await job({ GITHUB_RUN_ID: "78" })).run(sendJunit, [{ name: "adds", failure: "another fault" }]);
    expect(await threads()).toHaveLength(2);
    await (await job({ GITHUB_RUN_ID: "79" })).run(passed, [green]);
    expect((await threads()).map(({ status }) => status)).toEqual(["resolved", "resolved"]);
    await (await job({ GITHUB_RUN_ID: "80" })).run(sendJunit, [red]);
    expect((await threads()).map(({ status }) => status).sort()).toEqual(["open", "resolved", "resolved"]);
  });

  it("of a branch is not resolved by another branch", async () => {
    await (await job({ GITHUB_REF: "refs/heads/x" })).run(sendJunit, [red]);
    await (await job(later)).run(passed, [green]);
    expect(await threads()).toMatchObject([{ status: "open" }]);
  });

  it("is resolved by any part of a divided suite in which it passes", async () => {
    const shard = (at: number) => ({ INNKEEP_MATRIX: JSON.stringify({ shard: at, node: 20 }) });
    await (await job(shard(1))).run(sendJunit, [red]);
    await (await job({ ...later, ...shard(3) })).run(passed, [green]);
    expect(await threads()).toMatchObject([{ status: "resolved" }]);
  });

  it("stays open if it was only flaky, and resolves nothing", async () => {
    const flaky: MadeTest = { name: "adds", inside: "<flakyFailure message='expected 3 to be 4'/>" };
    await (await job()).run(sendJunit, [red, { ...flaky, name: "b" }]);
    await (await job(later)).run(passed, [flaky, { name: "b" }]);
    expect((await threads()).map(({ status }) => status)).toEqual(["open", "open"]);
  });

  it.each([
    ["a suite", '<testsuite name="cart"><error message="no port"/></testsuite>'],
    [
      "a class",
      '<testsuite name="cart"><testcase classname="cart" name=""><error message="no port"/></testcase></testsuite>',
    ],
    [
      "a JUnit class",
      '<testsuite name="cart"><testcase classname="cart" name="initializationError"><error/></testcase></testsuite>',
    ],
    [
      "a Python module",
      '<testsuite name="cart"><testcase classname="" name="cart"><error/></testcase></testsuite>',
    ],
    [
      "a file",
      '<testsuite name="cart"><testcase classname="cart" name="cart"><error/></testcase></testsuite>',
    ],
  ])("of %s that could not start is resolved when one of its tests passes", async (_, report) => {
    const { line, run } = await job();
    await place(line, "junit.xml", report);
    await line.run(sendJunit);
    expect(await threads()).toHaveLength(1);
    await run([...resolveJunit, "--run-status", "failure"], [{ name: "b", failure: "no" }]);
    expect(await threads()).toMatchObject([{ status: "open" }]);
    await run(passed, [green]);
    expect(await threads()).toMatchObject([{ status: "resolved" }]);
  });

  it("above the maximum number is resolved with its summary when no test fails", async () => {
    const none = [...sendJunit, "--max-reports", "0"];
    await (await job()).run(none, [red, { name: "b", failure: "no" }]);
    await (await job(later)).run(
      [...resolveJunit, "--run-status", "failure"],
      [green, { name: "b", failure: "no" }],
    );
    expect(await threads()).toMatchObject([{ subject: "2 more tests failed", status: "open" }]);
    await (await job({ GITHUB_RUN_ID: "79" })).run(passed, [green, { name: "b" }]);
    expect(await threads()).toMatchObject([{ status: "resolved" }]);
  });

  it("can also be resolved with the key of the app", async () => {
    const send = ["feedback", "send", "--type", "bug", "--message", "red", "--dedupe-key", "nightly"];
    const resolve = ["feedback", "resolve", "--dedupe-key", "nightly", "--run-status"];
    for (const attempt of ["1", "2"]) await (await job({ GITHUB_RUN_ATTEMPT: attempt })).run(send);
    expect(await threads()).toMatchObject([{ occurrences: 1 }]);
    const failed = await (await job(later)).run([...resolve, "failure"]);
    expect(failed.stderr).toBe("The run failed, so the threads of --dedupe-key are not resolved.\n");
    await (await job(later)).run([...resolve, "success", "--dedupe-scope", "other"]);
    expect(await threads()).toMatchObject([{ status: "open" }]);
    const { stderr, stdout } = await (await job(later)).run([...resolve, "success"]);
    expect(stderr).toBe("1 thread resolved.\n");
    expect(stdout).toContain("/console/feedback/");
    expect(await threads()).toMatchObject([{ status: "resolved" }]);
  });

  it("has its scope and run from flags outside CI", async () => {
    const line = await createCommandLine(credentials);
    const names = ["--dedupe-scope", "laptop", "--dedupe-run"];
    await place(line, "junit.xml", junitReport(red));
    for (const run of ["1", "1", "2"])
      expect(await line.run([...sendJunit, ...names, run])).toMatchObject({ exit: 0 });
    expect(await threads()).toMatchObject([{ occurrences: 2 }]);
    await place(line, "junit.xml", junitReport(green));
    const ran = await line.run([...passed, ...names, "3", "--json"]);
    expect(ran.json()).toMatchObject({
      resolved: [
        { dedupeKey: expect.stringMatching(/^junit:/), consoleUrl: expect.stringContaining("/feedback/") },
      ],
      stillFailing: [],
      why: null,
    });
  });
});
