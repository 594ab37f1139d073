import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unlock } from "../../../server/start/unlock.ts";
import { databases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { startWebhook } from "../../support/network/webhook.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { storedText } from "../../support/service/stored-content.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

const secret = "a secret that is long enough to be one";
const token = "T0000/B0000/XXXXsecretXXXXpathXXX1a2b";

describe.each(databases)("the address of a chat channel on $name", (engine) => {
  let service: Service;
  let world: Awaited<ReturnType<typeof makeOwnerWithOneOfEach>>;
  beforeAll(async () => {
    service = await startService({ engine, secret, settings: { privateWebhooks: true } });
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  const address = () => `http://127.0.0.1:9/${token}`;
  const make = async (chatWebhookUrl: string) =>
    (await world.call("POST", "/apps", { name: "Larder", chatWebhookUrl })).field("id");
  /** Creates a proposal, which must be sent to the channel. */
  const tell = async (appId: string) => {
    const key = (await world.call("POST", `/apps/${appId}/keys`, { label: "CI" })).field("key");
    return propose(service, world.agentToken, await sendFeedback(service, key));
  };

  it("is encrypted in the database, and is shown only in part", async () => {
    const appId = await make(address());
    await tell(appId);
    expect(await storedText(service)).not.toContain("secretXXXX");
    const shown = [
      await world.call("GET", `/apps/${appId}`),
      await world.call("GET", "/apps"),
      await world.call("PATCH", `/apps/${appId}`, { name: "Larder 2" }),
    ];
    for (const { body } of shown) {
      expect(JSON.stringify(body)).not.toContain("secretXXXX");
      expect(JSON.stringify(body)).toContain("http://127.0.0.1:9/***1a2b");
    }
    const page = await service.request("GET", `/console/apps/${appId}`, { headers: world.headers });
    expect(String(page.text)).not.toContain("secretXXXX");
  });

  it("does not change if its partly hidden form is sent back", async () => {
    const webhook = await startWebhook();
    const appId = await make(`${webhook.url}/${token}`);
    const shown = (await world.call("GET", `/apps/${appId}`)).field("chatWebhookUrl");
    const answer = await world.call("PATCH", `/apps/${appId}`, { name: "Pantry", chatWebhookUrl: shown });
    expect(answer.body).toMatchObject({ name: "Pantry", chatWebhookUrl: shown });
    await tell(appId);
    await eventually(() => expect(webhook.received).toHaveLength(1));
  });

  it("can be replaced and deleted", async () => {
    const webhook = await startWebhook();
    const appId = await make(address());
    await world.call("PATCH", `/apps/${appId}`, { chatWebhookUrl: webhook.url });
    await tell(appId);
    await eventually(() => expect(webhook.received).toHaveLength(1));
    await world.call("PATCH", `/apps/${appId}`, { chatWebhookUrl: null });
    expect((await world.call("GET", `/apps/${appId}`)).body).toMatchObject({ chatWebhookUrl: null });
  });

  it("that an older version stored in clear text is encrypted at the start", async () => {
    const appId = await make(address());
    const { database } = service.deps;
    const old = `${address()}/old`;
    await database.write(async (tx) => {
      await tx.run("UPDATE apps SET chat_webhook_url = ? WHERE id = ?", old, appId);
      await tx.run("UPDATE outbox SET target = ?", old);
    });
    for (let twice = 0; twice < 2; twice++) await unlock(database, { secret, old: [] });
    expect(await storedText(service)).not.toContain("secretXXXX");
    expect((await world.call("GET", `/apps/${appId}`)).field("chatWebhookUrl")).toBe(
      "http://127.0.0.1:9/***/old",
    );
  });

  it("is encrypted again after a change of the secret", async () => {
    const webhook = await startWebhook();
    const appId = await make(webhook.url);
    await unlock(service.deps.database, { secret: "b".repeat(32), old: [secret] });
    await unlock(service.deps.database, { secret, old: ["b".repeat(32)] });
    await tell(appId);
    await eventually(() => expect(webhook.received).toHaveLength(1));
  });

  it("is not shown to a maintainer token that can read apps", async () => {
    const appId = await make(address());
    const made = await world.call("POST", "/tokens", {
      kind: "maintainer",
      label: "CI",
      scopes: ["apps:read"],
    });
    const answer = await service.request("GET", `/api/v1/console/apps/${appId}`, {
      headers: bearer(made.field("token")),
    });
    expect(answer.field("chatWebhookUrl")).toBe("http://127.0.0.1:9/***1a2b");
  });
});
