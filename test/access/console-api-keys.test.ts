import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Service, startService } from "../support/service/service.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../support/worlds/owner-with-one-of-each.ts";

describe("app keys", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let keys: string;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    keys = `/apps/${(await service.makeApp(world.owner)).id}/keys`;
  });
  afterAll(() => service.stop());

  const make = (body: unknown = {}) => world.call("POST", keys, body);
  const use = (key: string, method = "GET") =>
    service.request(method, "/api/v1/faqs/remote", {
      headers: { "x-api-key": key },
      ...(method === "POST" ? { body: { question: "Q?", answer: "A." } } : {}),
    });

  it("are shown once after their creation", async () => {
    const answer = await make({ label: "CI" });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ label: "CI", kind: "full", lastUsedAt: null });
    const key = answer.field("key");
    expect(key).toMatch(/^sdk_[\dA-Za-z]{38}$/);
    expect(key.startsWith(answer.field("prefix"))).toBe(true);
    const list = await world.call("GET", keys);
    expect(list.text).not.toContain(key);
    expect(list.text).toContain(answer.field("id"));
  });

  it("are stored only as a hash", async () => {
    const key = (await make()).field("key");
    expect(JSON.stringify(await service.deps.database.all("SELECT * FROM app_keys"))).not.toContain(key);
  });

  it("give access to the app's endpoints, even if the app has several keys", async () => {
    const [first, second] = [await make(), await make()];
    expect((await use(first.field("key"))).status).toBe(200);
    expect((await use(second.field("key"))).status).toBe(200);
  });

  it("of the kind intake can read the FAQ but cannot write it", async () => {
    const key = (await make({ kind: "intake" })).field("key");
    expect((await use(key)).status).toBe(200);
    expect((await use(key, "POST")).field("code")).toBe("insufficient_scope");
  });

  it("become invalid immediately when they are regenerated, and keep their id and label", async () => {
    const old = await make({ label: "CI" });
    expect((await use(old.field("key"))).status).toBe(200);
    const fresh = await world.call("POST", `${keys}/${old.field("id")}/regenerate`);
    expect(fresh.status).toBe(201);
    expect(fresh.body).toMatchObject({ id: old.field("id"), label: "CI", kind: "full" });
    expect((await use(old.field("key"))).field("code")).toBe("invalid_api_key");
    expect((await use(fresh.field("key"))).status).toBe(200);
  });

  it("become invalid immediately when they are revoked", async () => {
    const key = await make();
    await use(key.field("key"));
    expect((await world.call("DELETE", `${keys}/${key.field("id")}`)).status).toBe(204);
    expect((await use(key.field("key"))).field("code")).toBe("invalid_api_key");
    expect((await world.call("DELETE", `${keys}/${key.field("id")}`)).status).toBe(404);
  });

  it("can be revoked by a script with apps:write, but not created or replaced", async () => {
    const token = await service.makeToken(world.owner, "maintainer", { scopes: ["apps:read", "apps:write"] });
    const send = (method: string, path: string) =>
      service.request(method, `/api/v1/console${path}`, { headers: bearer(token), body: {} });
    const key = await make();
    expect((await send("POST", keys)).field("code")).toBe("sign_in_required");
    expect((await send("POST", `${keys}/${key.field("id")}/regenerate`)).status).toBe(401);
    expect((await send("DELETE", `${keys}/${key.field("id")}`)).status).toBe(204);
    expect((await use(key.field("key"))).field("code")).toBe("invalid_api_key");
  });

  it("of another app are not found under this app", async () => {
    const other = await service.makeApp(world.owner);
    const id = (await make()).field("id");
    expect((await world.call("DELETE", `/apps/${other.id}/keys/${id}`)).status).toBe(404);
    expect((await world.call("POST", `/apps/${other.id}/keys/${id}/regenerate`)).status).toBe(404);
  });

  it("are created once by a repeated request, and the stored response is encrypted", async () => {
    const headers = { ...world.headers, "Idempotency-Key": keys };
    const send = () => service.request("POST", `/api/v1/console${keys}`, { headers, body: {} });
    const [first, second] = [await send(), await send()];
    expect(second.headers.get("idempotent-replay")).toBe("true");
    expect(second.body).toEqual(first.body);
    const stored = await service.deps.database.all("SELECT * FROM idempotency");
    expect(JSON.stringify(stored)).not.toContain(first.field("key"));
  });
});
