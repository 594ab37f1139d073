import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { expiredApprovals } from "../../../server/feedback/proposals/store.ts";
import { tidy } from "../../../server/jobs/housekeeping.ts";
import { databases } from "../../support/database/databases.ts";
import { planOf } from "../../support/database/plans.ts";
import { tracedDatabase } from "../../support/database/traced-database.ts";
import { refusal } from "../../support/service/refusals.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeWorkingAgent, type WorkingAgent } from "../../support/worlds/agents/approved-proposal.ts";

const hour = 3_600_000;

const Listed = z.object({ items: z.array(z.looseObject({ id: z.string() })) });

describe.each(databases)("an approval with a lifetime on $name", (engine) => {
  let service: Service;
  let world: WorkingAgent;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    world = await makeWorkingAgent(service);
    await setHours(2);
  });
  afterAll(() => service.stop());

  const setHours = async (approvalHours: number | null) => {
    const path = `/api/v1/console/apps/${world.appId}`;
    const answer = await service.request("PATCH", path, { headers: world.person, body: { approvalHours } });
    expect(answer).toMatchObject({ status: 200, body: { approvalHours } });
  };
  const threadOf = (threadId: string) =>
    service.request("GET", `/api/v1/agent/feedback/${threadId}`, { headers: world.agent });
  const inbox = () =>
    service.request("GET", `/api/v1/console/apps/${world.appId}/feedback`, { headers: world.person });
  const storedDecision = async (runId: string) =>
    (await service.deps.database.get<{ decision: string }>("SELECT decision FROM runs WHERE id = ?", runId))
      ?.decision;

  it("shows when it expires, and otherwise changes nothing until then", async () => {
    const { now } = service.clock;
    let readings = 0;
    // Each reading returns another time, as if the server needed a millisecond for every step.
    const reading = vi
      .spyOn(service.clock, "now")
      .mockImplementation(() => new Date(now().getTime() + ++readings));
    const runId = await world.approved().finally(() => reading.mockRestore());
    const run = await world.poll(runId);
    const lifetime = Date.parse(run.field("expiresAt")) - Date.parse(run.field("decidedAt"));
    expect([run.field("status"), lifetime]).toEqual(["approved", 2 * hour]);
    service.clock.advance(2 * hour - 60_000);
    expect((await world.poll(runId)).body).toMatchObject({ status: "approved" });
    expect(await world.claim(runId)).toMatchObject({ status: 200 });
  });

  it("is shown to everybody as rejected and expired after its end, and cannot be claimed or recalled", async () => {
    const threadId = await world.newThread();
    const runId = await world.approved(threadId);
    const expiresAt = (await world.poll(runId)).field("expiresAt");
    service.clock.advance(2 * hour);
    expect(await world.claim(runId)).toMatchObject(refusal(409, "wrong_state"));
    expect(await world.order(runId, "recall")).toMatchObject(refusal(409, "wrong_state"));
    const expired = { status: "rejected", decision: "expired", decidedAt: expiresAt };
    const path = `/api/v1/console/feedback/${threadId}`;
    expect((await service.request("GET", path, { headers: world.person })).body).toMatchObject({
      latestProposal: expired,
      proposals: [expired],
    });
    expect((await world.poll(runId)).body).toMatchObject(expired);
    expect((await threadOf(threadId)).body).toMatchObject({ latestProposal: expired });
    expect((await inbox()).body).toMatchObject({ items: [{ id: threadId, proposalStatus: "rejected" }] });
  });

  describe("after its end, before it was read,", () => {
    const listed = async (path: string, headers: Record<string, string> = world.agent) =>
      Listed.parse((await service.request("GET", path, { headers })).body).items;

    it("is in the list of proposals only with its new status", async () => {
      const runId = await world.approved();
      service.clock.advance(2 * hour);
      expect(await listed("/api/v1/agent/runs?status=approved")).toEqual([]);
      expect(await listed("/api/v1/agent/runs?status=rejected")).toMatchObject([
        { id: runId, status: "rejected", decision: "expired" },
      ]);
      expect(await storedDecision(runId)).toBe("expired");
    });

    it("does not wait for a worker in the list of threads", async () => {
      const threadId = await world.newThread();
      await world.approved(threadId);
      service.clock.advance(2 * hour);
      expect(await listed("/api/v1/agent/feedback?waiting=approved")).toEqual([]);
      expect(await listed("/api/v1/agent/feedback?waiting=none")).toMatchObject([
        { id: threadId, waiting: "none" },
      ]);
    });

    it.each([
      ["the inbox of an app", () => `/api/v1/console/apps/${world.appId}/feedback`],
      ["the inbox of all apps", () => "/api/v1/console/feedback"],
      ["a search", () => "/api/v1/console/search?q=crashes"],
    ])("is rejected in %s", async (_, path) => {
      const threadId = await world.newThread();
      await world.approved(threadId);
      service.clock.advance(2 * hour);
      expect(await listed(path(), world.person)).toMatchObject([
        { id: threadId, proposalStatus: "rejected" },
      ]);
    });

    it("is stored as expired before its page says so", async () => {
      const threadId = await world.newThread();
      const runId = await world.approved(threadId);
      service.clock.advance(2 * hour);
      await service.request("GET", `/api/v1/console/feedback/${threadId}`, { headers: world.person });
      expect(await storedDecision(runId)).toBe("expired");
    });

    it("is found by agents that wait for changes", async () => {
      const threadId = await world.newThread();
      await world.approved(threadId);
      const path = "/api/v1/agent/feedback";
      const mark = (await service.request("GET", path, { headers: world.agent })).field("changes");
      service.clock.advance(2 * hour);
      expect(await listed(`${path}?changedAfter=${encodeURIComponent(mark)}`)).toMatchObject([
        { id: threadId, waiting: "none" },
      ]);
    });
  });

  it("stays expired after it was read as expired, even if the clock is corrected", async () => {
    const runId = await world.approved();
    service.clock.advance(2 * hour);
    await world.poll(runId);
    service.clock.advance(-30_000);
    expect((await world.poll(runId)).body).toMatchObject({ status: "rejected", decision: "expired" });
    expect(await world.claim(runId)).toMatchObject(refusal(409, "wrong_state"));
  });

  it("does not expire after it is claimed, and gets a new lifetime when it is released", async () => {
    const runId = await world.approved();
    await world.claim(runId);
    service.clock.advance(100 * hour);
    expect((await world.poll(runId)).body).toMatchObject({ status: "approved", expiresAt: null });
    await world.order(runId, "release");
    service.clock.advance(hour);
    expect((await world.poll(runId)).body).toMatchObject({
      status: "approved",
      expiresAt: expect.any(String),
    });
    service.clock.advance(hour);
    expect((await world.poll(runId)).body).toMatchObject({ status: "rejected", decision: "expired" });
  });

  it("keeps its lifetime even if the app's setting changes later", async () => {
    const runId = await world.approved();
    await setHours(null);
    const lasting = await world.approved();
    service.clock.advance(2 * hour);
    expect((await world.poll(runId)).body).toMatchObject({ decision: "expired" });
    expect((await world.poll(lasting)).body).toMatchObject({ status: "approved", expiresAt: null });
  });

  it("is stored as expired by housekeeping if nobody reads it", async () => {
    const [over, young] = [await world.approved(), await world.approved()];
    await world.claim(young);
    service.clock.advance(2 * hour);
    await tidy(service.deps);
    expect([await storedDecision(over), await storedDecision(young)]).toEqual(["expired", "approve"]);
  });

  describe("while the clock is uncertain", () => {
    it.each([
      ["ahead", 5 * hour],
      ["back", -hour],
    ])(
      "is neither read nor claimed if the clock jumped %s, and is as before after the correction",
      async (_, jump) => {
        const threadId = await world.newThread();
        const runId = await world.approved(threadId);
        service.clock.advance(hour + hour / 2);
        if (jump < 0) service.clock.pass(hour / 2 + 1_000);
        service.clock.jump(jump);
        const list = () => service.request("GET", "/api/v1/agent/runs", { headers: world.agent });
        for (const answer of [
          await world.poll(runId),
          await world.claim(runId),
          await threadOf(threadId),
          await list(),
        ]) {
          expect(answer).toMatchObject(refusal(503, "busy"));
          expect(answer.headers.get("retry-after")).toBe("60");
        }
        await tidy(service.deps);
        expect(await storedDecision(runId)).toBe("approve");
        service.clock.jump(-jump);
        expect((await world.poll(runId)).body).toMatchObject({ status: jump < 0 ? "rejected" : "approved" });
      },
    );

    it("does not begin its lifetime; a recall, a refusal and an approval without a lifetime still work", async () => {
      const claimed = await world.approved();
      await world.claim(claimed);
      const waiting = await world.proposeOn(await world.newThread());
      const approved = await world.approved();
      service.clock.jump(-5 * hour);
      expect(await world.decide(waiting, { decision: "approve" })).toMatchObject(refusal(503, "busy"));
      expect(await world.order(claimed, "release")).toMatchObject(refusal(503, "busy"));
      expect(await world.decide(waiting, { decision: "reject" })).toMatchObject({ status: 200 });
      expect(await world.order(approved, "recall")).toMatchObject({ status: 200 });
      await setHours(null);
      expect(await world.order(claimed, "release")).toMatchObject({ status: 200 });
      service.clock.jump(5 * hour);
    });
  });
});

it.each(databases)("the search for approvals that are over reads only an index on $name", async (engine) => {
  const traced = tracedDatabase(engine);
  const service = await startService({ engine: traced.engine });
  const { database, clock } = service.deps;
  const plan = await planOf(traced, database, (reader) => expiredApprovals.list(reader, clock.now(), 200));
  expect(plan).toMatch(/runs_by_expiry/);
  expect(plan).not.toMatch(/TEMP B-TREE|Sort/);
  await service.stop();
});
