import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { messages } from "../../../server/feedback/messages/store.ts";
import { issuesOf } from "../../support/service/issues.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

const unknownId = "00000000-0000-4000-8000-000000000000";

describe("a proposal of one of several agents", () => {
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

  it("is refused with 409, which names the newest proposal, if it expects another newest proposal", async () => {
    const text = { summary: "Guard it.", plan: "1. Check." };
    const first = await post({ ...text, expectedRunId: null });
    expect(first.status).toBe(201);
    const runId = first.field("runId");
    for (const expectedRunId of [null, unknownId]) {
      const refused = await post({ ...text, expectedRunId });
      expect(refused).toMatchObject({ status: 409, body: { code: "run_superseded", runId } });
    }
    expect((await poll(runId)).body).toMatchObject({ status: "awaiting_approval" });
    const second = await post({ ...text, expectedRunId: runId.toUpperCase() });
    expect(second.status).toBe(201);
    expect((await poll(runId)).body).toMatchObject({ replacedBy: second.field("runId") });
    expect(issuesOf(await post({ ...text, expectedRunId: "seven" }))).toEqual([
      "expectedRunId: must be a UUID",
    ]);
  });

  it("is posted once if two agents expect the same newest proposal, and the other proposal is refused", async () => {
    let newest: string | null = null;
    for (let round = 0; round < 10; round += 1) {
      const text = { summary: `Round ${round}.`, plan: "1. Check.", expectedRunId: newest };
      const answers: Answer[] = await Promise.all([post(text), post({ ...text, plan: "1. Other." })]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
      const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
      expect(lost?.field("runId")).toBe(won?.field("runId"));
      newest = won?.field("runId") ?? null;
    }
  });

  it("is in the audit of the thread's owner with the token that created it", async () => {
    const runId = await propose(service, cast, id);
    const { body } = await service.request("GET", "/api/v1/console/audit", { headers: cast.person });
    expect(body).toMatchObject({
      items: [
        {
          action: "run.propose",
          appId: cast.appId,
          target: runId,
          actor: expect.stringMatching(/^agent, token [0-9a-f-]{36}$/),
          address: expect.any(String),
        },
      ],
    });
  });
});

describe("a thread that an agent reads", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it("has the author of each message: the sender, the team or an agent", async () => {
    const cast = await makeAppWithAgent(service);
    const id = await submitFeedback(service, cast, { dedupeKey: "crash" });
    await submitFeedback(service, cast, { dedupeKey: "crash", message: "Again." });
    for (const direction of ["note", "outbound"]) {
      const body = { direction, body: `Our ${direction}.` };
      const path = `/api/v1/console/feedback/${id}/messages`;
      expect((await service.request("POST", path, { headers: cast.person, body })).status).toBe(201);
    }
    await propose(service, cast, id);
    const { body } = await service.request("GET", `/api/v1/agent/feedback/${id}`, { headers: cast.agent });
    expect(body).toMatchObject({
      omittedMessages: 0,
      messages: [
        { direction: "inbound", author: "sender" },
        { direction: "note", author: "team", body: "Our note." },
        { direction: "outbound", author: "team" },
        { direction: "note", author: "agent" },
      ],
    });
  });

  it("says how many older messages the answer leaves out", async () => {
    const cast = await makeAppWithAgent(service);
    const id = await submitFeedback(service, cast);
    await service.deps.database.write(async (tx) => {
      for (let n = 0; n < 520; n += 1) {
        const createdAt = new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString();
        const message = {
          id: service.deps.newId(),
          feedbackId: id,
          direction: "inbound",
          body: "x",
        } as const;
        await messages.insert(tx, { ...message, createdAt });
      }
    });
    const { body } = await service.request("GET", `/api/v1/agent/feedback/${id}`, { headers: cast.agent });
    expect(body).toMatchObject({ omittedMessages: 20, messages: { length: 500 } });
  });
});
