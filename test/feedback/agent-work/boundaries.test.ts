import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf, endpoints, titleOf, unknownId } from "../../support/service/endpoints.ts";
import { refusal } from "../../support/service/refusals.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeWorkingAgent, type WorkingAgent } from "../../support/worlds/agents/approved-proposal.ts";

const forAgents = endpoints.map(([, endpoint]) => endpoint).filter(({ auth }) => auth === "agentToken");
const ofOneThing = forAgents.filter(({ path }) => path.includes(":"));
const ofWork = forAgents.filter(({ scope }) => scope === "runs:work");
const titled = <T extends Parameters<typeof titleOf>[0]>(list: readonly T[]) =>
  list.map((endpoint) => [titleOf(endpoint), endpoint] as const);

const bodies: Readonly<Record<string, object>> = {
  proposal: { summary: "Take over.", plan: "1. Delete." },
  claim: { worker: "thief" },
  progress: { claimId: unknownId, text: "Half way." },
  outcome: { claimId: unknownId, status: "succeeded", summary: "Done." },
};
const bodyFor = (path: string) => bodies[path.split("/").at(-1) ?? ""] ?? {};

describe("an agent's token", () => {
  let service: Service;
  let world: WorkingAgent;
  let ids: Readonly<Record<string, string>>;
  let strangers: Readonly<Record<string, Record<string, string>>>;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    world = await makeWorkingAgent(service);
    const thread = await world.newThread();
    ids = { id: thread, feedbackId: thread, runId: await world.approved(thread) };
    const sister = await service.makeApp(world.owner);
    const limited = { scopes: ["runs:work"], appId: sister.id };
    const token = await service.makeToken(world.owner, "agent", limited);
    strangers = {
      "of another owner": (await makeWorkingAgent(service)).agent,
      "of another app of the owner": { authorization: `Bearer ${token}` },
    };
  });
  afterAll(() => service.stop());

  const call = (
    endpoint: Parameters<typeof addressOf>[0] & { readonly method: string },
    headers: Record<string, string>,
    of: Readonly<Record<string, string>> = ids,
  ) =>
    service.request(endpoint.method, addressOf(endpoint, of), {
      headers,
      ...(endpoint.method === "GET" ? {} : { body: bodyFor(endpoint.path) }),
    });

  describe.each(["of another owner", "of another app of the owner"])("%s", (whose) => {
    const stranger = () => strangers[whose] ?? {};

    it.each(titled(ofOneThing))("gets the same answer from %s as for an unknown id", async (_, endpoint) => {
      const answer = await call(endpoint, stranger());
      expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
      expect(answer.text).toBe((await call(endpoint, stranger(), {})).text);
    });

    it.each(["/api/v1/agent/feedback", "/api/v1/agent/runs"])(
      "finds no thread and no proposal with %s",
      async (path) => {
        expect((await service.request("GET", path, { headers: stranger() })).body).toMatchObject({
          items: [],
        });
      },
    );

    it("gets no changes with the changes token of the owner's agent", async () => {
      const path = "/api/v1/agent/feedback";
      const { changes } = listIn((await service.request("GET", path, { headers: world.agent })).body);
      const thread = await world.newThread();
      const query = `?${new URLSearchParams({ changedAfter: changes })}`;
      const own = await service.request("GET", path + query, { headers: world.agent });
      expect(own.text).toContain(thread);
      const theirs = await service.request("GET", path + query, { headers: stranger() });
      expect([theirs.status, theirs.body]).toMatchObject([200, { items: [] }]);
    });

    it("does not get the stored answer of the owner's agent with the same Idempotency-Key", async () => {
      const runId = await world.approved();
      const key = { "idempotency-key": `claim-${whose}` };
      const own = await world.claim(runId, "one", { ...world.agent, ...key });
      expect(own.status).toBe(200);
      expect(
        (await world.claim(runId, "one", { ...world.agent, ...key })).headers.get("idempotent-replay"),
      ).toBe("true");
      const theirs = await world.claim(runId, "one", { ...stranger(), ...key });
      expect(theirs).toMatchObject(refusal(404, "not_found"));
      expect(theirs.headers.get("idempotent-replay")).toBeNull();
    });
  });

  it("does not get the stored answer that another token of the same owner has for the same Idempotency-Key", async () => {
    const runId = await world.approved();
    const key = { "idempotency-key": "one key, two tokens" };
    await world.claim(runId, "one", { ...world.agent, ...key });
    const other = await world.claim(runId, "one", { ...(await world.makeAgent()), ...key });
    expect(other).toMatchObject(refusal(409, "run_claimed"));
  });

  it("claims each of two proposals with the same Idempotency-Key", async () => {
    const runs = [await world.approved(), await world.approved()];
    const headers = { ...world.agent, "idempotency-key": "one key, two proposals" };
    const claims = [];
    for (const runId of runs) claims.push((await world.claim(runId, "one", headers)).field("run.id"));
    expect(claims).toEqual(runs);
  });

  it.each(titled(ofWork))("cannot call %s if it has no scopes", async (_, endpoint) => {
    const answer = await call(endpoint, await world.makeAgent([]));
    expect(answer).toMatchObject(refusal(403, "insufficient_scope"));
  });

  it("can read and propose if it has no scopes", async () => {
    const headers = await world.makeAgent([]);
    expect((await world.poll(ids.runId ?? "", headers)).status).toBe(200);
    const path = `/api/v1/agent/feedback/${await world.newThread()}/proposal`;
    const answer = await service.request("POST", path, { headers, body: bodies.proposal });
    expect(answer.status).toBe(201);
  });
});

function listIn(body: unknown): { readonly changes: string } {
  const changes = typeof body === "object" && body !== null && "changes" in body ? body.changes : undefined;
  return { changes: String(changes) };
}
