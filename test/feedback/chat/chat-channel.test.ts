import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { startWebhook } from "../../support/network/webhook.ts";
import { type Service, startService } from "../../support/service/service.ts";

interface OutboxRow {
  readonly status: string;
  readonly attempts: number;
  readonly lastError: string | null;
}

describe.each(databases)("the app's chat channel on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, settings: { privateWebhooks: true } });
  });
  afterAll(() => service.stop());

  async function proposeTo(chatWebhookUrl: string, from = service) {
    const owner = await from.makeUser();
    const { id: appId, key } = await from.makeApp(owner, { name: "Larder", chatWebhookUrl });
    const submitted = await from.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": key },
      body: { type: "bug", message: "It crashes.", subject: "Crash <!channel>" },
    });
    const authorization = `Bearer ${await from.makeToken(owner, "agent")}`;
    const proposed = await from.request("POST", `/api/v1/agent/feedback/${submitted.field("id")}/proposal`, {
      headers: { authorization },
      body: { summary: "Tell @everyone", plan: "1. Fix it." },
    });
    return { appId, runId: proposed.field("runId"), consoleUrl: submitted.field("consoleUrl") };
  }

  const outboxOf = (runId: string) =>
    service.deps.database.get<OutboxRow>(
      `SELECT status, attempts, last_error AS "lastError" FROM outbox WHERE subject_id = ?`,
      runId,
    );

  it("gets a message about a new proposal with the link to the decision", async () => {
    const webhook = await startWebhook();
    const { consoleUrl } = await proposeTo(webhook.url);
    await eventually(() => expect(webhook.received).toHaveLength(1));
    expect(webhook.received).toEqual([{ text: expect.stringContaining(`${consoleUrl}#proposal`) }]);
  });

  it("gets no text of the sender or the agent that mentions a person", async () => {
    const webhook = await startWebhook();
    await proposeTo(webhook.url);
    await eventually(() => expect(webhook.received).toHaveLength(1));
    expect(JSON.stringify(webhook.received)).not.toMatch(/<!channel>|@everyone/);
  });

  it("gets messages for Slack if its format comes from a newer release", async () => {
    const webhook = await startWebhook();
    const owner = await service.makeUser();
    const { id, key } = await service.makeApp(owner, { name: "Larder", chatWebhookUrl: webhook.url });
    await service.deps.database.write((tx) =>
      tx.run("UPDATE apps SET chat_format = 'later' WHERE id = ?", id),
    );
    const { field } = await service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": key },
      body: { type: "bug", message: "It crashes." },
    });
    const proposed = await service.request("POST", `/api/v1/agent/feedback/${field("id")}/proposal`, {
      headers: { authorization: `Bearer ${await service.makeToken(owner, "agent")}` },
      body: { summary: "Mend it", plan: "1. Fix it." },
    });
    expect(proposed.status).toBe(201);
    await eventually(() => expect(webhook.received).toHaveLength(1));
    expect(webhook.received).toEqual([{ text: expect.stringContaining("Mend it") }]);
  });

  it("gets the message later if the first attempt fails", async () => {
    const webhook = await startWebhook();
    webhook.answers.push(500);
    const { runId } = await proposeTo(webhook.url);
    await eventually(async () =>
      expect(await outboxOf(runId)).toMatchObject({
        status: "pending",
        lastError: "The chat answered 500",
      }),
    );
    service.clock.advance(10_000);
    await proposeTo(webhook.url);
    await eventually(async () =>
      expect(await outboxOf(runId)).toMatchObject({ status: "sent", attempts: 2 }),
    );
  });

  it("gets no further attempt after 24 hours", async () => {
    const webhook = await startWebhook();
    // The last two are for the second attempt and for the other proposal, in any order.
    webhook.answers.push(500, 500, 500);
    const { runId } = await proposeTo(webhook.url);
    await eventually(async () => expect((await outboxOf(runId))?.lastError).toBeTruthy());
    service.clock.advance(24 * 3_600_000);
    await proposeTo(webhook.url);
    await eventually(async () => expect(await outboxOf(runId)).toMatchObject({ status: "failed" }));
  });

  it("gets no message at another address if its address redirects", async () => {
    const webhook = await startWebhook();
    webhook.answers.push(307);
    const { runId } = await proposeTo(webhook.url);
    await eventually(async () => expect((await outboxOf(runId))?.lastError).toBe("The chat answered 307"));
  });

  it("has an address that never appears in the log", async () => {
    expect(service.logged()).not.toContain("secret-path");
  });
});

describe("the address of a chat channel in a private network", () => {
  const addresses = [
    "http://127.0.0.1:1/x",
    "http://localhost:1/x",
    "http://[::1]:1/x",
    "http://10.1.2.3/x",
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:192.168.0.1]/x",
    "http://0.0.0.0:1/x",
    "http://2130706433/x",
    "http://[fd00::1]/x",
  ];

  it.each(addresses)("is refused unless the deployment allows it: %s", async (chatWebhookUrl) => {
    const service = await startService();
    const owner = await service.makeUser();
    const { id } = await service.makeApp(owner, { chatWebhookUrl });
    const thread = { id: service.deps.newId(), subject: "s", message: "m", category: "bug", status: "open" };
    const rest = {
      metadata: "{}",
      files: "{}",
      occurrences: 1,
      indexed: 0,
      created_at: "2026-01-01T00:00:00.000Z",
    };
    await service.deps.database.insert("feedback", { ...thread, ...rest, app_id: id });
    const authorization = `Bearer ${await service.makeToken(owner, "agent")}`;
    const body = { summary: "s", plan: "p" };
    await service.request("POST", `/api/v1/agent/feedback/${thread.id}/proposal`, {
      headers: { authorization },
      body,
    });
    await eventually(async () => {
      const row = await service.deps.database.get<OutboxRow>(`SELECT last_error AS "lastError" FROM outbox`);
      expect(row?.lastError).toBe("The address is in a private network");
    });
    await service.stop();
  });
});
