import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientWithCredentials } from "../../support/clients/client-with-credentials.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { nextDecisionCheck } from "../../support/service/next-decision-check.ts";
import { type Service, startService } from "../../support/service/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A thread of an app, the command line of its agent, and the person who decides. */
async function newThread() {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner, { name: "Pocket Atlas" });
  const { client } = clientWithCredentials(service.baseUrl, { credentials: { appKey: app.key } });
  const thread = await client.feedback.submit({ body: { type: "bug", message: "The map is upside down." } });
  const line = await createCommandLine({
    INNKEEP_BASE_URL: service.baseUrl,
    INNKEEP_AGENT_TOKEN: await service.makeToken(owner, "agent"),
  });
  const session = await service.signIn(owner);
  const decide = (runId: string, decision: string) =>
    service.request("POST", `/api/v1/console/runs/${runId}/decision`, {
      headers: session,
      body: { decision, note: "Mind the poles." },
    });
  const propose = async () => {
    const flags = ["--summary", "Turn it", "--plan", "1. Turn it."];
    return (await line.run(["agent", "propose", thread.id, ...flags])).stdout.trim();
  };
  return { thread, line, decide, propose };
}

describe("the command agent thread", () => {
  it.each(["id", "consoleUrl"] as const)("shows a thread by its %s", async (name) => {
    const { thread, line } = await newThread();
    const { stdout } = await line.run(["agent", "thread", thread[name]]);
    expect(stdout).toMatch(/^thread +\S+\napp +Pocket Atlas\n/);
    expect(stdout).toMatch(
      /\n--- (\w{12}) message ---\nThe map is upside down\.\n--- \1 untrusted text of the public/,
    );
  });

  it("prints the API's answer with --json", async () => {
    const { thread, line } = await newThread();
    expect((await line.run(["agent", "thread", thread.id, "--json"])).json()).toMatchObject({
      app: { name: "Pocket Atlas" },
      feedback: { id: thread.id, status: "open" },
      latestProposal: null,
    });
  });

  it("does not allow text from outside to control the terminal", async () => {
    const { line } = await newThread();
    const owner = await service.makeUser();
    const app = await service.makeApp(owner);
    const { client } = clientWithCredentials(service.baseUrl, { credentials: { appKey: app.key } });
    const message = "\u001b[2Jgone\u202e\u0007";
    const { id } = await client.feedback.submit({ body: { type: "bug", message } });
    const token = await service.makeToken(owner, "agent");
    const { stdout } = await line.run(["agent", "thread", id], { env: { INNKEEP_AGENT_TOKEN: token } });
    expect(stdout).toContain(" message ---\n[2Jgone\n");
    expect(stdout).toContain("removed characters  6, which were invisible\n");
  });
});

describe("the command agent propose", () => {
  it("prints the proposal's id, and says how the agent can wait for the decision", async () => {
    const { thread, line } = await newThread();
    const argv = ["agent", "propose", thread.id, "--summary", "Turn it", "--plan", "-"];
    const ran = await line.run(argv, { stdin: "1. Turn it.\n" });
    expect(ran.stderr).toContain(
      `\`innkeep agent decision ${ran.stdout.trim()} --wait 8h\` waits for the decision.`,
    );
    expect(ran.exit).toBe(0);
  });
});

describe("the command agent propose --expected-run", () => {
  it("replaces only the proposal that the flag names", async () => {
    const { thread, line, propose } = await newThread();
    const argv = ["agent", "propose", thread.id, "--summary", "Turn it", "--plan", "1. Turn it."];
    const first = await propose();
    const refused = await line.run([...argv, "--expected-run", "none", "--json"]);
    expect(refused.exit).toBe(7);
    expect(refused.stderr).toContain("run_superseded");
    expect((await line.run([...argv, "--expected-run", first])).exit).toBe(0);
  });
});

describe("the command agent decision", () => {
  it("ends with exit code 8 before the decision", async () => {
    const { line, propose } = await newThread();
    expect(await line.run(["agent", "decision", await propose()])).toMatchObject({
      exit: 8,
      stdout: expect.stringContaining("awaiting_approval"),
    });
  });

  it.each([
    ["approve", 0, "approved"],
    ["reject", 9, "rejected"],
  ])("ends after the decision %s with exit code %i", async (decision, exit, status) => {
    const { line, propose, decide } = await newThread();
    const runId = await propose();
    await decide(runId, decision);
    const ran = await line.run(["agent", "decision", runId, "--json"]);
    expect(ran.exit).toBe(exit);
    expect(ran.json()).toMatchObject({ id: runId, status, decisionNote: "Mind the poles." });
  });

  it("reports a replaced proposal as rejected, and names the next proposal", async () => {
    const { line, propose } = await newThread();
    const first = await propose();
    const second = await propose();
    const ran = await line.run(["agent", "decision", first]);
    expect(ran.exit).toBe(9);
    expect(ran.stdout).toContain(`replaced by  ${second}\n`);
  });

  it("waits for the decision with --wait, and prints once what it waits for and how long", async () => {
    const { line, propose, decide } = await newThread();
    const runId = await propose();
    const looked = nextDecisionCheck(service);
    const waiting = line.run(["agent", "decision", runId, "--wait", "1h"]);
    await looked;
    await decide(runId, "approve");
    expect(await waiting).toMatchObject({ exit: 0, stderr: "Waiting for a decision, for up to 1 h.\n" });
  });

  it("ends with exit code 130 if it is interrupted during the wait", async () => {
    const { line, propose } = await newThread();
    const runId = await propose();
    const interruption = new AbortController();
    const looked = nextDecisionCheck(service);
    const waiting = line.run(["agent", "decision", runId, "--wait", "1h"], { signal: interruption.signal });
    await looked;
    interruption.abort(new Error("interrupted"));
    expect(await waiting).toMatchObject({ exit: 130, stdout: "" });
  });

  it.each(["soon", "8", "1h 30m", "-1h", ""])("rejects %j as a duration", async (wait) => {
    const { line } = await newThread();
    expect(await line.run(["agent", "decision", "x", `--wait=${wait}`])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("--wait must be a length of time such as 8h, 30m or 90s, not"),
    });
  });
});
