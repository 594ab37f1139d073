import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../support/database/databases.ts";
import { dataUrl, png } from "../support/files/sample-files.ts";
import { startWebhook } from "../support/network/webhook.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeFactorAccount } from "../support/sign-in/second-factors.ts";
import { makeAppWithAgent, writeNote } from "../support/worlds/app-with-owner-and-agent.ts";

describe.each(databases)("the development server on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, settings: { dev: true, privateWebhooks: true } });
  });
  afterAll(() => service.stop());

  const get = (path: string, headers = {}) => service.request("GET", path, { headers });
  const reset = () => service.request("POST", "/dev/reset");

  async function propose(chatWebhookUrl: string) {
    const owner = await service.makeUser();
    const { key } = await service.makeApp(owner, { name: "Larder", chatWebhookUrl });
    const sent = await service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": key },
      body: { type: "bug", message: "It crashes.", images: [dataUrl(png())] },
    });
    const headers = { authorization: `Bearer ${await service.makeToken(owner, "agent")}` };
    const path = `/api/v1/agent/feedback/${sent.field("id")}`;
    const body = { summary: "A null", plan: "1. Fix it." };
    const proposed = await service.request("POST", `${path}/proposal`, { headers, body });
    return { headers, path, runId: proposed.field("runId") };
  }

  it("stores outgoing messages and does not send them; its list begins with the newest", async () => {
    const webhook = await startWebhook();
    const first = await propose(webhook.url);
    const second = await propose(webhook.url);
    const { body } = await get("/dev/outbox");
    expect(body).toMatchObject({
      items: [
        { kind: "chat", subjectId: second.runId, target: webhook.url, status: "sent" },
        { kind: "chat", subjectId: first.runId, payload: { text: expect.stringContaining("A null") } },
      ],
    });
    expect(webhook.received).toEqual([]);
  });

  it("has its initial state after a reset: no content, no faults and the real time", async () => {
    const { path, headers } = await propose("https://chat.example/hook");
    const image = new URL((await get(path, headers)).field("feedback.images.0")).pathname;
    await service.request("POST", "/dev/clock", { body: { advance: "P3D" } });
    await service.request("POST", "/dev/faults", { body: { path: "/healthz", status: 500 } });
    expect((await reset()).status).toBe(200);
    expect(service.clock.offsetMs).toBe(0);
    expect((await get("/dev/outbox")).body).toEqual({ items: [] });
    expect((await get("/dev/faults")).body).toEqual({ items: [] });
    expect([(await get(path, headers)).status, (await get(image)).status]).toEqual([404, 404]);
  });

  it("deletes test cycles, stored responses and the uses of limits at a reset", async () => {
    const app = await service.makeApp();
    const cycle = await service.makeCycle(await service.makeListing(app));
    const tester = await service.makeUser();
    await service.giveSlot(cycle, cycle.slotIds[0] ?? "", tester);
    const once = { "x-api-key": app.key, "idempotency-key": "once" };
    const body = { question: "Why?", answer: "So." };
    const create = () => service.request("POST", "/api/v1/faqs/remote", { headers: once, body });
    await create();
    await reset();
    const headers = await service.makeDevice(tester);
    expect((await get("/api/v1/testing/me/slots", headers)).body).toEqual({ slots: [] });
    expect((await create()).headers.get("idempotent-replay")).toBeNull();
  });

  it("still accepts keys, tokens, devices and sign-ins after a reset, and returns no old data", async () => {
    const cast = await makeAppWithAgent(service);
    const owner = await service.makeUser();
    const cookie = await service.signIn(owner);
    const device = await service.makeDevice(owner);
    await writeNote(service, cast, { title: "Old" });
    const changelog = () => get("/api/v1/changelog/remote", cast.key);
    expect((await changelog()).text).toContain("Old");
    await reset();
    expect((await changelog()).text).toBe('{"entries":[]}');
    expect((await get("/api/v1/testing/me/slots", device)).status).toBe(200);
    expect((await get("/api/v1/console/me", cookie)).status).toBe(200);
  });

  it("still asks for the second factor after a reset", async () => {
    const { email, password, recoveryCodes } = await makeFactorAccount(service);
    await reset();
    const signIn = (more: object) =>
      service.request("POST", "/api/v1/console/session", { body: { email, password, ...more } });
    expect((await signIn({})).body).toMatchObject({ code: "second_factor_required" });
    expect((await signIn({ code: recoveryCodes[0] })).status).toBe(201);
  });

  it("finds only new threads in a search after a reset", async () => {
    const owner = await service.makeUser();
    const app = await service.makeApp(owner);
    const headers = { "x-api-key": app.key };
    const send = (message: string) =>
      service.request("POST", "/api/v1/feedback/remote", { headers, body: { type: "bug", message } });
    const cookie = await service.signIn(owner);
    const found = async () => (await get(`/api/v1/console/apps/${app.id}/feedback?q=crash`, cookie)).text;
    await send("An old crash.");
    expect(await found()).toContain("An old crash.");
    await reset();
    await send("A new crash.");
    expect(await found()).toContain("A new crash.");
    expect(await found()).not.toContain("An old crash.");
  });
});
