import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashOf } from "../../../../server/secrets/secrets.ts";
import { databases } from "../../../support/database/databases.ts";
import { eventually } from "../../../support/eventually.ts";
import { fc } from "../../../support/property.ts";
import type { Answer } from "../../../support/service/request.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { rounds } from "../../../support/torture.ts";
import {
  decisionOf,
  emptyModel,
  erased,
  expected,
  isHeld,
  type Model,
  type ModelRun,
  type Step,
  stepKinds,
} from "../../../support/worlds/agents/approval-model.ts";
import { makeWorkingAgent, type WorkingAgent } from "../../../support/worlds/agents/approved-proposal.ts";
import { planOnPage } from "../../../support/worlds/agents/plan-on-page.ts";

const someId = "00000000-0000-4000-8000-000000000000";
const kinds = stepKinds.map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind) }));
const steps = fc.array(
  fc.record({ kind: fc.oneof(...kinds), who: fc.nat({ max: 2 }), back: fc.constantFrom(0, 0, 0, 1, 1, 2) }),
  { minLength: 20, maxLength: 60, size: "max" },
);

const grace = "grace@example.org";
const plans = [
  "<b>1.</b> &amp; 'Run' rm \u202Egpj.x\u202C\u200B \"now\".\n\n\t- Then </div> rest.",
  "1. Check.\r\n2. Mend “ß” \u{1F9EA}.",
  "1. Check.\n2. Mend “ß” \u{1F9EA}.",
  `Tell ${grace} of it.`,
  "Rename it",
];

/** One thread, three agents with one token each, two browsers of the owner, and the state that the rules require. */
async function begin(service: Service, world: WorkingAgent) {
  const threadId = await world.newThread();
  const agents = await Promise.all([0, 1, 2].map(() => world.makeAgent()));
  const deciders = [world.person, await service.signIn(world.owner)];
  const model = emptyModel();
  const claimIds = new Map<string, string>();
  /** The ids of claims that were released. */
  const ended = new Set<string>();
  const shown = new Map<string, string>();
  const page = `/console/feedback/${world.appId}/${threadId}`;

  const send = (path: string, headers: Record<string, string> | undefined, body: object) =>
    service.request("POST", `/api/v1${path}`, { headers: headers ?? {}, body });
  const decide = (run: ModelRun, { who, kind }: Step) =>
    send(`/console/runs/${run.id}/decision`, deciders[who % 2], { decision: kind, note: "So." });
  /** A person reads the page before the decision. The decision is about the plan on the screen. */
  const approve = async (run: ModelRun, step: Step) => {
    if (run.decision === null)
      shown.set(run.id, await planOnPage(service, deciders[step.who % 2] ?? {}, page));
    return decide(run, step);
  };
  const order = (run: ModelRun, { who, kind }: Step) =>
    send(`/console/runs/${run.id}/${kind}`, deciders[who % 2], {});
  const report = (run: ModelRun, { who, kind }: Step, fields: object) => {
    const claimId = claimIds.get(`${run.id} ${who}`) ?? someId;
    return send(`/agent/runs/${run.id}/${kind}`, agents[who], { claimId, ...fields });
  };

  const ways: Partial<Record<Step["kind"], (run: ModelRun, step: Step) => Promise<Answer>>> = {
    approve,
    reject: decide,
    request_changes: decide,
    recall: order,
    release: order,
    claim: (run, { who }) => send(`/agent/runs/${run.id}/claim`, agents[who], { worker: "worker" }),
    progress: (run, step) => report(run, step, { text: "Half." }),
    outcome: (run, step) => report(run, step, { status: "succeeded", summary: "Done." }),
  };

  /** A worker gets exactly the bytes that the agent proposed and that were on the screen of the person who approved. */
  function comparePlans(answer: Answer, run: ModelRun, { kind, who }: Step): void {
    if (answer.status !== 200) return;
    if (kind === "release") noteEnded(run);
    if (kind === "approve") expect(answer.field("planSha256")).toBe(hashOf(shown.get(run.id) ?? ""));
    if (kind !== "claim") return;
    expect(answer.field("run.plan")).toBe(shown.get(run.id));
    expect(answer.body).toMatchObject({ run: { plan: run.plan, status: "approved", decision: "approve" } });
    const name = `${run.id} ${who}`;
    const known = claimIds.get(name);
    const isSame = known === undefined || known === answer.field("claimId");
    expect(isSame).toBe(known === undefined || !ended.has(known));
    claimIds.set(name, answer.field("claimId"));
  }

  function noteEnded({ id, claims }: ModelRun): void {
    for (const [who, state] of claims)
      if (state === "released") ended.add(claimIds.get(`${id} ${who}`) ?? "");
  }

  async function propose({ who }: Step): Promise<void> {
    const plan = plans[model.runs.length % plans.length] ?? "";
    const body = { summary: "Mend it.", plan };
    const answer = await send(`/agent/feedback/${threadId}/proposal`, agents[who], body);
    expect(outcomeOf(answer)).toBe(expected(model, { kind: "propose", who, back: 0 }, undefined));
    if (answer.status !== 201) return;
    model.runs.push({
      ...{ id: answer.field("runId"), plan, decision: null, wasApproved: false },
      ...{ expiresAt: Number.POSITIVE_INFINITY, finished: false, claims: new Map() },
    });
  }

  async function revoke(who: number): Promise<void> {
    const hash = hashOf(agents[who]?.authorization.slice("Bearer ".length) ?? "");
    const row = await service.deps.database.get<{ id: string }>(
      "SELECT id FROM tokens WHERE token_hash = ?",
      hash,
    );
    model.revoked.add(who);
    if (!row) return;
    const path = `/api/v1/console/tokens/${row.id}`;
    expect(await service.request("DELETE", path, { headers: world.person })).toMatchObject({ status: 204 });
  }

  async function erase(): Promise<void> {
    const path = "/api/v1/console/people/erase";
    const sent = await service.request("POST", path, { headers: world.person, body: { email: grace } });
    await eventually(async () => {
      const receipt = `/api/v1/console/people/erasures/${sent.field("id")}`;
      expect((await service.request("GET", receipt, { headers: world.person })).field("status")).toBe("done");
    });
    erased(model, grace);
    for (const run of model.runs) noteEnded(run);
    // Finished work is not done again, so its worker may read the current plan.
    for (const { id, plan, finished } of model.runs) if (finished) shown.set(id, plan);
  }

  return {
    model,
    async take(step: Step): Promise<void> {
      if (step.kind === "propose") return propose(step);
      if (step.kind === "revoke") return revoke(step.who);
      if (step.kind === "erase") return erase();
      if (step.kind === "hours_pass") {
        service.clock.advance(2 * 3_600_000);
        model.now += 2 * 3_600_000;
        return;
      }
      const run = model.runs.at(-1 - step.back);
      const way = ways[step.kind];
      if (!run || !way) return;
      const answer = await way(run, step);
      const rule = expected(model, step, run);
      expect([step, outcomeOf(answer)]).toEqual([step, rule]);
      comparePlans(answer, run, step);
    },
  };
}

const outcomeOf = (answer: Answer): string =>
  answer.status < 300 ? String(answer.status) : `${answer.status} ${answer.field("code")}`;

/** All readers see the state that the rules require, and there is no claim on a proposal that is not approved. */
async function compare(world: WorkingAgent, model: Model): Promise<void> {
  for (const run of model.runs) {
    const { body } = await world.poll(run.id);
    const decision = decisionOf(model, run);
    const status = decision === null ? "awaiting_approval" : decision === "approve" ? "approved" : "rejected";
    expect(body).toMatchObject({
      id: run.id,
      status,
      decision,
      plan: run.plan,
      planSha256: hashOf(run.plan),
    });
    const held = isHeld(run);
    if (held) expect(body).toMatchObject({ status: "approved", claim: { releasedAt: null } });
    else expect(Object(body).claim === null || Object(body).claim.releasedAt !== null).toBe(true);
  }
}

/** One round takes up to a second on a busy machine. */
const minutes = rounds(3, 60) * 60_000;

describe.each(databases)("an approval on $name", (engine) => {
  let service: Service;
  let world: WorkingAgent;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    world = await makeWorkingAgent(service);
    const path = `/api/v1/console/apps/${world.appId}`;
    await service.request("PATCH", path, { headers: world.person, body: { approvalHours: 1 } });
  });
  afterAll(() => service.stop());

  it(
    "is always right, in any order of the actions of three agents and two people",
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (taken) => {
          const scene = await begin(service, world);
          await scene.take({ kind: "propose", who: 0, back: 0 });
          for (const step of taken) await scene.take(step);
          await compare(world, scene.model);
        }),
        { numRuns: rounds(engine.name === "postgres" ? 10 : 30, 600) },
      );
    },
    minutes,
  );
});
