import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Transport } from "../../../../src/client/call.ts";
import { shortTransport } from "../../../../src/client/transport.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { faulty, makeShellWorkers, type ShellWorkers } from "../../../support/worlds/agents/shell-workers.ts";
import { decide, propose, submitFeedback } from "../../../support/worlds/app-with-owner-and-agent.ts";

let service: Service;
let world: ShellWorkers;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  world = await makeShellWorkers(service);
});
afterAll(() => service.stop());

describe("the command agent work", () => {
  it("waits for an approval, runs a program with the plan, and reports the outcome (rules L72, L73)", async () => {
    const runId = await propose(service, world.cast, await submitFeedback(service, world.cast));
    const works = world.work([]);
    await decide(service, world.cast, runId, { decision: "approve", note: "Only on\nAndroid." });
    const ran = await works;
    expect(ran).toMatchObject({ exit: 0, stdout: "" });
    const [given] = await world.allNoted();
    expect(given).toMatchObject({
      plan: "1. Check the size.",
      modes: ["600", "700"],
      env: {
        INNKEEP_RUN_ID: runId,
        INNKEEP_SUMMARY: "Guard the upload.",
        INNKEEP_DECISION_NOTE: "Only on\nAndroid.",
        INNKEEP_BASE_URL: service.baseUrl,
        INNKEEP_THREAD_URL: expect.stringContaining("/console/feedback/"),
      },
    });
    expect(JSON.stringify(given)).not.toContain(world.token);
    expect(await readdir(join(world.line.stateFolder, "work"))).toEqual([]);
    expect(await world.read(runId)).toMatchObject({
      claim: { worker: expect.stringMatching(/^shell-/) },
      outcome: { status: "succeeded", summary: "The command ended with exit code 0." },
    });
  });

  it("reports a failure, ends with the exit code of the program, and does not send its output", async () => {
    const runId = await world.approved();
    const ran = await world.work(["--json"], "console.error('password 123'); process.exit(3)");
    expect(ran.exit).toBe(3);
    expect(ran.json()).toEqual({ runId, status: "failed", code: 3 });
    expect((await world.read(runId)).outcome).toMatchObject({
      status: "failed",
      summary: "The command ended with exit code 3.",
    });
  });

  it("reports the end of the output if a flag requests it, without secrets and within the limit", async () => {
    const runId = await world.approved();
    const script = `
      for (let i = 0; i < 300; i++) console.log("step " + i);
      console.log("with ${world.token.slice(0, 12)}" + "${world.token.slice(12)}", "\\u001b[31mred\\u001b[0m");
    `;
    expect((await world.work(["--report-output", "--json"], script)).exit).toBe(0);
    const { summary } = (await world.read(runId)).outcome;
    expect(summary).toMatch(/^The command ended with exit code 0\.\n\nstep \d+\n/);
    expect(summary).toMatch(/step 299\nwith sda_\[redacted\] red/);
    expect(summary).not.toContain(world.token);
    expect(summary.length).toBeLessThanOrEqual(2_000);
  });

  it("leaves out proposals that were recalled or that another worker has claimed (rule L74)", async () => {
    const recalled = await world.approved();
    const path = `/api/v1/console/runs/${recalled}/recall`;
    await service.request("POST", path, { headers: world.cast.person, body: { note: "Wait." } });
    const claimed = await world.approved();
    await world.line.run(["agent", "claim", claimed, "--worker", "another"]);
    const free = await world.approved();
    expect((await world.work([])).exit).toBe(0);
    expect((await world.allNoted()).map(({ env }) => env.INNKEEP_RUN_ID)).toEqual([free]);
    expect((await world.read(claimed)).outcome).toBeNull();
  });

  it("continues with the next proposal if another worker claims first", async () => {
    const lost = await world.approved();
    const send = shortTransport();
    const transport: Transport = async (request) => {
      if (request.url.pathname.endsWith(`${lost}/claim`) && request.body?.toString().includes("shell-"))
        await world.line.run(["agent", "claim", lost, "--worker", "faster"]);
      return send(request);
    };
    const works = world.work([], undefined, { world: { transport } });
    const next = await world.approved();
    expect((await works).stderr).toContain(`Not claimed: ${lost}. Another worker has claimed it.`);
    expect((await world.allNoted()).map(({ env }) => env.INNKEEP_RUN_ID)).toEqual([next]);
  });

  it("never runs a plan whose hash differs", async () => {
    const runId = await world.approved();
    const send = shortTransport();
    const transport: Transport = async (request) => {
      const answer = await send(request);
      const isClaim = request.url.pathname.endsWith("/claim");
      return isClaim ? { ...answer, text: answer.text.replace("Check the size", "Drop the tables") } : answer;
    };
    expect((await world.work([], undefined, { world: { transport } })).exit).toBe(1);
    expect(await world.allNoted()).toEqual([]);
    expect((await world.read(runId)).outcome).toMatchObject({
      status: "failed",
      summary: expect.stringContaining("SHA-256"),
    });
  });

  it("works for one app by its id or its name", async () => {
    const { id, key } = await service.makeApp(world.cast.owner, { name: "Pantry" });
    const inPantry = { ...world.cast, appId: id, key: { "x-api-key": key } };
    await world.approved();
    for (const app of [id, "Pantry"]) {
      const runId = await world.approved("", inPantry);
      expect((await world.work(["--app", app])).exit).toBe(0);
      expect((await world.allNoted()).at(-1)).toMatchObject({ env: { INNKEEP_RUN_ID: runId } });
    }
  });

  it.each([
    ["the list", /agent\/feedback$/],
    ["the claim", /\/claim$/],
    ["the outcome", /\/outcome$/],
  ])("continues after a server that does not answer, is busy or fails during %s", async (_, path) => {
    const runId = await world.approved();
    const transport = faulty(path, "away", 429, 503, "away", 502, 429);
    expect((await world.work([], undefined, { world: { transport } })).exit).toBe(0);
    expect(await world.allNoted()).toHaveLength(1);
    expect((await world.read(runId)).outcome).toMatchObject({ status: "succeeded" });
    expect(world.line.pauses.some((pause) => pause >= 2_000)).toBe(true);
  });

  it("reports that a person released the claim in the meantime", async () => {
    const runId = await world.approved();
    const send = shortTransport();
    const transport: Transport = async (request) => {
      if (request.url.pathname.endsWith("/outcome"))
        await service.request("POST", `/api/v1/console/runs/${runId}/release`, {
          headers: world.cast.person,
          body: {},
        });
      return send(request);
    };
    const ran = await world.work([], undefined, { world: { transport } });
    expect(ran.stderr).toContain(
      `The outcome of ${runId} was not accepted. A person has released its claim.`,
    );
  });

  it("passes no secret of Innkeep to the program, except secrets that --pass names (rule L73)", async () => {
    const secrets = {
      INNKEEP_TOKEN: "sdm_secret",
      INNKEEP_API_KEY: "sdk_secret",
      INNKEEP_API_KEY_LARDER: "sdk_other",
      INNKEEP_DEVICE_TOKEN: "sdt_secret",
      INNKEEP_METRICS_TOKEN: "metrics",
      INNKEEP_SECRET: "secret",
      INNKEEP_DATABASE_URL: "postgres://a:b@db/x",
    };
    const env = { ...secrets, INNKEEP_LOG_LEVEL: "warn", OTHER_TOKEN: "theirs" };
    await world.approved();
    await world.work(["--pass", "INNKEEP_API_KEY"], undefined, { env });
    const [given] = await world.allNoted();
    expect(Object.keys(secrets).filter((name) => name in given.env)).toEqual(["INNKEEP_API_KEY"]);
    expect(given.env).toMatchObject({ INNKEEP_LOG_LEVEL: "warn", OTHER_TOKEN: "theirs" });
    expect(given.env).not.toHaveProperty("INNKEEP_AGENT_TOKEN");
    const ran = await world.work(["--pass", "INNKEEP_TOKEN"]);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining("there is no such variable") });
  });

  it("does not wait for a child process of the program that keeps the output open", async () => {
    const runId = await world.approved();
    const left = `
      const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "inherit", detached: true });
      child.unref();
      console.log("left", child.pid);
    `;
    await world.work(["--report-output"], left);
    const { summary } = (await world.read(runId)).outcome;
    const [, processId] = /left (\d+)/.exec(summary) ?? [];
    expect(summary).toContain("The command ended with exit code 0.");
    process.kill(Number(processId));
  });

  it("claims nothing for a program that does not exist", async () => {
    const runId = await world.approved();
    const ran = await world.line.run(["agent", "work", "--once", "--", "no-such-command"]);
    expect(ran).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("no-such-command cannot be found"),
    });
    expect((await world.read(runId)).claim).toBeNull();
  });

  it("ends with exit code 5 for a token without the scope", async () => {
    await world.approved();
    const INNKEEP_AGENT_TOKEN = await service.makeToken(world.cast.owner, "agent");
    expect((await world.work([], undefined, { env: { INNKEEP_AGENT_TOKEN } })).exit).toBe(5);
    expect(await world.allNoted()).toEqual([]);
  });

  it("ends immediately if it is interrupted during the wait", async () => {
    const controller = new AbortController();
    const works = world.work([], undefined, { signal: controller.signal });
    controller.abort(new Error("interrupted"));
    expect((await works).exit).toBe(130);
  });
});
