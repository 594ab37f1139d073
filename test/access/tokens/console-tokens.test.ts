import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("tokens in the console's API", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  const make = (body: object) => world.call("POST", "/tokens", { label: "A token", ...body });
  const get = (path: string, token: string) =>
    service.request("GET", `/api/v1${path}`, { headers: bearer(token) });

  it("of agents can read the owner's threads, but nothing else in the console", async () => {
    const answer = await make({ kind: "agent" });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      kind: "agent",
      scopes: [],
      appId: null,
      createdBy: world.owner.email,
    });
    const token = answer.field("token");
    expect(token).toMatch(/^sda_[\dA-Za-z]{38}$/);
    expect((await get(`/agent/feedback/${world.threadId}`, token)).status).toBe(200);
    expect((await get("/console/apps", token)).status).toBe(401);
  });

  it("of scripts can do what their scopes allow, and their answers name the scopes", async () => {
    const answer = await make({ kind: "maintainer", scopes: ["feedback:read", "apps:read", "apps:read"] });
    expect(answer.body).toMatchObject({ kind: "maintainer", scopes: ["feedback:read", "apps:read"] });
    const token = answer.field("token");
    expect(token).toMatch(/^sdm_/);
    expect((await get("/console/me", token)).body).toEqual({
      user: { id: world.owner.id, email: world.owner.email, name: null },
      scopes: ["feedback:read", "apps:read"],
      app: null,
      tokenId: answer.field("id"),
    });
    expect((await get(`/console/feedback/${world.threadId}`, token)).status).toBe(200);
  });

  it("have the one app that they are limited to in their description, with any scopes", async () => {
    const app = await service.makeApp(world.owner, { name: "Larder" });
    const answer = await make({ kind: "maintainer", scopes: ["changelog:write"], appId: app.id });
    const token = answer.field("token");
    expect((await get("/console/me", token)).body).toMatchObject({ app: { id: app.id, name: "Larder" } });
    expect((await get("/console/apps", token)).status).toBe(403);
  });

  it.each([
    ["a maintainer token without scopes", { kind: "maintainer" }],
    ["a maintainer token of empty scopes", { kind: "maintainer", scopes: [] }],
    ["an agent token with scopes of scripts", { kind: "agent", scopes: ["apps:read"] }],
    [
      "a maintainer token with the scope of agents",
      { kind: "maintainer", scopes: ["apps:read", "runs:work"] },
    ],
  ])("cannot be created as %s", async (_, body) => {
    const answer = await make(body);
    expect(answer.status).toBe(400);
    expect(answer.field("issues.0.path")).toBe("scopes");
  });

  it("cannot be created for another owner's app", async () => {
    const foreign = await service.makeApp();
    expect((await make({ kind: "agent", appId: foreign.id })).status).toBe(404);
  });

  it("that are limited to one app see no thread of another app", async () => {
    const other = await service.makeApp(world.owner);
    const token = (await make({ kind: "agent", appId: other.id })).field("token");
    expect((await get(`/agent/feedback/${world.threadId}`, token)).status).toBe(404);
  });

  it("are listed without their secret", async () => {
    const token = (await make({ kind: "agent", label: "Bot" })).field("token");
    const list = await world.call("GET", "/tokens");
    expect(list.body).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ label: "Bot" })]),
    });
    expect(list.text).not.toContain(token);
    expect(JSON.stringify(await service.deps.database.all("SELECT * FROM tokens"))).not.toContain(token);
  });

  it("become invalid immediately when they are revoked", async () => {
    const made = await make({ kind: "maintainer", scopes: ["apps:read"] });
    expect((await get("/console/apps", made.field("token"))).status).toBe(200);
    expect((await world.call("DELETE", `/tokens/${made.field("id")}`)).status).toBe(204);
    expect((await get("/console/apps", made.field("token"))).field("code")).toBe("invalid_token");
    expect((await world.call("DELETE", `/tokens/${made.field("id")}`)).status).toBe(404);
  });

  const revoke = (id: string, token: string) =>
    service.request("DELETE", `/api/v1/console/tokens/${id}`, { headers: bearer(token) });
  const script = async (scopes: readonly string[], appId: string | null = null) => {
    const made = await make({ kind: "maintainer", scopes, appId });
    return { id: made.field("id"), token: made.field("token") };
  };
  const idsSeenBy = async (token: string): Promise<string[]> =>
    Object((await get("/console/tokens", token)).body).items.map(({ id }: { id: string }) => id);

  it("can be listed by a script with apps:read, and revoked by a script with apps:write", async () => {
    const [reader, writer, other] = [
      await script(["apps:read"]),
      await script(["apps:write"]),
      await script(["testing:manage"]),
    ];
    expect(await idsSeenBy(reader.token)).toEqual(expect.arrayContaining([writer.id, other.id]));
    expect((await revoke(other.id, reader.token)).field("code")).toBe("insufficient_scope");
    expect((await revoke(other.id, writer.token)).status).toBe(204);
    expect((await get("/console/me", other.token)).field("code")).toBe("invalid_token");
  });

  it("that are limited to one app can list and revoke only tokens of that app", async () => {
    const [app, sister] = [await service.makeApp(world.owner), await service.makeApp(world.owner)];
    const scopes = ["apps:read", "apps:write"];
    const [limited, same] = [await script(scopes, app.id), await script(scopes, app.id)];
    const foreign = [await script(scopes, sister.id), await script(scopes)];
    expect(await idsSeenBy(limited.token)).toEqual([limited.id, same.id]);
    for (const { id } of foreign) expect((await revoke(id, limited.token)).field("code")).toBe("not_found");
    expect((await revoke(same.id, limited.token)).status).toBe(204);
    for (const { token } of foreign) expect((await get("/console/me", token)).status).toBe(200);
  });

  it("can revoke themselves whatever their scopes, and are then invalid", async () => {
    const [own, other] = [await script(["changelog:write"]), await script(["changelog:write"])];
    expect((await revoke(other.id, own.token)).field("code")).toBe("insufficient_scope");
    expect((await revoke(own.id, own.token)).status).toBe(204);
    expect((await revoke(own.id, own.token)).field("code")).toBe("invalid_token");
    expect((await get("/console/me", other.token)).status).toBe(200);
  });

  it("have the hour of their last use", async () => {
    const made = await make({ kind: "agent" });
    await get(`/agent/feedback/${world.threadId}`, made.field("token"));
    const hour = `${service.clock.now().toISOString().slice(0, 13)}:00:00.000Z`;
    await expect
      .poll(async () => (await world.call("GET", "/tokens")).body)
      .toMatchObject({
        items: expect.arrayContaining([expect.objectContaining({ id: made.field("id"), lastUsedAt: hour })]),
      });
  });
});
