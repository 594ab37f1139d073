import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashOf } from "../../server/secrets/secrets.ts";
import { sharedDatabases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { unknownId } from "../support/service/endpoints.ts";
import { type Service, startService } from "../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";

const runPath = `/api/v1/agent/runs/${unknownId}`;

describe("the check of keys and tokens", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const inConsole = (method: string, path: string, body?: object) =>
    service.request(method, `/api/v1/console/${path}`, { headers: cast.person, body });
  const listWith = (headers: Record<string, string>) =>
    service.request("GET", "/api/v1/faqs/remote", { headers });

  it("accepts header names and the word Bearer in any case", async () => {
    const key = cast.key["x-api-key"];
    expect(await listWith({ "X-API-KEY": key })).toMatchObject({ status: 200 });
    for (const word of ["bearer", "BEARER"]) {
      const authorization = cast.agent.authorization.replace("Bearer", word);
      expect(await service.request("GET", runPath, { headers: { authorization } })).toMatchObject({
        status: 404,
      });
    }
  });

  it("accepts a key that matches a stored hash, even if its checksum is wrong", async () => {
    const [id, key] = ["legacy-key", "sdk_made_long_ago"];
    const row = { id, app_id: cast.appId, label: "", kind: "full", prefix: "sdk_", key_hash: hashOf(key) };
    await service.deps.database.insert("app_keys", { ...row, created_at: "2024-01-01T00:00:00.000Z" });
    expect(await listWith({ "x-api-key": key })).toMatchObject({ status: 200 });
  });

  it("accepts several valid keys of one app", async () => {
    const second = (await inConsole("POST", `apps/${cast.appId}/keys`, { label: "second" })).field("key");
    expect(second).toMatch(/^sdk_[0-9A-Za-z]{36,}$/);
    expect(await listWith({ "x-api-key": second })).toMatchObject({ status: 200 });
    expect(await listWith(cast.key)).toMatchObject({ status: 200 });
  });

  it("accepts a regenerated key, and refuses the old key immediately", async () => {
    const path = `apps/${cast.appId}/keys`;
    const made = await inConsole("POST", path, {});
    expect(await listWith({ "x-api-key": made.field("key") })).toMatchObject({ status: 200 });
    const renewed = await inConsole("POST", `${path}/${made.field("id")}/regenerate`);
    expect(await listWith({ "x-api-key": made.field("key") })).toMatchObject({ status: 401 });
    expect(await listWith({ "x-api-key": renewed.field("key") })).toMatchObject({ status: 200 });
  });

  it("refuses a key or token immediately after it is revoked, even if it was in use", async () => {
    const key = await inConsole("POST", `apps/${cast.appId}/keys`, {});
    const token = await inConsole("POST", "tokens", { kind: "agent", label: "ci" });
    const asKey = () => listWith({ "x-api-key": key.field("key") });
    const asAgent = () =>
      service.request("GET", runPath, { headers: { authorization: `Bearer ${token.field("token")}` } });
    expect([(await asKey()).status, (await asAgent()).status]).toEqual([200, 404]);
    await inConsole("DELETE", `apps/${cast.appId}/keys/${key.field("id")}`);
    await inConsole("DELETE", `tokens/${token.field("id")}`);
    expect([(await asKey()).status, (await asAgent()).status]).toEqual([401, 401]);
  });

  it("refuses the keys of an app that was deleted", async () => {
    const gone = await makeAppWithAgent(service);
    await listWith(gone.key);
    await service.request("DELETE", `/api/v1/console/apps/${gone.appId}`, { headers: gone.person });
    expect(await listWith(gone.key)).toMatchObject({ status: 401, body: { code: "invalid_api_key" } });
  });

  it("records the label, the creator and the hour of the last use of an agent token", async () => {
    const token = await inConsole("POST", "tokens", { kind: "agent", label: "night shift" });
    const headers = { authorization: `Bearer ${token.field("token")}` };
    const hour = `${service.clock.now().toISOString().slice(0, 13)}:00:00.000Z`;
    await service.request("GET", runPath, { headers });
    const traits = {
      id: token.field("id"),
      label: "night shift",
      createdBy: cast.owner.email,
      lastUsedAt: hour,
    };
    await eventually(async () => {
      expect((await inConsole("GET", "tokens")).body).toMatchObject({
        items: expect.arrayContaining([expect.objectContaining(traits)]),
      });
    });
  });

  describe("for an intake key", () => {
    const path = "/api/v1/faqs/remote";
    let intake: { "x-api-key": string };
    beforeAll(async () => {
      intake = { "x-api-key": await service.makeKey(cast.appId, "intake") };
    });

    it("allows the key to send feedback and to read the FAQ and the changelog", async () => {
      const body = { type: "bug", message: "x" };
      expect(
        await service.request("POST", "/api/v1/feedback/remote", { headers: intake, body }),
      ).toMatchObject({ status: 201 });
      expect(await listWith(intake)).toMatchObject({ status: 200 });
      expect(await service.request("GET", "/api/v1/changelog/remote", { headers: intake })).toMatchObject({
        status: 200,
      });
    });

    it("refuses every write to the FAQ with 403 insufficient_scope, and writes nothing", async () => {
      const faq = { question: "How?", answer: "So." };
      const id = (await service.request("POST", path, { headers: cast.key, body: faq })).field("id");
      const before = (await listWith(cast.key)).text;
      const writes = [
        await service.request("POST", path, { headers: intake, body: faq }),
        await service.request("PATCH", `${path}/${id}`, { headers: intake, body: { answer: "Not so." } }),
        await service.request("DELETE", `${path}/${id}`, { headers: intake }),
      ];
      const refusal = { status: 403, body: { code: "insufficient_scope" } };
      expect(writes).toMatchObject([refusal, refusal, refusal]);
      expect((await listWith(cast.key)).text).toBe(before);
    });
  });
});

describe.each(sharedDatabases)(
  "the check of keys and tokens on two servers with one PostgreSQL database",
  (postgres) => {
    it("refuses a revoked key immediately on the server that revoked it, and soon after on the other", async () => {
      const database = await postgres.create();
      const [one, other] = [await startService({ database }), await startService({ database })];
      const { appId, key, person } = await makeAppWithAgent(one);
      const ask = (server: Service) => server.request("GET", "/api/v1/faqs/remote", { headers: key });
      for (const server of [one, other]) expect(await ask(server)).toMatchObject({ status: 200 });
      const keys = `/api/v1/console/apps/${appId}/keys`;
      const headers = { ...person, origin: other.baseUrl };
      const id = (await other.request("GET", keys, { headers })).field("items.0.id");
      await other.request("DELETE", `${keys}/${id}`, { headers });
      expect(await ask(other)).toMatchObject({ status: 401 });
      await eventually(async () => expect(await ask(one)).toMatchObject({ status: 401 }));
      await Promise.all([one.stop(), other.stop()]);
      await database.remove();
    });
  },
);
