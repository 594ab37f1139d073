import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { issuesOf } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const unknownId = "00000000-0000-4000-8000-000000000000";

describe("proposals of an agent", () => {
  let service: Service;
  let cast: AppWithAgent;
  let id: string;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
    id = await submitFeedback(service, cast);
  });
  afterAll(() => service.stop());

  const post = (body: object, thread = id) =>
    service.request("POST", `/api/v1/agent/feedback/${thread}/proposal`, { headers: cast.agent, body });
  const poll = (runId: string) =>
    service.request("GET", `/api/v1/agent/runs/${runId}`, { headers: cast.agent });
  const thread = () => service.request("GET", `/api/v1/agent/feedback/${id}`, { headers: cast.agent });

  it("are answered with 201, the status awaiting_approval and the URL to poll", async () => {
    const answer = await post({ summary: "Guard it.", plan: "1. Check." });
    expect(answer.status).toBe(201);
    const runId = answer.field("runId");
    expect(answer.body).toEqual({
      runId,
      status: "awaiting_approval",
      pollUrl: `/api/v1/agent/runs/${runId}`,
    });
  });

  it("can be polled at pollUrl: 200 with id, status, decisionNote and decidedAt", async () => {
    const pollUrl = (await post({ summary: "Guard it.", plan: "1. Check." })).field("pollUrl");
    const answer = await service.request("GET", pollUrl, { headers: cast.agent });
    expect(answer.status).toBe(200);
    const undecided = { status: "awaiting_approval", decisionNote: null, decidedAt: null, replacedBy: null };
    expect(answer.body).toEqual({
      id: pollUrl.split("/").at(-1),
      ...undecided,
      decision: null,
      feedbackId: id,
      consoleUrl: `${service.baseUrl}/console/feedback/${cast.appId}/${id}`,
      summary: "Guard it.",
      plan: "1. Check.",
      planSha256: sha256("1. Check."),
      ...{ expiresAt: null, claim: null, progress: null, outcome: null },
    });
  });

  it("show the agent, the plan, and the hash of the UTF-8 bytes of the plan", async () => {
    const plan = `1. Größe prüfen.\n2. 😀 ${"x".repeat(19_000)}`;
    const runId = (await post({ summary: "Guard it.", plan })).field("runId");
    await decide(service, cast, runId, { decision: "approve", note: "Go." });
    const approved = { id: runId, status: "approved", decision: "approve", feedbackId: id, plan };
    expect((await poll(runId)).body).toMatchObject({ ...approved, planSha256: sha256(plan) });
  });

  it("keep the spaces before the first line of the plan", async () => {
    const runId = (await post({ summary: "Guard it.", plan: "\n  - a\n  - b\n" })).field("runId");
    const plan = "  - a\n  - b";
    expect((await poll(runId)).body).toMatchObject({ plan, planSha256: sha256(plan) });
    expect((await thread()).body).toMatchObject({ latestProposal: { plan } });
  });

  it("are added to the thread as an internal note", async () => {
    await post({ summary: "Guard the upload.", plan: "1. Check its size." });
    const { body } = await thread();
    expect(body).toMatchObject({ messages: [{ direction: "note", author: "agent", createdAt: instant }] });
    expect(JSON.stringify(body)).toMatch(
      /"direction":"note","author":"agent","body":"[^"]*Guard the upload\.[^"]*1\. Check its size\./,
    );
  });

  it("change nothing else on the thread, and send nothing to the sender of the feedback", async () => {
    const before = (await thread()).body;
    await propose(service, cast, id);
    const after = (await thread()).body;
    expect(after).toHaveProperty(
      "feedback",
      Object.entries(before ?? {}).find(([key]) => key === "feedback")?.[1],
    );
    expect(JSON.stringify(after)).not.toContain('"outbound"');
  });

  it.each([
    ["approve", "approved", "Yes, but keep the old limit."],
    ["reject", "rejected", "Not now."],
  ])("are decided by a person in the console: %s", async (decision, status, note) => {
    const runId = await propose(service, cast, id);
    const answer = await decide(service, cast, runId, { decision, note });
    expect(answer.status).toBe(200);
    const decided = { id: runId, status, decisionNote: note, decidedAt: instant, replacedBy: null };
    expect(answer.body).toMatchObject({ ...decided, decision });
    expect((await poll(runId)).body).toEqual(answer.body);
    expect(await thread()).toMatchObject({ body: { latestProposal: decided } });
  });

  it("replace the pending proposal, which is then rejected with a note that says so", async () => {
    const [older, newer] = [await propose(service, cast, id), await propose(service, cast, id)];
    expect((await poll(older)).body).toMatchObject({
      id: older,
      status: "rejected",
      decision: "replaced",
      decisionNote: `Replaced by run ${newer}.`,
      decidedAt: instant,
      replacedBy: newer,
    });
    expect((await poll(newer)).body).toMatchObject({ status: "awaiting_approval", replacedBy: null });
  });

  it("cannot be decided after they were replaced: 409 already_decided", async () => {
    const [older] = [await propose(service, cast, id), await propose(service, cast, id)];
    const answer = await decide(service, cast, older, { decision: "approve" });
    expect(answer).toMatchObject({ status: 409, body: { code: "already_decided" } });
    expect((await poll(older)).body).toMatchObject({ status: "rejected" });
  });

  it.each(["approve", "reject"])(
    "are new after a decision (%s), and do not change the decided proposal",
    async (decision) => {
      const first = await propose(service, cast, id);
      await decide(service, cast, first, { decision, note: "Fine." });
      const decided = (await poll(first)).body;
      const second = await propose(service, cast, id);
      expect((await poll(second)).body).toMatchObject({ status: "awaiting_approval" });
      expect((await poll(first)).body).toEqual(decided);
      expect(await thread()).toMatchObject({ body: { latestProposal: { id: second } } });
    },
  );

  it("do not change after they are decided: 409 already_decided", async () => {
    const runId = await propose(service, cast, id);
    await decide(service, cast, runId, { decision: "approve" });
    const again = await decide(service, cast, runId, { decision: "reject" });
    expect(again).toMatchObject({ status: 409, body: { code: "already_decided" } });
    expect((await poll(runId)).body).toMatchObject({ status: "approved" });
  });

  it("of several agents at the same time leave only the latest one pending, and replace all others", async () => {
    const tokens = await Promise.all(
      Array.from({ length: 10 }, () => service.makeToken(cast.owner, "agent")),
    );
    const posted = Array.from({ length: 50 }, (_, at) =>
      propose(service, { ...cast, agent: { authorization: `Bearer ${tokens[at % 10]}` } }, id),
    );
    const polled = await Promise.all(
      (await Promise.all(posted)).map(async (runId) => (await poll(runId)).body),
    );
    const awaiting = polled.filter((run) => JSON.stringify(run).includes("awaiting_approval"));
    expect(awaiting).toHaveLength(1);
    const newest = (await thread()).field("latestProposal.id");
    expect(awaiting).toMatchObject([{ id: newest }]);
  });

  it("keep their order on the thread even if the clock was set back in between", async () => {
    const first = await propose(service, cast, id);
    service.clock.advance(-5_000);
    await decide(service, cast, first, { decision: "approve" });
    const second = await propose(service, cast, id);
    await decide(service, cast, second, { decision: "reject" });
    expect((await thread()).body).toMatchObject({ latestProposal: { id: second, status: "rejected" } });
  });

  it.each([
    ["summary", 2_000],
    ["plan", 20_000],
  ])("can have a %s of up to %d Unicode code points", async (field, most) => {
    const body = { summary: "Guard it.", plan: "1. Check." };
    for (const length of [1, most - 1, most]) {
      expect(await post({ ...body, [field]: `\n${"😀".repeat(length)} ` })).toMatchObject({ status: 201 });
    }
    const issue = `${field}: must have at most ${most} characters`;
    expect(issuesOf(await post({ ...body, [field]: "x".repeat(most + 1) }))).toEqual([issue]);
  });

  it.each([undefined, null, "", " \n", 7, ["1."], {}, "a\0", "\ud83d"])(
    "are refused with %j as summary or plan",
    async (value) => {
      const answer = await post({ summary: value, plan: value });
      expect(issuesOf(answer).map((issue) => issue.split(":", 1)[0])).toEqual(["plan", "summary"]);
      expect((await thread()).body).toMatchObject({ latestProposal: null, messages: [] });
    },
  );

  it("are refused with 404 not_found for an unknown thread", async () => {
    const answer = await post({ summary: "Guard it.", plan: "1. Check." }, unknownId);
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await poll(unknownId)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});
