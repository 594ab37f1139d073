import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { filesIn } from "../../support/files/temporary-folder.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  bearer,
  fillThreads,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("apps in the console's API", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  const create = (body: unknown) => world.call("POST", "/apps", body);
  const submit = (key: string) =>
    service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": key },
      body: { type: "bug", message: "It broke." },
    });

  it("have feedback and the changelog turned on after their creation, and no chat channel and no repository", async () => {
    const answer = await create({ name: "Larder" });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      name: "Larder",
      feedbackEnabled: true,
      changelogEnabled: true,
      chatWebhookUrl: null,
      chatFormat: "slack",
      githubRepository: null,
      approvalHours: null,
      retentionDays: null,
      senderPages: true,
      role: "owner",
      createdAt: expect.stringMatching(/^\d{4}-.+T.+\.\d{3}Z$/),
    });
  });

  it("can be created with all fields", async () => {
    const given = {
      name: "Larder",
      feedbackEnabled: false,
      changelogEnabled: false,
      chatWebhookUrl: "https://chat.example/hook",
      githubRepository: "larder/app",
      approvalHours: 24,
    };
    const shown = { ...given, chatWebhookUrl: "https://chat.example/***" };
    expect((await create(given)).body).toMatchObject(shown);
  });

  it.each([
    ["name", { name: "  " }],
    ["chatWebhookUrl", { name: "A", chatWebhookUrl: "ftp://chat.example" }],
    ["githubRepository", { name: "A", githubRepository: "not a repository" }],
    ["approvalHours", { name: "A", approvalHours: 0 }],
    ["approvalHours", { name: "A", approvalHours: 1.5 }],
    ["approvalHours", { name: "A", approvalHours: 8_761 }],
    ["approvalHours", { name: "A", approvalHours: "24" }],
  ])("are refused with a wrong %s", async (field, body) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.field("issues.0.path")).toBe(field);
  });

  it("change only in the given fields, and null empties a field", async () => {
    const id = (await create({ name: "Old", githubRepository: "larder/app", approvalHours: 1 })).field("id");
    const answer = await world.call("PATCH", `/apps/${id}`, {
      name: "New",
      githubRepository: null,
      approvalHours: null,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      ...{ id, name: "New", githubRepository: null, approvalHours: null, feedbackEnabled: true },
    });
    expect((await world.call("PATCH", `/apps/${id}`, {})).body).toEqual(answer.body);
    expect((await world.call("GET", `/apps/${id}`)).body).toEqual(answer.body);
  });

  it("refuse feedback immediately after it is turned off", async () => {
    const app = await service.makeApp(world.owner);
    expect((await submit(app.key)).status).toBe(201);
    await world.call("PATCH", `/apps/${app.id}`, { feedbackEnabled: false });
    expect((await submit(app.key)).field("code")).toBe("feedback_disabled");
    await world.call("PATCH", `/apps/${app.id}`, { feedbackEnabled: true });
    expect((await submit(app.key)).status).toBe(201);
  });

  it("are listed to their owner, and a token of one app lists only that app", async () => {
    const stranger = await service.makeUser();
    const [first, second] = [await service.makeApp(stranger), await service.makeApp(stranger)];
    const list = async (headers: Record<string, string>) =>
      (await service.request("GET", "/api/v1/console/apps", { headers })).body;
    expect(await list(await service.signIn(stranger))).toMatchObject({
      items: [{ id: first.id }, { id: second.id }],
    });
    const token = await service.makeToken(stranger, "maintainer", {
      scopes: ["apps:read"],
      appId: second.id,
    });
    expect(await list(bearer(token))).toEqual({ items: [expect.objectContaining({ id: second.id })] });
  });

  it("can be changed by a script with apps:write in its own app, but not created or deleted", async () => {
    const [app, sister] = [await service.makeApp(world.owner), await service.makeApp(world.owner)];
    const token = await service.makeToken(world.owner, "maintainer", {
      scopes: ["apps:write"],
      appId: app.id,
    });
    const send = (method: string, path: string, body?: object) =>
      service.request(method, `/api/v1/console/apps${path}`, { headers: bearer(token), body });
    const changed = await send("PATCH", `/${app.id}`, { name: "Renamed", feedbackEnabled: false });
    expect(changed).toMatchObject({ status: 200, body: { name: "Renamed", feedbackEnabled: false } });
    expect((await submit(app.key)).field("code")).toBe("feedback_disabled");
    expect((await send("PATCH", `/${sister.id}`, { name: "Renamed" })).status).toBe(404);
    expect((await send("POST", "", { name: "New" })).field("code")).toBe("sign_in_required");
    expect((await send("DELETE", `/${app.id}`)).field("code")).toBe("sign_in_required");
  });

  it("are deleted permanently with everything in them", async () => {
    const doomed = await makeOwnerWithOneOfEach(service);
    const { app, call, threadId, runId, faqId, entryId } = doomed;
    const limited = await service.makeToken(doomed.owner, "maintainer", {
      scopes: ["apps:read"],
      appId: app.id,
    });
    expect((await call("DELETE", `/apps/${app.id}`)).status).toBe(204);

    const gone = [
      `/apps/${app.id}`,
      `/feedback/${threadId}`,
      `/changelog/${entryId}`,
      `/apps/${app.id}/faqs`,
    ];
    for (const path of gone) expect((await call("GET", path)).status).toBe(404);
    expect((await call("PATCH", `/faqs/${faqId}`, {})).status).toBe(404);
    expect((await submit(app.key)).field("code")).toBe("invalid_api_key");
    const headers = bearer(limited);
    expect((await service.request("GET", "/api/v1/console/apps", { headers })).field("code")).toBe(
      "invalid_token",
    );
    const run = await service.request("GET", `/api/v1/agent/runs/${runId}`, {
      headers: bearer(doomed.agentToken),
    });
    expect(run.status).toBe(404);
  });

  it("are deleted even with more threads than one transaction deletes", async () => {
    const app = await service.makeApp(world.owner);
    await fillThreads(service, app.id, Array(450).fill({}));
    await world.call("DELETE", `/apps/${app.id}`);
    const left = await service.deps.database.all("SELECT id FROM feedback WHERE app_id = ?", app.id);
    expect(left).toEqual([]);
  });

  it("are deleted with their files, except files that another app also has", async () => {
    const [doomed, kept] = [await service.makeApp(world.owner), await service.makeApp(world.owner)];
    const shared = { images: [dataUrl(png(900))] };
    await sendFeedback(service, doomed.key, shared);
    await sendFeedback(service, kept.key, shared);
    await sendFeedback(service, doomed.key, { images: [dataUrl(png(901))] });
    const folder = `${service.deps.settings.data}/files`;
    const before = (await filesIn(folder)).length;
    await world.call("DELETE", `/apps/${doomed.id}`);
    await expect.poll(() => filesIn(folder)).toHaveLength(before - 1);
  });
});
