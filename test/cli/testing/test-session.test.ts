import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { createTesterCommandLine } from "../../support/worlds/tester-command-line.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** The flags of a session of the given seconds that begins now. */
function lasting(seconds: number): string[] {
  const { clock } = service;
  const ended = new Date(clock.now().getTime() + seconds * 1_000).toISOString();
  return [
    "--started-at",
    clock.now().toISOString(),
    "--ended-at",
    ended,
    "--screen",
    "Home",
    "--screen",
    "Map",
  ];
}

describe("the command session report", () => {
  it("sends a session, and the day is counted, with the test key from standard input", async () => {
    const { line, testKey } = await createTesterCommandLine(service);
    const argv = ["session", "report", "--test-key-file", "-", ...lasting(60)];
    expect(await line.run(argv, { stdin: `${testKey}\n` })).toMatchObject({
      exit: 0,
      stdout: "Day 1 is counted.\n",
    });
  });

  it.each([
    ["a file", ["--test-key-file", "key"], {}],
    ["INNKEEP_TEST_KEY", [], { INNKEEP_TEST_KEY: "stk_unknown" }],
  ])(
    "reads the test key from %s, and prints an answer for an unknown key without a failure",
    async (_, argv, env) => {
      const { line } = await createTesterCommandLine(service);
      await writeFile(join(line.cwd, "key"), "stk_unknown");
      const ran = await line.run(["session", "report", ...lasting(60), ...argv, "--json"], { env });
      expect(ran.exit).toBe(0);
      expect(ran.json()).toEqual({ matched: false, counted: false, dayIndex: 0, reason: null });
    },
  );

  it("says why a day is not counted, and ends with exit code 0", async () => {
    const { line, testKey } = await createTesterCommandLine(service);
    const ran = await line.run(["session", "report", ...lasting(44)], { env: { INNKEEP_TEST_KEY: testKey } });
    expect(ran).toMatchObject({ exit: 0, stdout: expect.stringContaining("it was too short") });
  });

  it("shows no test key, even with --debug and --dry-run", async () => {
    const { line, testKey } = await createTesterCommandLine(service);
    const env = { INNKEEP_TEST_KEY: testKey };
    const dry = await line.run(["session", "report", ...lasting(60), "--dry-run"], { env });
    const status = await line.run(["session", "status", "--debug"], { env });
    expect(dry.stdout).toContain('"testKey": "[redacted]"');
    for (const text of [dry.stdout, dry.stderr, status.stderr]) expect(text).not.toContain(testKey);
  });

  it("says without a test key where a tester gets one", async () => {
    const { line } = await createTesterCommandLine(service);
    const ran = await line.run(["session", "status"]);
    expect(ran).toMatchObject({ exit: 4, stderr: expect.stringContaining("--with-test-keys") });
  });
});

describe("the command session status", () => {
  it("shows the state of the day", async () => {
    const { line, testKey } = await createTesterCommandLine(service);
    const ran = await line.run(["session", "status", "--json"], { env: { INNKEEP_TEST_KEY: testKey } });
    expect(ran.json()).toMatchObject({ matched: true, dayIndex: 1, countedToday: false, daysCounted: 0 });
  });
});
