import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { shortTransport } from "../../../../src/client/transport/transport.ts";
import type { Transport } from "../../../../src/client/transport/wire.ts";
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
/** The proposals that the command was started for. */
const carriedOut = async () => (await world.allNoted()).map(({ env }) => env.INNKEEP_RUN_ID);

describe("a worker with a name (rule L74)", () => {
  it("claims under a name that no other machine has, though both are called the same (rule L74)", async () => {
    const machines = [world.line, await world.newMachine()];
    const runs = [await world.approved(), await world.approved()];
    const ran = await Promise.all(machines.map((machine) => workOn(machine, nightly)));
    expect(ran.map(({ exit }) => exit)).toEqual([0, 0]);
    expect((await carriedOut()).sort()).toEqual(runs.sort());
    const names = await Promise.all(runs.map(async (runId) => (await world.read(runId)).claim.worker));
    expect(new Set(names).size).toBe(2);
    expect(names).toEqual(Array(2).fill(expect.stringMatching(/^nightly-[0-9a-f]{8}$/)));
  });

  it("takes up nothing that was claimed elsewhere under its name", async () => {
    const elsewhere = await world.approved();
    await world.line.run(["agent", "claim", elsewhere, "--worker", "nightly"]);
    const mine = await world.approved();
    expect((await world.work(nightly)).exit).toBe(0);
    expect(await carriedOut()).toEqual([mine]);
    expect((await world.read(elsewhere)).outcome).toBeNull();
  });

  it("reports what an earlier process could not report, and does not carry it out again", async () => {
    const first = await world.approved();
    const transport = faulty(/\/outcome$/, 400);
    expect((await world.work(nightly, undefined, { world: { transport } })).exit).not.toBe(0);
    expect((await world.read(first)).outcome).toBeNull();
    const second = await world.approved();
    expect((await world.work(nightly)).exit).toBe(0);
    expect(await carriedOut()).toEqual([first, second]);
    expect((await world.read(first)).outcome).toMatchObject({ status: "succeeded" });
  });

  /** A worker whose process ends when the claim is answered. Gives the answer. */
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

  it("carries out what an earlier process with its name has claimed", async () => {
    const runId = await world.approved();
    await endedAfterClaim();
    await world.approved();
    expect((await world.work(nightly)).exit).toBe(0);
    expect(await carriedOut()).toEqual([runId]);
  });

  it("does not take up what a person has released meanwhile", async () => {
    const runId = await world.approved();
    await endedAfterClaim();
    const path = `/api/v1/console/runs/${runId}/release`;
    await service.request("POST", path, { headers: world.cast.person, body: {} });
    // Another claim, so that nothing but the left one could bring the proposal back.
    await world.line.run(["agent", "claim", runId]);
    const next = await world.approved();
    const ran = await world.work(nightly);
    expect(ran.stderr).toContain(`Not claimed: ${runId} was released.`);
    expect(await carriedOut()).toEqual([next]);
  });

  it("does not carry out again what is already reported", async () => {
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
