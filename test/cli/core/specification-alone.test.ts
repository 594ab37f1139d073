import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CommandLine, createCommandLine } from "../../support/clients/command-line.ts";
import { png } from "../../support/files/sample-files.ts";
import { threadId } from "../../support/specified-server/agent.ts";
import { secrets } from "../../support/specified-server/operation.ts";
import {
  type SpecifiedServer,
  type SpecifiedServerOptions,
  startSpecifiedServer,
} from "../../support/specified-server/server.ts";
import { redirectTarget } from "../../support/specified-server/sign-in.ts";
import { openSlotId, slotId } from "../../support/specified-server/tester.ts";

interface World {
  readonly server: SpecifiedServer;
  readonly line: CommandLine;
}

/** A person with every kind of credential of the specification, in a folder with a picture. */
async function worldWith(options: SpecifiedServerOptions = {}): Promise<World> {
  const server = await startSpecifiedServer(options);
  const line = await createCommandLine({
    INNKEEP_BASE_URL: server.baseUrl,
    INNKEEP_API_KEY: secrets.appKey,
    INNKEEP_AGENT_TOKEN: secrets.agentToken,
    INNKEEP_DEVICE_TOKEN: secrets.deviceToken,
    INNKEEP_TEST_KEY: secrets.testKey,
  });
  await writeFile(join(line.cwd, "screen.png"), png().bytes);
  return { server, line };
}

/** All requests of the tests in this file. */
const used = new Set<string>();

let world: World;
afterEach(() => {
  for (const name of world.server.asked) used.add(name);
});
beforeEach(async () => {
  world = await worldWith();
});

/** Runs a command line, expects success, and returns its standard output as JSON. */
async function ok(words: string): Promise<Record<string, unknown>> {
  const ran = await world.line.run([...words.split(" "), "--json"]);
  expect(ran, words).toMatchObject({ exit: 0, stderr: "" });
  return Object(ran.json());
}

const session = "--started-at 2026-11-21T09:00:00Z --ended-at 2026-11-21T09:04:00Z --screen A --screen B";

describe("with a server that has only the specification, the command line", () => {
  it("sends feedback with files", async () => {
    expect(await ok("feedback send --type bug --message Lost. --image screen.png")).toEqual({
      success: true,
    });
    expect(world.server.feedback).toMatchObject([
      { type: "bug", message: "Lost.", images: [expect.stringMatching(/^data:image\/png;base64,/)] },
    ]);
  });

  it("lists, writes, reorders, changes and deletes FAQ entries", async () => {
    const first = await ok("faq create --question Why? --answer So.");
    const second = await ok("faq create --question How? --answer Thus. --sort-order 7");
    await ok(`faq edit ${first.id} --answer Because.`);
    await ok(`faq reorder ${second.id}`);
    expect(await ok("faq list")).toMatchObject({ items: [{ question: "How?" }, { answer: "Because." }] });
    expect(await ok(`faq view ${String(first.id).slice(0, 8)}`)).toMatchObject({ id: first.id });
    await ok(`faq delete ${first.id} --yes`);
    expect([...world.server.faqs.keys()]).toEqual([second.id]);
  });

  it("keeps the FAQ as files", async () => {
    await ok("faq create --question Why? --answer So.");
    await ok("faq pull");
    expect(await ok("faq diff --exit-code")).toMatchObject({ unchanged: 1, changed: [] });
    await ok("faq push --yes");
  });

  it("shows the release notes", async () => {
    expect(await ok("changelog list")).toMatchObject({ items: [{ version: "2.4.0" }, { version: "2.3.0" }] });
    expect(await ok("changelog list --since 2.3.0")).toMatchObject({ items: [{ version: "2.4.0" }] });
    expect(await ok("changelog view 2.3.0")).toMatchObject({ body: "Lists are **sorted**." });
  });

  it("reports a session that counts, and reports an unknown key without an error", async () => {
    expect(await ok(`session report ${session}`)).toMatchObject({ counted: true, dayIndex: 3 });
    expect(await ok(`session report ${session}`)).toMatchObject({ reason: "already_submitted" });
    expect(await ok("session status")).toMatchObject({ countedToday: true, daysCounted: 3 });
    const unknown = await world.line.run(["session", "report", ...session.split(" ")], {
      env: { INNKEEP_TEST_KEY: "unknown" },
    });
    expect(unknown).toMatchObject({ exit: 0, stderr: "" });
  });

  it("signs in a tester with a pasted code", async () => {
    const { server, line } = world;
    const ran = await line.run(
      ["auth", "login", "--redirect", redirectTarget, "--insecure-storage", "--json"],
      {
        env: { INNKEEP_DEVICE_TOKEN: "" },
        terminal: true,
        typed: () => server.approve(),
      },
    );
    expect(ran).toMatchObject({ exit: 0 });
    expect(ran.json()).toMatchObject({ profile: { isTester: true }, expiresAt: expect.any(String) });
    const tasks = await line.run(["task", "list", "--json"], { env: { INNKEEP_DEVICE_TOKEN: "" } });
    expect(tasks).toMatchObject({ exit: 0 });
  });

  it("explains why the server refuses the redirect address of a sign-in", async () => {
    const ran = await world.line.run(["auth", "login"], { terminal: true });
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain("--redirect");
  });

  it("shows the tasks and slots of a tester", async () => {
    expect(await ok("task list")).toMatchObject({ tasks: [{ targetScreen: "Recipes" }], outstanding: 1 });
    expect(await ok("slot list")).toMatchObject({ slots: [{ slotId, status: "active" }] });
  });

  it("shows a thread to an agent, sends its plan, and returns the decision", async () => {
    const { server, line } = world;
    expect(await ok(`agent thread ${threadId}`)).toMatchObject({ feedback: { subject: "Settings close" } });
    const { runId } = await ok(`agent propose ${threadId} --summary Guard --plan Test`);
    const decision = async (...flags: string[]) =>
      (await line.run(["agent", "decision", String(runId), ...flags])).exit;
    expect(await decision()).toBe(8);
    server.decide("approved");
    expect(await decision("--wait", "1m")).toBe(0);
    server.decide("rejected");
    expect(await decision()).toBe(9);
  });

  it("says in one sentence that the server has no lists and no work for agents", async () => {
    const { line } = world;
    const { runId } = await ok(`agent propose ${threadId} --summary Guard --plan Test`);
    expect(await ok(`agent run ${runId}`)).toMatchObject({ id: runId, status: "awaiting_approval" });
    for (const [words, code] of [
      ["agent list", "no_agent_lists"],
      ["agent list --wait 1s", "no_agent_lists"],
      ["agent runs", "no_agent_lists"],
      [`agent claim ${runId}`, "no_run_work"],
      [`agent progress ${runId} --claim ${runId} --text Half`, "no_run_work"],
      [`agent outcome ${runId} --claim ${runId} --status failed --summary No.`, "no_run_work"],
    ] as const) {
      const ran = await line.run([...words.split(" "), "--json"]);
      expect(ran, words).toMatchObject({ exit: 6, stdout: "" });
      expect(JSON.parse(ran.stderr)).toMatchObject({ code, error: expect.stringContaining("This server") });
    }
    const unknown = await line.run(["agent", "claim", threadId, "--json"]);
    expect(JSON.parse(unknown.stderr)).toMatchObject({ code: "no_run_work" });
  });

  it("supports raw requests, checks of credentials and doctor", async () => {
    expect(await world.line.run(["api", "/api/v1/faqs/remote"])).toMatchObject({ exit: 0, stdout: "[]\n" });
    expect(await ok("doctor")).toMatchObject({ failures: 0 });
    const { items } = await ok("auth status");
    // A 404 without a code does not show whether the agent token is valid.
    expect(items).toMatchObject([
      { kind: "appKey", valid: true },
      { kind: "agentToken", valid: null },
      { kind: "deviceToken", valid: true },
      { kind: "maintainerToken", valid: null },
    ]);
  });
});

describe.each([
  ["an empty object", {}],
  ["unknown fields", { accepted: true }],
])("%s, where the specification shows no answer,", (_, unshown) => {
  beforeEach(async () => {
    world = await worldWith({ unshown });
  });

  it("is the answer to an accepted proof", async () => {
    expect(await ok(`proof submit ${slotId} --image screen.png`)).toEqual(unshown);
    expect(await ok("proof submit --image screen.png")).toEqual(unshown);
    expect(await ok("proof resend --list")).toMatchObject({ items: [] });
    expect((await world.line.run(["proof", "submit", "--image", "screen.png"])).stdout).toBe(
      "The server has received the proof.\n",
    );
  });

  it("is the answer to an accepted request for a slot", async () => {
    expect(await ok(`slot request ${openSlotId}`)).toEqual(unshown);
    const ran = await world.line.run(["slot", "request", openSlotId]);
    expect(ran).toMatchObject({ exit: 0, stdout: "" });
    expect(ran.stderr).toContain(`Requested slot ${openSlotId}.`);
  });
});

describe("the tests of this file", () => {
  it("use every operation of the specification", () => {
    expect(world.server.operations.filter((name) => !used.has(name))).toEqual([]);
    expect(world.server.operations).toHaveLength(17);
  });
});
