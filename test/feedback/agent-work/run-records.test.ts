import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outbox } from "../../../server/feedback/chat/store.ts";
import { tidy } from "../../../server/jobs/housekeeping.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeWorkingAgent, type WorkingAgent } from "../../support/worlds/agents/approved-proposal.ts";

const day = 86_400_000;

describe("the records about a proposal", () => {
  let service: Service;
  let world: WorkingAgent;
  beforeAll(async () => {
    service = await startService();
    world = await makeWorkingAgent(service);
  });
  afterAll(() => service.stop());

  const auditOf = async (runId: string) => {
    const list = await service.request("GET", "/api/v1/console/audit?limit=100", { headers: world.person });
    const items: { target: string; action: string; actor: string }[] = Object(list.body).items;
    return items
      .filter(({ target }) => target === runId)
      .map(({ action, actor }) => [action, actor.replace(/[\da-f-]{36}$/, "ID")])
      .toReversed();
  };
  const eventsOf = async (runId: string) =>
    (
      await service.deps.database.all<{ type: string; facts: string }>(
        "SELECT type, facts FROM events WHERE subject_id = ? ORDER BY created_at, id",
        runId,
      )
    ).map(({ type, facts }) => [type, JSON.parse(facts)]);
  const firstReadAt = async (runId: string) =>
    (
      await service.deps.database.get<{ at: string | null }>(
        "SELECT first_read_at AS at FROM runs WHERE id = ?",
        runId,
      )
    )?.at;

  it("contain each step as an entry of the audit and as an event for webhooks", async () => {
    const feedbackId = await world.newThread();
    const [replaced, runId] = [await world.proposeOn(feedbackId), await world.proposeOn(feedbackId)];
    await world.decide(runId, { decision: "approve" });
    await world.claim(runId);
    await world.order(runId, "release");
    const claimId = (await world.claim(runId, "two")).field("claimId");
    await world.claim(runId, "two");
    await world.claim(runId, "three");
    await world.work(runId, "progress", { claimId, text: "A secret text." });
    await world.work(runId, "outcome", { claimId, status: "failed", summary: "A secret text." });
    const [agent, person] = ["agent, token ID", world.owner.email];
    expect(await auditOf(runId)).toEqual([
      ["run.propose", agent],
      ["run.approve", person],
      ["run.claim", agent],
      ["run.release", person],
      ["run.claim", agent],
      ["run.progress", agent],
      ["run.outcome", agent],
    ]);
    expect(await eventsOf(runId)).toEqual([
      ["run.proposed", { feedbackId }],
      ["run.decided", { feedbackId, decision: "approve" }],
      ["run.claimed", { feedbackId }],
      ["run.claimed", { feedbackId }],
      ["run.finished", { feedbackId, outcome: "failed" }],
    ]);
    expect(await eventsOf(replaced)).toEqual([
      ["run.proposed", { feedbackId }],
      ["run.decided", { feedbackId, decision: "replaced", replacedBy: runId }],
    ]);
  });

  it.each([
    ["request_changes", "run.request_changes"],
    ["reject", "run.reject"],
  ])("contain the decision %s", async (decision, action) => {
    const runId = await world.proposeOn(await world.newThread());
    await world.decide(runId, { decision, note: "Not so." });
    expect((await auditOf(runId)).at(-1)).toEqual([action, world.owner.email]);
    expect((await eventsOf(runId)).at(-1)).toMatchObject(["run.decided", { decision }]);
  });

  it("contain a recall, and contain the expiry by the server once", async () => {
    const recalled = await world.approved();
    await world.order(recalled, "recall");
    expect((await auditOf(recalled)).at(-1)).toEqual(["run.recall", world.owner.email]);
    expect((await eventsOf(recalled)).at(-1)).toMatchObject(["run.decided", { decision: "recalled" }]);

    const hasty = await makeWorkingAgent(service);
    const app = `/api/v1/console/apps/${hasty.appId}`;
    await service.request("PATCH", app, { headers: hasty.person, body: { approvalHours: 1 } });
    const runId = await hasty.approved();
    service.clock.advance(3_600_000);
    await Promise.all([hasty.poll(runId), hasty.poll(runId), tidy(service.deps)]);
    const events = await eventsOf(runId);
    expect(events.filter(([, facts]) => facts.decision === "expired")).toHaveLength(1);
    const entries = await service.deps.database.all(
      "SELECT actor, owner_id, app_id FROM audit WHERE target = ? AND action = 'run.expire'",
      runId,
    );
    expect(entries).toEqual([{ actor: "server", owner_id: hasty.owner.id, app_id: hasty.appId }]);
  });

  it("contain the time when an agent first read the approval, by each way of reading", async () => {
    const threadId = await world.newThread();
    const runId = await world.proposeOn(threadId);
    await world.poll(runId);
    await world.decide(runId, { decision: "approve" });
    expect(await firstReadAt(runId)).toBeNull();
    await service.request("GET", `/api/v1/console/feedback/${threadId}`, { headers: world.person });
    await world.poll(runId, (await makeWorkingAgent(service)).agent);
    expect(await firstReadAt(runId)).toBeNull();
    await world.poll(runId);
    const first = await firstReadAt(runId);
    expect(first).toMatch(/^\d{4}-/);
    service.clock.advance(60_000);
    await world.poll(runId);
    expect(await firstReadAt(runId)).toBe(first);

    const onThread = await world.newThread();
    const second = await world.approved(onThread);
    await service.request("GET", `/api/v1/agent/feedback/${onThread}`, { headers: world.agent });
    expect(await firstReadAt(second)).toMatch(/^\d{4}-/);
    const third = await world.approved();
    await world.claim(third);
    expect(await firstReadAt(third)).toMatch(/^\d{4}-/);
  });

  it("lose an event after 90 days", async () => {
    const runId = await world.proposeOn(await world.newThread());
    service.clock.advance(89 * day);
    await tidy(service.deps);
    expect(await eventsOf(runId)).toHaveLength(1);
    service.clock.advance(2 * day);
    await tidy(service.deps);
    expect(await eventsOf(runId)).toEqual([]);
  });

  it("are never sent to a chat as a delivery of another kind", async () => {
    const { database, clock } = service.deps;
    const createdAt = clock.now().toISOString();
    const delivery = {
      id: "foreign",
      appId: world.appId,
      kind: "chat",
      subjectId: "run",
      createdAt,
    } as const;
    await database.write(async (tx) => {
      await outbox.insert(tx, { ...delivery, target: "http://127.0.0.1:9/", payload: "{}" });
      await tx.run("UPDATE outbox SET kind = 'another' WHERE id = 'foreign'");
    });
    const claim = { now: createdAt, until: createdAt, most: 10 };
    expect(await database.write((tx) => outbox.claimDue(tx, world.appId, claim))).toEqual([]);
    expect(await outbox.nextDue(database, [])).toBeUndefined();
  });
});
