import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Transport } from "../../../../src/client/call.ts";
import { shortTransport } from "../../../../src/client/transport.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import {
  faulty,
  makeShellWorkers,
  type ShellWorkers,
  workOn,
} from "../../../support/worlds/agents/shell-workers.ts";

let service: Service;
let world: ShellWorkers;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  world = await makeShellWorkers(service);
});
afterAll(() => service.stop());

const nightly = ["--worker", "nightly"];
/** The proposals for which the command was started. */
const carriedOut = async () => (await world.allNoted()).map(({ env }) => env.INNKEEP_RUN_ID);

describe("a worker with a name (rule L74)", () => {
  it("claims with a name that is different on each machine (rule L74)", async () => {
    const machines = [world.line, await world.newMachine()];
    const runs = [await world.approved(), await world.approved()];
    const ran = await Promise.all(machines.map((machine) => workOn(machine, nightly)));
    expect(ran.map(({ exit }) => exit)).toEqual([0, 0]);
    expect((await carriedOut()).sort()).toEqual(runs.sort());
    const names = await Promise.all(runs.map(async (runId) => (await world.read(runId)).claim.worker));
    expect(new Set(names).size).toBe(2);
    expect(names).toEqual(Array(2).fill(expect.stringMatching(/^nightly-[0-9a-f]{8}$/)));
  });

  it("does not resume the claim of a worker with the same name on another machine", async () => {
    const elsewhere = await world.approved();
    await world.line.run(["agent", "claim", elsewhere, "--worker", "nightly"]);
    const mine = await world.approved();
    expect((await world.work(nightly)).exit).toBe(0);
    expect(await carriedOut()).toEqual([mine]);
    expect((await world.read(elsewhere)).outcome).toBeNull();
  });

  it("reports the outcome that an earlier process could not report, and does not do the work again", async () => {
    const first = await world.approved();
    const transport = faulty(/\/outcome$/, 400);
    expect((await world.work(nightly, undefined, { world: { transport } })).exit).not.toBe(0);
    expect((await world.read(first)).outcome).toBeNull();
    const second = await world.approved();
    expect((await world.work(nightly)).exit).toBe(0);
    expect(await carriedOut()).toEqual([first, second]);
    expect((await world.read(first)).outcome).toMatchObject({ status: "succeeded" });
  });

  /** A worker whose process ends when the claim is answered. Returns the answer. */
  async function endedAfterClaim(): Promise<{ readonly claimId: string }> {
    let answered = "{}";
    const send = shortTransport();
    const transport: Transport = async (request) => {
      const answer = await send(request);
      if (!request.url.pathname.endsWith("/claim")) return answer;
      answered = answer.text;
      throw new Error("The process ends here.");
    };
    expect((await world.work(nightly, undefined, { world: { transport } })).exit).toBe(1);
    return Object(JSON.parse(answered));
  }

  it("does the work that an earlier process with its name has claimed", async () => {
    const runId = await world.approved();
    await endedAfterClaim();
    await world.approved();
    expect((await world.work(nightly)).exit).toBe(0);
    expect(await carriedOut()).toEqual([runId]);
  });

  it("does not resume a claim that a person has released in the meantime", async () => {
    const runId = await world.approved();
    await endedAfterClaim();
    const path = `/api/v1/console/runs/${runId}/release`;
    await service.request("POST", path, { headers: world.cast.person, body: {} });
    // Another claim, so that only the abandoned one could return the proposal.
    await world.line.run(["agent", "claim", runId]);
    const next = await world.approved();
    const ran = await world.work(nightly);
    expect(ran.stderr).toContain(`Not claimed: ${runId}. Another worker has claimed it.`);
    expect(await carriedOut()).toEqual([next]);
  });

  const release = (runId: string) =>
    service.request("POST", `/api/v1/console/runs/${runId}/release`, {
      headers: world.cast.person,
      body: {},
    });

  it("does the work of a proposal after a person has released its claim, even the claim of another worker", async () => {
    const runId = await world.approved();
    await world.line.run(["agent", "claim", runId, "--worker", "gone"]);
    await release(runId);
    expect((await world.work(nightly)).exit).toBe(0);
    expect(await carriedOut()).toEqual([runId]);
    expect((await world.read(runId)).outcome).toMatchObject({ status: "succeeded" });
  });

  it("claims a proposal again after a person has released the worker's own claim", async () => {
    const runId = await world.approved();
    const { claimId } = await endedAfterClaim();
    await release(runId);
    const ran = await world.work(nightly);
    expect(ran.stderr).toContain(`Not resumed: ${runId}. A person has released its claim.`);
    expect(await carriedOut()).toEqual([runId]);
    const late = ["--claim", claimId, "--status", "failed", "--summary", "Late."];
    expect((await world.line.run(["agent", "outcome", runId, ...late])).stderr).toContain(
      "A person has ended this worker's claim",
    );
  });

  it("says that another worker has claimed a proposal, and not that its own claim was released", async () => {
    const lost = await world.approved();
    const send = shortTransport();
    const transport: Transport = async (request) => {
      if (request.url.pathname.endsWith(`${lost}/claim`))
        await world.line.run(["agent", "claim", lost, "--worker", "first"]);
      return send(request);
    };
    const works = world.work(nightly, undefined, { world: { transport } });
    const next = await world.approved();
    expect((await works).stderr).toContain(`Not claimed: ${lost}. Another worker has claimed it.`);
    expect(await carriedOut()).toEqual([next]);
  });

  describe("after its token was revoked", () => {
    /** Runs a worker whose token is revoked while its command runs. Returns its messages. */
    async function revokedAtWork() {
      const send = shortTransport();
      const transport: Transport = async (request) => {
        if (request.url.pathname.endsWith("/outcome")) await revoke();
        return send(request);
      };
      return world.work(nightly, undefined, { world: { transport } });
    }

    async function revoke(): Promise<void> {
      const path = "/api/v1/console/tokens";
      const { body } = await service.request("GET", path, { headers: world.cast.person });
      for (const { id } of Object(body).items)
        await service.request("DELETE", `${path}/${id}`, { headers: world.cast.person });
    }

    it("says that the outcome is not reported and how it can be, and reports it with the next token", async () => {
      const runId = await world.approved();
      const ran = await revokedAtWork();
      expect(ran.exit).toBe(4);
      expect(ran.stderr).toContain(`The outcome of ${runId} (succeeded) is not reported.`);
      expect(ran.stderr).toContain("Set a valid agent token.");
      expect(ran.stderr).toContain("does not run the command again");
      expect(ran.stderr).not.toContain("auth login");
      const token = await service.makeToken(world.cast.owner, "agent", { scopes: ["runs:work"] });
      const next = await world.approved("", { ...world.cast, agent: { authorization: `Bearer ${token}` } });
      const again = await world.work(nightly, undefined, { env: { INNKEEP_AGENT_TOKEN: token } });
      expect(again.stderr).toContain(`Reported: ${runId} succeeded.`);
      expect(await carriedOut()).toEqual([runId, next]);
    });

    it("keeps the outcome while the new token belongs to another account", async () => {
      const runId = await world.approved();
      await revokedAtWork();
      const stranger = await makeShellWorkers(service);
      await stranger.approved();
      const env = { INNKEEP_AGENT_TOKEN: stranger.token };
      expect((await world.work(nightly, undefined, { env })).stderr).toMatch(
        /The outcome of \S+ \(succeeded\) is not reported\. This token has no such claim\. .* remove \S+run-/,
      );
      const token = await service.makeToken(world.cast.owner, "agent", { scopes: ["runs:work"] });
      await world.approved("", { ...world.cast, agent: { authorization: `Bearer ${token}` } });
      const again = await world.work(nightly, undefined, { env: { INNKEEP_AGENT_TOKEN: token } });
      expect(again.stderr).toContain(`Reported: ${runId} succeeded.`);
    });

    it("resumes the claim of an earlier process with the next token", async () => {
      const runId = await world.approved();
      await endedAfterClaim();
      await revoke();
      const token = await service.makeToken(world.cast.owner, "agent", { scopes: ["runs:work"] });
      const ran = await world.work(nightly, undefined, { env: { INNKEEP_AGENT_TOKEN: token } });
      expect(ran.exit).toBe(0);
      expect(await carriedOut()).toEqual([runId]);
    });
  });

  it("does not do work again that is already reported", async () => {
    const runId = await world.approved();
    const { claimId } = await endedAfterClaim();
    const words = ["--claim", claimId, "--status", "succeeded", "--summary", "Done."];
    expect((await world.line.run(["agent", "outcome", runId, ...words])).exit).toBe(0);
    const next = await world.approved();
    const ran = await world.work(nightly);
    expect(ran.stderr).toContain(`Already reported: ${runId} succeeded.`);
    expect(await carriedOut()).toEqual([next]);
  });
});
