import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Context } from "../../../src/cli/core/context.ts";
import { type CommandLine, createCommandLine } from "../../support/clients/command-line.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

let service: Service;
let cast: AppWithAgent;
let line: CommandLine;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  cast = await makeAppWithAgent(service);
  line = await createCommandLine({
    INNKEEP_BASE_URL: service.baseUrl,
    INNKEEP_AGENT_TOKEN: await service.makeToken(cast.owner, "agent", { scopes: ["runs:work"] }),
  });
});
afterAll(() => service.stop());

const json = async (...words: string[]) => {
  const ran = await line.run([...words, "--json"]);
  expect(ran).toMatchObject({ exit: 0, stderr: "" });
  return Object(ran.json());
};

const tag = (id: string, addTags: readonly string[]) =>
  service.request("PATCH", `/api/v1/console/feedback/${id}`, { headers: cast.person, body: { addTags } });

describe("the command agent list", () => {
  it("prints the threads with the step that they wait for, tab-separated in a pipe", async () => {
    const id = await submitFeedback(service, cast, { subject: "Login fails" });
    const runId = await propose(service, cast, id);
    const { stdout } = await line.run(["agent", "list", "--waiting", "approval"]);
    expect(stdout).toMatch(
      new RegExp(`^${id}\t[^\t]+Z\topen\tbug\t1\tapproval\t${runId}\tpublic: Login fails\n$`),
    );
    expect((await line.run(["agent", "list", "--waiting", "approved"])).stdout).toBe("");
  });

  it("accepts --tag several times for threads that have all of the tags", async () => {
    const both = await submitFeedback(service, cast);
    const one = await submitFeedback(service, cast);
    await tag(both, ["login", "old"]);
    await tag(one, ["login"]);
    expect((await json("agent", "list", "--tag", "Login")).items).toMatchObject([{ id: one }, { id: both }]);
    expect((await json("agent", "list", "--tag", "login", "--tag", "old")).items).toMatchObject([
      { id: both },
    ]);
    expect((await json("agent", "list", "--tag", "unknown")).items).toEqual([]);
  });

  it("prints one document with --json, with a token for later changes", async () => {
    await submitFeedback(service, cast, { subject: "First" });
    const { items, changes, nextCursor } = await json("agent", "list");
    expect({ items, nextCursor }).toMatchObject({ items: [{ subject: "First" }], nextCursor: null });
    const id = await submitFeedback(service, cast, { subject: "Second" });
    expect(await json("agent", "list", "--changed-after", changes)).toMatchObject({ items: [{ id }] });
  });

  it("waits for a thread, and ends with exit code 8 if none comes", async () => {
    const waits = line.run(["agent", "list", "--waiting", "approved", "--wait", "1m", "--json"]);
    const runId = await propose(service, cast, await submitFeedback(service, cast));
    await decide(service, cast, runId, { decision: "approve" });
    expect(await waits).toMatchObject({ exit: 0 });
    expect((await waits).json()).toMatchObject({ items: [{ runId, waiting: "approved" }] });
    const none = await line.run(["agent", "list", "--waiting", "changes", "--wait", "1s", "--json"], {
      world: { clock: clockThatPausesMove() },
    });
    expect(none).toMatchObject({ exit: 8, stderr: "" });
    expect(none.json()).toMatchObject({ items: [] });
  });
});

/** A clock whose pauses take no time but move the clock, so that a command does not send requests endlessly within a second. */
function clockThatPausesMove(): Context["clock"] {
  let pausedMs = 0;
  return {
    now: () => new Date(Date.now() + pausedMs),
    async sleep(milliseconds) {
      pausedMs += milliseconds;
    },
  };
}

describe("the work on an approved proposal", () => {
  it("can be resumed by another worker with --resume, which ends the first claim", async () => {
    const runId = await propose(service, cast, await submitFeedback(service, cast));
    await decide(service, cast, runId, { decision: "approve" });
    const { claimId } = await json("agent", "claim", runId, "--worker", "one");
    const refused = await line.run(["agent", "claim", runId, "--worker", "two"]);
    expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining("--resume") });
    const resumed = await json("agent", "claim", runId, "--worker", "two", "--resume");
    expect(resumed).toMatchObject({ worker: "two", run: { id: runId } });
    expect(resumed.claimId).not.toBe(claimId);
    const late = await line.run(["agent", "progress", runId, "--claim", claimId, "--text", "x"]);
    expect(late).toMatchObject({ exit: 7 });
  });

  it("can be listed, claimed, reported on, and ended with an outcome", async () => {
    const runId = await propose(service, cast, await submitFeedback(service, cast, { subject: "Login" }));
    await decide(service, cast, runId, { decision: "approve", note: "Go." });
    expect(await json("agent", "runs", "--status", "approved")).toMatchObject({
      items: [{ id: runId, decision: "approve", subject: "Login" }],
      nextCursor: null,
    });
    const { claimId } = await json("agent", "claim", runId, "--worker", "nightly");
    expect((await line.run(["agent", "claim", runId, "--worker", "nightly"])).stdout).toBe(`${claimId}\n`);
    expect(await line.run(["agent", "claim", runId])).toMatchObject({ exit: 7, stdout: "" });
    await json("agent", "progress", runId, "--claim", claimId, "--text", "Tests pass.");
    const ended = await line.run(
      ["agent", "outcome", runId, "--claim", claimId, "--status", "succeeded", "--summary", "-"],
      { stdin: "Mended.\n" },
    );
    expect(ended).toMatchObject({ exit: 0 });
    expect(await line.run(["agent", "claim", runId, "--worker", "nightly"])).toMatchObject({
      ...{ exit: 7, stdout: "" },
      stderr: expect.stringContaining("was already reported: succeeded"),
    });
    const { stdout } = await line.run(["agent", "run", runId]);
    for (const text of ["nightly", "Tests pass.", "succeeded: Mended.", "Go.", "1. Check the size."])
      expect(stdout).toContain(text);
    expect((await line.run(["agent", "run", runId, "--raw", "plan"])).stdout).toBe("1. Check the size.");
  });

  it("needs a token with the scope runs:work", async () => {
    const runId = await propose(service, cast, await submitFeedback(service, cast));
    await decide(service, cast, runId, { decision: "approve" });
    const env = { INNKEEP_AGENT_TOKEN: await service.makeToken(cast.owner, "agent") };
    const ran = await line.run(["agent", "claim", runId], { env });
    expect(ran).toMatchObject({ exit: 5, stdout: "" });
  });
});
