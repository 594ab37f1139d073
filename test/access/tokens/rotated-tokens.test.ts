import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { refusal } from "../../support/service/refusals.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeWorkingAgent, type WorkingAgent } from "../../support/worlds/agents/approved-proposal.ts";

const minutes = 60_000;
const path = "/api/v1/console/tokens";

describe.each(databases)("tokens with an end or a new secret on $name (rules K31, K32)", (engine) => {
  let service: Service;
  let world: WorkingAgent;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeWorkingAgent(service);
  });
  afterAll(() => service.stop());

  const make = (more: object = {}) =>
    service.request("POST", path, {
      headers: world.person,
      body: { kind: "agent", label: "worker", scopes: ["runs:work"], ...more },
    });
  const rotate = (id: string, body: object = {}, headers: Record<string, string> = world.person) =>
    service.request("POST", `/api/v1/console/tokens/${id}/rotate`, { headers, body });
  const headersOf = (token: string) => ({ authorization: `Bearer ${token}` });
  const list = async (token: string) =>
    (await service.request("GET", "/api/v1/agent/feedback", { headers: headersOf(token) })).status;

  it("get the new secret immediately, and keep id, label and scopes", async () => {
    const made = await make();
    const answer = await rotate(made.field("id"));
    const { token, prefix, ...rest } = Object(made.body);
    expect(answer).toMatchObject({ status: 200, body: rest });
    expect(answer.field("token")).toMatch(/^sda_/);
    expect(answer.field("prefix")).toBe(answer.field("token").slice(0, 10));
    expect([prefix, token]).not.toContain(answer.field("token"));
    expect([await list(token), await list(answer.field("token"))]).toEqual([401, 200]);
  });

  it("are valid with both secrets during the grace period, and only with the new secret afterwards", async () => {
    const made = await make();
    const [old, id] = [made.field("token"), made.field("id")];
    const next = (await rotate(id, { graceMinutes: 10 })).field("token");
    service.clock.advance(9 * minutes);
    expect([await list(old), await list(next)]).toEqual([200, 200]);
    service.clock.advance(minutes);
    expect([await list(old), await list(next)]).toEqual([401, 200]);
  });

  it("are no longer valid with the oldest secret after a second rotation", async () => {
    const made = await make();
    const first = (await rotate(made.field("id"), { graceMinutes: 60 })).field("token");
    const second = (await rotate(made.field("id"), { graceMinutes: 60 })).field("token");
    const all = [made.field("token"), first, second];
    expect(await Promise.all(all.map(list))).toEqual([401, 200, 200]);
  });

  it("keep their claims after a rotation", async () => {
    const made = await make();
    const runId = await world.approved();
    const claimId = (await world.claim(runId, "one", headersOf(made.field("token")))).field("claimId");
    const next = headersOf((await rotate(made.field("id"))).field("token"));
    expect((await world.claim(runId, "one", next)).field("claimId")).toBe(claimId);
    const done = { claimId, status: "succeeded", summary: "Done." };
    expect(await world.work(runId, "outcome", done, next)).toMatchObject({ status: 200 });
  });

  it("get a new secret only from their account in a browser", async () => {
    const id = (await make()).field("id");
    const stranger = await makeWorkingAgent(service);
    expect(await rotate(id, {}, stranger.person)).toMatchObject(refusal(404, "not_found"));
    const script = headersOf(await service.makeToken(world.owner, "maintainer", { scopes: ["apps:write"] }));
    expect(await rotate(id, {}, script)).toMatchObject(refusal(401, "sign_in_required"));
  });

  it.each([-1, 61, 1.5])("cannot have a grace period of %s minutes", async (graceMinutes) => {
    const answer = await rotate((await make()).field("id"), { graceMinutes });
    expect(issuesOf(answer).map((issue) => issue.split(":")[0])).toEqual(["graceMinutes"]);
  });

  it("are recorded in the audit", async () => {
    const id = (await make()).field("id");
    await rotate(id);
    const audit = await service.request("GET", "/api/v1/console/audit?action=token.rotate", {
      headers: world.person,
    });
    expect(audit.body).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ target: id })]),
    });
  });

  it.each(["agent", "maintainer"])(
    "of the kind %s become invalid at their end, and are listed as ended",
    async (kind) => {
      const end = new Date(service.clock.now().getTime() + 30 * minutes).toISOString();
      const scopes = kind === "agent" ? [] : ["feedback:read"];
      const made = await make({ kind, scopes, expiresAt: end });
      expect(made.body).toMatchObject({ expiresAt: end, ended: false });
      const address = kind === "agent" ? "/agent/feedback" : `/console/apps/${world.appId}/feedback`;
      const read = async () =>
        (await service.request("GET", `/api/v1${address}`, { headers: headersOf(made.field("token")) }))
          .status;
      service.clock.advance(29 * minutes);
      expect(await read()).toBe(200);
      service.clock.advance(minutes);
      expect(await read()).toBe(401);
      const listed = await service.request("GET", path, { headers: world.person });
      const item = expect.objectContaining({ id: made.field("id"), expiresAt: end, ended: true });
      expect(listed.body).toMatchObject({ items: expect.arrayContaining([item]) });
    },
  );

  it("cannot have an end in the past", async () => {
    const answer = await make({ expiresAt: service.clock.now().toISOString() });
    expect(issuesOf(answer)).toEqual(["expiresAt: must be in the future"]);
  });

  it("that have expired leave their claims to the other tokens of the account", async () => {
    const end = new Date(service.clock.now().getTime() + minutes).toISOString();
    const made = await make({ expiresAt: end });
    const runId = await world.approved();
    await world.claim(runId, "one", headersOf(made.field("token")));
    const resume = () => world.work(runId, "claim", { worker: "two", resume: true });
    expect(await resume()).toMatchObject(refusal(409, "run_claimed"));
    service.clock.advance(minutes);
    expect(await resume()).toMatchObject({ status: 200 });
  });
});
