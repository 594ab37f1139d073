import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { makeNoticedApp, passTime } from "../support/mail/noticed-app.ts";
import { startWebhook } from "../support/network/webhook.ts";
import { type Service, startService } from "../support/service/service.ts";
import { propose } from "../support/worlds/app-with-owner-and-agent.ts";

describe.each(databases)("notices in the chat of an app, on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, still: true, settings: { privateWebhooks: true } });
  });
  afterAll(() => service.stop());

  async function appWithChat() {
    const webhook = await startWebhook();
    const app = await makeNoticedApp(service);
    const chat = { chatWebhookUrl: webhook.url, chatFormat: "json" };
    expect((await app.owner.call("PATCH", `/apps/${app.appId}`, chat)).status).toBe(200);
    return { app, webhook };
  }

  it("are posted once and immediately, even if several members want them", async () => {
    const { app, webhook } = await appWithChat();
    const kim = await app.join("maintainer");
    const apps = [{ appId: app.appId, kinds: { report: ["chat"] } }];
    await app.owner.choose({ apps });
    await kim.choose({ apps });
    const id = (await app.report({ subject: "Oven" })).field("id");
    await eventually(() => expect(webhook.received).toHaveLength(1));
    expect(webhook.received).toEqual([
      {
        kind: "report",
        app: { id: app.appId, name: "Demo" },
        title: "Demo: A new report arrived",
        url: `${service.deps.settings.consoleUrl}/feedback/${app.appId}/${id}`,
        quotes: [{ by: "public", text: "Oven" }],
      },
    ]);
  });

  it("are not posted for a viewer, and a proposal is posted whatever the members chose", async () => {
    const { app, webhook } = await appWithChat();
    const viewer = await app.join("viewer");
    const refused = await viewer.choose({ apps: [{ appId: app.appId, kinds: { report: ["chat"] } }] });
    expect(refused.status).toBe(400);
    const kinds = { proposal: [], report: [], answer: [] };
    await app.owner.choose({ apps: [{ appId: app.appId, kinds }] });
    await propose(service, app, (await app.report({})).field("id"));
    await app.settled();
    await eventually(() => expect(webhook.received).toHaveLength(1));
    expect(webhook.received).toMatchObject([{ kind: "proposal" }]);
    const twice = await app.owner.choose({ apps: [{ appId: app.appId, kinds: { proposal: ["chat"] } }] });
    expect(twice.status).toBe(400);
  });

  it("about a failure that is reported very often are posted once a day", async () => {
    const { app, webhook } = await appWithChat();
    const kinds = { storm: ["chat"] };
    await app.owner.choose({ apps: [{ appId: app.appId, kinds, stormPerHour: 2 }] });
    for (let run = 0; run < 6; run += 1) {
      await app.report({ dedupeKey: "login", message: `Failed in ${run}` });
      await app.settled();
    }
    await eventually(() => expect(webhook.received).toHaveLength(1));
    expect(webhook.received).toMatchObject([
      { title: "Demo: A failure is reported very often: 3 times so far" },
    ]);
  });

  it("are not sent if the thread is deleted before", async () => {
    const { app, webhook } = await appWithChat();
    await app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["chat"] } }] });
    webhook.answers.push(500);
    const id = (await app.report({})).field("id");
    await eventually(() => expect(webhook.received).toHaveLength(1));
    await app.owner.call("DELETE", `/feedback/${id}`);
    const left = await service.deps.database.all("SELECT id FROM outbox WHERE app_id = ?", app.appId);
    expect(left).toEqual([]);
    await passTime(service, 3_600_000);
    expect(webhook.received).toHaveLength(1);
  });

  it.each([
    ["removed", null, undefined],
    ["changed", "other", undefined],
    ["changed in its format", undefined, "slack"],
  ])("are not sent to a chat that was %s before", async (_, other, chatFormat) => {
    const { app, webhook } = await appWithChat();
    const next = await startWebhook();
    await app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["chat"] } }] });
    webhook.answers.push(500);
    await app.report({ subject: "Oven" });
    const posts = () =>
      service.deps.database.all<{ status: string; lastError: string | null }>(
        `SELECT status, last_error AS "lastError" FROM outbox WHERE app_id = ? ORDER BY created_at, id`,
        app.appId,
      );
    await eventually(async () => expect((await posts())[0]?.lastError).toContain("500"));
    const chatWebhookUrl = other === "other" ? next.url : other;
    expect((await app.owner.call("PATCH", `/apps/${app.appId}`, { chatWebhookUrl, chatFormat })).status).toBe(
      200,
    );
    const error = "The chat of the app was changed";
    expect(await posts()).toEqual([{ status: "failed", lastError: error }]);
    await passTime(service, 3_600_000);
    if (other === null) return expect(webhook.received).toHaveLength(1);
    await app.report({ subject: "Cellar" });
    const now = other === "other" ? next : webhook;
    await eventually(() => expect(JSON.stringify(now.received)).toContain("Cellar"));
    expect(JSON.stringify(now.received).match(/Oven/g) ?? []).toHaveLength(other === "other" ? 0 : 1);
  });

  it("are still sent after other settings of the app were changed", async () => {
    const { app, webhook } = await appWithChat();
    await app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["chat"] } }] });
    webhook.answers.push(500);
    await app.report({ subject: "Oven" });
    await eventually(() => expect(webhook.received).toHaveLength(1));
    const present = await app.owner.call("GET", `/apps/${app.appId}`);
    const { chatWebhookUrl, chatFormat } = Object(present.body);
    const body = { name: "Larder", chatWebhookUrl, chatFormat };
    expect((await app.owner.call("PATCH", `/apps/${app.appId}`, body)).status).toBe(200);
    await eventually(async () => {
      await passTime(service, 10_000);
      expect(webhook.received).toHaveLength(2);
    });
  });

  it("do not wait for the chat of another app that does not answer", async () => {
    const dead = await appWithChat();
    const alive = await appWithChat();
    for (const { app } of [dead, alive])
      await app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["chat"] } }] });
    let release = () => {};
    dead.webhook.hold(new Promise<void>((resolve) => (release = resolve)));
    for (let count = 0; count < 15; count += 1) await dead.app.report({ message: `Number ${count}` });
    await eventually(() => expect(dead.webhook.received.length).toBeGreaterThan(0));
    await alive.app.report({});
    await eventually(() => expect(alive.webhook.received).toHaveLength(1));
    release();
  });

  it("need an address that fits the format, and only an owner can change it", async () => {
    const { app } = await appWithChat();
    const kim = await app.join("maintainer");
    const patch = (body: object) => app.owner.call("PATCH", `/apps/${app.appId}`, body);
    expect((await kim.call("PATCH", `/apps/${app.appId}`, { chatFormat: "ntfy" })).status).toBe(403);
    const wrong = await patch({ chatFormat: "telegram" });
    expect([wrong.status, wrong.body]).toMatchObject([400, { issues: [{ path: "chatWebhookUrl" }] }]);
    const address = "https://api.telegram.org/bot123456:secret/sendMessage?chat_id=-100200";
    const right = await patch({ chatFormat: "telegram", chatWebhookUrl: address });
    expect(right.status).toBe(200);
    expect(right.body).toMatchObject({ chatFormat: "telegram" });
    expect(JSON.stringify(right.body)).not.toContain("secret");
    const [row] = await service.deps.database.all<{ url: string }>(
      "SELECT chat_webhook_url AS url FROM apps WHERE id = ?",
      app.appId,
    );
    expect(row?.url).not.toContain("secret");
    const again = await patch({ chatFormat: "telegram", chatWebhookUrl: Object(right.body).chatWebhookUrl });
    expect(again.status).toBe(200);
  });
});
