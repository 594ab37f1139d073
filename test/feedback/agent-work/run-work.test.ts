import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashOf } from "../../../server/secrets/secrets.ts";
import { databases } from "../../support/database/databases.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { refusal } from "../../support/service/refusals.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeWorkingAgent, type WorkingAgent } from "../../support/worlds/agents/approved-proposal.ts";

const instantForm = /^\d{4}-.+\.\d{3}Z$/;
const someId = "00000000-0000-4000-8000-000000000000";

describe.each(databases)("work on approved proposals on $name", (engine) => {
  let service: Service;
  let world: WorkingAgent;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeWorkingAgent(service);
  });
  afterAll(() => service.stop());

  const claimed = async (worker = "one") => {
    const runId = await world.approved();
    return { runId, claimId: (await world.claim(runId, worker)).field("claimId") };
  };

  describe("POST /api/v1/agent/runs/{runId}/claim", () => {
    it("returns the claim to the first worker, with the approved plan", async () => {
      const runId = await world.approved();
      const answer = await world.claim(runId, "build-7");
      const claimedAt = expect.stringMatching(instantForm);
      const claim = { worker: "build-7", claimedAt, releasedAt: null };
      expect(answer).toMatchObject({
        status: 200,
        body: {
          claimId: expect.stringMatching(/^[\da-f-]{36}$/),
          worker: "build-7",
          claimedAt,
          run: { id: runId, claim },
        },
      });
      expect(answer.field("run.planSha256")).toBe(hashOf(answer.field("run.plan")));
      expect((await world.poll(runId)).body).toMatchObject({
        status: "approved",
        decision: "approve",
        claim,
      });
    });

    it("returns the same claim to the same worker again", async () => {
      const runId = await world.approved();
      const first = await world.claim(runId);
      service.clock.advance(60_000);
      expect((await world.claim(runId)).body).toEqual(first.body);
    });

    it("is refused to each other worker and each other token", async () => {
      const { runId } = await claimed();
      expect(await world.claim(runId, "two")).toMatchObject(refusal(409, "run_claimed"));
      expect(await world.claim(runId, "one", await world.makeAgent())).toMatchObject(
        refusal(409, "run_claimed"),
      );
    });

    it("shows the id of the claim only to its worker", async () => {
      const { runId, claimId } = await claimed();
      expect((await world.poll(runId, await world.makeAgent())).text).not.toContain(claimId);
    });

    it.each([undefined, "reject", "request_changes"])(
      "is refused for a proposal with the decision %s",
      async (decision) => {
        const runId = await world.proposeOn(await world.newThread());
        if (decision) await world.decide(runId, { decision, note: "Not like this." });
        expect(await world.claim(runId)).toMatchObject(refusal(409, "wrong_state"));
      },
    );

    it("is refused, and names the newer proposal, if a newer proposal of the thread was approved", async () => {
      const threadId = await world.newThread();
      const older = await world.approved(threadId);
      const newer = await world.approved(threadId);
      expect(await world.claim(older)).toMatchObject({
        ...refusal(409, "run_superseded"),
        body: { runId: newer },
      });
      await world.order(newer, "recall");
      expect(await world.claim(older)).toMatchObject({ body: { code: "run_superseded", runId: newer } });
    });

    it("is allowed while a newer proposal of the thread waits for a decision", async () => {
      const threadId = await world.newThread();
      const runId = await world.approved(threadId);
      await world.proposeOn(threadId);
      expect(await world.claim(runId)).toMatchObject({ status: 200 });
    });

    it("needs the scope runs:work", async () => {
      const runId = await world.approved();
      const reader = await world.makeAgent([]);
      const requests: [string, object][] = [
        [`/api/v1/agent/runs/${runId}/claim`, { worker: "one" }],
        [`/api/v1/agent/runs/${runId}/progress`, { claimId: someId, text: "Half." }],
        [`/api/v1/agent/runs/${runId}/outcome`, { claimId: someId, status: "failed", summary: "No." }],
      ];
      for (const [path, body] of requests)
        expect(await service.request("POST", path, { headers: reader, body })).toMatchObject(
          refusal(403, "insufficient_scope"),
        );
      expect((await world.poll(runId, reader)).body).toMatchObject({ status: "approved", claim: null });
    });

    it("finds no proposal of another owner", async () => {
      const runId = await world.approved();
      const stranger = await makeWorkingAgent(service);
      expect(await stranger.claim(runId)).toMatchObject(refusal(404, "not_found"));
      expect(await world.claim(someId)).toMatchObject(refusal(404, "not_found"));
    });

    it("names all faults of its fields in one answer", async () => {
      const answer = await world.work(await world.approved(), "claim", { worker: " " });
      expect(issuesOf(answer)).toEqual(["worker: must not be empty"]);
    });
  });

  describe("POST /api/v1/agent/runs/{runId}/progress", () => {
    it("stores the progress with its time, and the console shows the newest one", async () => {
      const { runId, claimId } = await claimed();
      await world.work(runId, "progress", { claimId, text: "Read the code." });
      const reportedAt = expect.stringMatching(instantForm);
      const progress = { text: "Found it.", reportedAt, count: 2 };
      const answer = await world.work(runId, "progress", { claimId, text: " Found it. " });
      expect(answer).toMatchObject({ status: 200, body: progress });
      expect((await world.poll(runId)).body).toMatchObject({ progress, outcome: null });
    });

    it("is accepted 100 times for a claim, and refused after that", async () => {
      const { runId, claimId } = await claimed();
      const answers = await Promise.all(
        Array.from({ length: 103 }, (_, n) => world.work(runId, "progress", { claimId, text: `Step ${n}` })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
      expect(answers.filter(({ status }) => status === 409).map((answer) => answer.field("code"))).toEqual(
        Array(3).fill("wrong_state"),
      );
      expect((await world.poll(runId)).body).toMatchObject({ progress: { count: 100 } });
    });

    it("needs a claim of this account on this proposal", async () => {
      const { runId, claimId } = await claimed();
      const other = await claimed();
      const report = (id: string, headers = world.agent) =>
        world.work(runId, "progress", { claimId: id, text: "Half." }, headers);
      expect(await report(someId)).toMatchObject(refusal(404, "not_found"));
      expect(await report(other.claimId)).toMatchObject(refusal(404, "not_found"));
      expect(await report(claimId, await world.makeAgent())).toMatchObject({ status: 200 });
      const stranger = await makeWorkingAgent(service);
      expect(await report(claimId, stranger.agent)).toMatchObject(refusal(404, "not_found"));
    });
  });

  describe("POST /api/v1/agent/runs/{runId}/outcome", () => {
    const done = { status: "succeeded", summary: "It opens once.", links: ["https://git.example/pull/3"] };

    it("is shown with the proposal and as an internal note, and does not change the thread", async () => {
      const threadId = await world.newThread();
      const runId = await world.approved(threadId);
      const claimId = (await world.claim(runId)).field("claimId");
      const outcome = { ...done, reportedAt: expect.stringMatching(instantForm) };
      const answer = await world.work(runId, "outcome", { claimId, ...done });
      expect(answer).toMatchObject({ status: 200, body: { id: runId, status: "approved", outcome } });
      expect((await world.poll(runId)).body).toEqual(answer.body);
      const path = `/api/v1/console/feedback/${threadId}`;
      expect((await service.request("GET", path, { headers: world.person })).body).toMatchObject({
        feedback: { status: "open" },
        messages: [
          { direction: "note", author: "agent" },
          {
            direction: "note",
            author: "agent",
            body: "An agent reports: succeeded\n\nIt opens once.\n\nhttps://git.example/pull/3",
          },
        ],
      });
    });

    it("is accepted once, even if two are sent at the same time, and refuses further progress", async () => {
      const { runId, claimId } = await claimed();
      const answers = await Promise.all(
        ["succeeded", "failed"].map((status) =>
          world.work(runId, "outcome", { claimId, status, summary: "Done." }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(await world.work(runId, "progress", { claimId, text: "More." })).toMatchObject(
        refusal(409, "wrong_state"),
      );
      expect(await world.order(runId, "release")).toMatchObject(refusal(409, "wrong_state"));
    });

    it("names all faults of its fields in one answer", async () => {
      const { runId, claimId } = await claimed();
      const links = ["javascript:alert(1)"];
      const answer = await world.work(runId, "outcome", { claimId, status: "ok", summary: "", links });
      expect(
        issuesOf(answer)
          .map((issue) => issue.split(":")[0])
          .sort(),
      ).toEqual(["links.0", "status", "summary"]);
      const withPassword = ["https://git.example:token@other.example/", "https://token@git.example/1"];
      const secrets = await world.work(runId, "outcome", { claimId, ...done, links: withPassword });
      expect(issuesOf(secrets).map((issue) => issue.split(":")[0])).toEqual(["links.0", "links.1"]);
      const many = Array(11).fill("https://git.example/1");
      const tooMany = await world.work(runId, "outcome", { claimId, ...done, links: many });
      expect(issuesOf(tooMany).map((issue) => issue.split(":")[0])).toEqual(["links"]);
    });
  });

  it("returns the stored claim for its Idempotency-Key for 24 hours", async () => {
    const { approved, claim, agent } = await makeWorkingAgent(service);
    const runId = await approved();
    const keyed = { ...agent, "idempotency-key": "for a day" };
    const first = await claim(runId, "one", keyed);
    service.clock.advance(86_399_000);
    const again = await claim(runId, "one", keyed);
    expect(again.headers.get("idempotent-replay")).toBe("true");
    expect(again.body).toEqual(first.body);
  });

  it("is carried out once if a second request has the same Idempotency-Key", async () => {
    const runId = await world.approved();
    const keyed = { ...world.agent, "idempotency-key": "once" };
    const first = await world.claim(runId, "one", keyed);
    const again = await world.claim(runId, "one", keyed);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replay")).toBe("true");
    const claimId = first.field("claimId");
    for (const [verb, body] of [
      ["progress", { claimId, text: "Half." }],
      ["outcome", { claimId, status: "succeeded", summary: "Done." }],
    ] as const) {
      const [one, two] = [
        await world.work(runId, verb, body, keyed),
        await world.work(runId, verb, body, keyed),
      ];
      expect(one.status).toBe(200);
      expect(two.body).toEqual(one.body);
    }
    expect((await world.poll(runId)).body).toMatchObject({ progress: { count: 1 } });
  });
});
