import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { maintainerScopes, tokenScopes } from "../../../src/contract/endpoint.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { newListing } from "../../support/worlds/listing-and-slot-activity.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { bearer, propose, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("the members of an app on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  const rolesOf = async ({ call, app }: Team) => (await call("GET", `/apps/${app.id}/members`)).body;

  it("are listed to an owner, the oldest membership first", async () => {
    const team = await makeTeam(service);
    service.clock.advance(1_000);
    const viewer = await team.join("viewer");
    expect(await rolesOf(team)).toMatchObject({
      items: [
        { userId: team.owner.id, email: team.owner.email, role: "owner" },
        { userId: viewer.id, email: viewer.email, role: "viewer" },
      ],
    });
  });

  it("get another role from an owner, which is valid for the next request", async () => {
    const team = await makeTeam(service);
    const member = await team.join("viewer");
    const rename = () => member.call("POST", `${team.at}/faqs`, { question: "Why?", answer: "So." });
    expect((await rename()).status).toBe(403);
    const changed = await team.call("PATCH", `/apps/${team.app.id}/members/${member.id}`, {
      role: "maintainer",
    });
    expect(changed).toMatchObject({ status: 200, body: { userId: member.id, role: "maintainer" } });
    expect((await rename()).status).toBe(201);
  });

  it("appear in the audit with all changes, which owners can read", async () => {
    const team = await makeTeam(service);
    const member = await team.join("viewer");
    await team.call("PATCH", `/apps/${team.app.id}/members/${member.id}`, { role: "owner" });
    await team.call("DELETE", `/apps/${team.app.id}/members/${member.id}`);
    const { body } = await team.call("GET", `/audit?appId=${team.app.id}`);
    expect(body).toMatchObject({
      items: [
        { action: "member.delete", target: member.id, actor: team.owner.email, appId: team.app.id },
        { action: "member.update", target: member.id, actor: team.owner.email, appId: team.app.id },
      ],
    });
  });

  it("include an owner at all times: the last owner cannot leave and cannot get a lower role", async () => {
    const team = await makeTeam(service);
    await team.join("maintainer");
    const own = `/apps/${team.app.id}/members/${team.owner.id}`;
    for (const attempt of [
      () => team.call("PATCH", own, { role: "maintainer" }),
      () => team.call("DELETE", own),
    ])
      expect(await attempt()).toMatchObject({ status: 409, body: { code: "last_owner" } });
    expect(await rolesOf(team)).toMatchObject({ items: [{ role: "owner" }, {}] });
  });

  it("still include an owner if both of two owners leave at the same time", async () => {
    const team = await makeTeam(service);
    const other = await team.join("owner");
    const answers = await Promise.all([
      team.call("DELETE", `/apps/${team.app.id}/members/${team.owner.id}`),
      other.call("DELETE", `/apps/${team.app.id}/members/${other.id}`),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it("can take over the app: its creator leaves, and the keys and the new owner still have access", async () => {
    const team = await makeTeam(service);
    const other = await team.join("owner");
    const fromApp = () => sendFeedback(service, team.app.key);
    expect((await team.call("DELETE", `/apps/${team.app.id}/members/${team.owner.id}`)).status).toBe(204);
    expect(await fromApp()).toMatch(/^[\da-f-]{36}$/);
    expect((await other.call("PATCH", team.at, { name: "Theirs" })).status).toBe(200);
    expect((await team.call("GET", team.at)).status).toBe(404);
    expect((await team.call("GET", "/audit")).text).not.toContain(team.app.id);
    expect((await other.call("GET", "/audit")).text).toContain("member.delete");
  });

  it.each(["maintainer", "viewer"] as const)(
    "can leave as a %s, and cannot change a role as such",
    async (role) => {
      const team = await makeTeam(service);
      const member = await team.join(role);
      const colleague = await team.join("viewer");
      const raise = await member.call("PATCH", `/apps/${team.app.id}/members/${member.id}`, {
        role: "owner",
      });
      const remove = await member.call("DELETE", `/apps/${team.app.id}/members/${colleague.id}`);
      const unknown = await member.call("DELETE", `/apps/${team.app.id}/members/${team.app.id}`);
      expect([raise, remove, unknown].map(({ status }) => status)).toEqual([403, 403, 403]);
      expect((await member.call("DELETE", `/apps/${team.app.id}/members/${member.id}`)).status).toBe(204);
      expect((await member.call("GET", team.at)).status).toBe(404);
    },
  );

  it("are members of this app only: an owner of another app has no access to them", async () => {
    const [team, other] = [await makeTeam(service), await makeTeam(service)];
    const member = await team.join("viewer");
    const path = `/apps/${team.app.id}/members/${member.id}`;
    const mixed = `/apps/${other.app.id}/members/${member.id}`;
    expect((await other.call("PATCH", path, { role: "owner" })).status).toBe(404);
    expect((await other.call("DELETE", path)).status).toBe(404);
    expect((await other.call("PATCH", mixed, { role: "owner" })).status).toBe(404);
    expect(await rolesOf(team)).toMatchObject({ items: [{}, { role: "viewer" }] });
  });

  it("cannot be testers of their own app, whatever their role", async () => {
    const team = await makeTeam(service);
    const listing = await team.call("POST", `${team.at}/listings`, newListing);
    const startsOn = service.clock.now().toISOString().slice(0, 10);
    const planned = await team.call("POST", `/listings/${listing.field("id")}/cycles`, {
      startsOn,
      timezone: "UTC",
    });
    const viewer = await team.join("viewer");
    const slot = planned.field("slots.0.slotId");
    const assigned = await team.call("POST", `/slots/${slot}/assign`, { email: viewer.email });
    expect(assigned).toMatchObject({ status: 403, body: { code: "own_listing" } });
    const device = await service.makeDevice(viewer);
    const asked = await service.request("POST", `/api/v1/testing/slots/${slot}/request`, { headers: device });
    expect(asked).toMatchObject({ status: 403, body: { code: "own_listing" } });
    const offered = await service.request("GET", "/api/v1/testing/listings", { headers: device });
    expect(offered.text).not.toContain(slot);
  });

  describe("who are removed", () => {
    const removed = async (team: Team, id: string) =>
      expect((await team.call("DELETE", `/apps/${team.app.id}/members/${id}`)).status).toBe(204);

    it("lose access with session, tokens and connections, and keep their own apps", async () => {
      const team = await makeTeam(service);
      const member = await team.join("owner");
      const own = await service.makeApp(member);
      const threadId = await sendFeedback(service, team.app.key);
      const scopes = { scopes: maintainerScopes };
      const tokens = {
        all: bearer(await service.makeToken(member, "maintainer", scopes)),
        one: bearer(await service.makeToken(member, "maintainer", { ...scopes, appId: team.app.id })),
        agent: bearer(await service.makeToken(member, "agent", { scopes: tokenScopes })),
        agentOfOne: bearer(await service.makeToken(member, "agent", { appId: team.app.id })),
      };
      const console = `/api/v1/console/feedback/${threadId}`;
      const agent = `/api/v1/agent/feedback/${threadId}`;
      const looks: [string, Record<string, string>][] = [
        [console, member.headers],
        [console, tokens.all],
        [console, tokens.one],
        [agent, tokens.agent],
        [agent, tokens.agentOfOne],
      ];
      const statuses = async () => {
        const answers = [];
        for (const [path, headers] of looks)
          answers.push((await service.request("GET", path, { headers })).status);
        return answers;
      };
      expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
      await removed(team, member.id);
      expect(await statuses()).toEqual([404, 404, 401, 404, 401]);
      expect((await member.call("GET", `/apps/${own.id}`)).status).toBe(200);
    });

    it("do not get the stored answer to an earlier request again", async () => {
      const team = await makeTeam(service);
      const member = await team.join("maintainer");
      const threadId = await sendFeedback(service, team.app.key, { message: "A secret." });
      const repeat = () =>
        service.request("PATCH", `/api/v1/console/feedback/${threadId}`, {
          headers: { ...member.headers, "idempotency-key": "once" },
          body: { status: "resolved" },
        });
      expect((await repeat()).text).toContain("A secret.");
      expect((await repeat()).headers.get("idempotent-replay")).toBe("true");
      await team.call("PATCH", `/apps/${team.app.id}/members/${member.id}`, { role: "viewer" });
      expect(await repeat()).toMatchObject({ status: 403, body: { code: "forbidden" } });
      await removed(team, member.id);
      expect(await repeat()).toMatchObject({ status: 404, body: { code: "not_found" } });
    });

    it("get the stored answer to the request by which they left", async () => {
      const team = await makeTeam(service);
      const member = await team.join("viewer");
      const leave = () =>
        service.request("DELETE", `/api/v1/console/apps/${team.app.id}/members/${member.id}`, {
          headers: { ...member.headers, "idempotency-key": "bye" },
        });
      expect([(await leave()).status, (await leave()).status]).toEqual([204, 204]);
    });

    it("get no answer to a request that waits", async () => {
      const team = await makeTeam(service);
      const member = await team.join("owner");
      const agent = await service.makeToken(member, "agent");
      const runId = await propose(service, agent, await sendFeedback(service, team.app.key));
      const waiting = service.request("GET", `/api/v1/agent/runs/${runId}?wait=55`, {
        headers: bearer(agent),
      });
      await removed(team, member.id);
      expect(await waiting).toMatchObject({ status: 404 });
    });
  });

  it("who are no longer owners have no agents in the app", async () => {
    const team = await makeTeam(service);
    const member = await team.join("owner");
    const one = bearer(await service.makeToken(member, "agent", { appId: team.app.id }));
    const all = bearer(await service.makeToken(member, "agent"));
    await team.call("PATCH", `/apps/${team.app.id}/members/${member.id}`, { role: "maintainer" });
    const list = (headers: Record<string, string>) =>
      service.request("GET", "/api/v1/agent/feedback", { headers });
    expect((await list(one)).status).toBe(401);
    await sendFeedback(service, team.app.key);
    expect((await list(all)).body).toMatchObject({ items: [] });
  });

  it.each(["maintainer", "viewer"] as const)("cannot create an agent token as a %s", async (role) => {
    const team = await makeTeam(service);
    const member = await team.join(role);
    const token = { kind: "agent", label: "Mine", appId: team.app.id };
    expect(await member.call("POST", "/tokens", token)).toMatchObject({ status: 403 });
    const script = { kind: "maintainer", label: "Mine", appId: team.app.id, scopes: ["feedback:read"] };
    expect((await member.call("POST", "/tokens", script)).status).toBe(201);
  });
});
