import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { databases } from "../../support/database/databases.ts";
import { type AppWithSenders, makeAppWithSenders } from "../../support/mail/app-with-senders.ts";
import { type Service, startService } from "../../support/service/service.ts";

describe.each(databases)("a reply to everyone on $name", (engine) => {
  let service: Service;
  let app: AppWithSenders;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    app = await makeAppWithSenders(service);
  });
  afterAll(() => service.stop());

  const send = async (email: string) => {
    const answer = await app.report({ dedupeKey: "sync", email });
    return { id: answer.field("id"), url: String(Object(answer.body).statusUrl) };
  };
  const page = async (url: string) => (await fetch(url, { headers: { accept: "text/html" } })).text();
  const block = (sender: string) =>
    app.console("POST", `/apps/${app.appId}/blocked-senders`, { kind: "address", sender });
  /** A thread with two visible reports, and a hidden one between them. */
  const start = async () => {
    const ada = await send("ada@kitchen.example");
    await block("eve@cellar.example");
    const eve = await send("eve@cellar.example");
    await send("bo@attic.example");
    const release = async () => {
      const hidden = Object((await app.console("GET", `/apps/${app.appId}/hidden-feedback`)).body).items;
      expect((await app.console("POST", `/hidden-feedback/${hidden[0].id}/release`, {})).status).toBe(200);
    };
    const seen = async () => {
      const { messages, receivers } = Object(await app.thread(ada.id));
      const seenThere = { expectedMessageId: messages.at(-1).id, expectedMergeId: null };
      return { ...seenThere, expectedReceivers: receivers };
    };
    return { id: ada.id, eve, release, seen };
  };

  it("is refused if a hidden report was released after its writer looked at the thread (rule F35)", async () => {
    const { id, eve, release, seen } = await start();
    const before = await seen();
    await release();
    const reply = { everyone: true, body: "The code is 4711." };
    const refused = await app.reply(id, { ...reply, ...before });
    expect([refused.status, refused.field("code")]).toEqual([409, "answered"]);
    expect(await page(eve.url)).not.toContain("4711");
    expect((await app.reply(id, { ...reply, ...(await seen()) })).status).toBe(201);
    expect(await page(eve.url)).toContain("4711");
  });

  it("is sent if the receivers are those that its writer saw", async () => {
    const { id, eve, seen } = await start();
    const before = await seen();
    await app.console("POST", `/feedback/${id}/messages`, { direction: "note", body: "For us." });
    const now = await seen();
    expect(now.expectedReceivers).toBe(before.expectedReceivers);
    expect((await app.reply(id, { everyone: true, body: "Solved.", ...now })).status).toBe(201);
    expect(await page(eve.url)).not.toContain("Solved.");
  });

  it("is refused on a page that was opened before a hidden report was released", async () => {
    const { id, eve, release } = await start();
    const address = `${service.baseUrl}/console/feedback/${app.appId}/${id}`;
    const opened = await (await fetch(address, { headers: { ...app.person, accept: "text/html" } })).text();
    const hiddenIn = (html: string) =>
      [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]);
    await release();
    const post = async (html: string) => {
      const fields = new URLSearchParams(hiddenIn(html).map(([name = "", value = ""]) => [name, value]));
      fields.set("replyReceiver", "everyone");
      fields.set("replyBody", "The code is 4711.");
      fields.set("direction", "outbound");
      const headers = { ...app.person, accept: "text/html", origin: service.baseUrl };
      return fetch(`${address}/messages`, { method: "POST", headers, body: fields, redirect: "manual" });
    };
    const refused = await post(opened);
    const shown = await refused.text();
    expect([refused.status, shown.includes("The senders who would get the reply have changed")]).toEqual([
      409,
      true,
    ]);
    expect(await page(eve.url)).not.toContain("4711");
    expect((await post(shown)).status).toBe(303);
    expect(await page(eve.url)).toContain("4711");
  });

  it("from the command line names the receivers that the command showed", async () => {
    const { id, release, seen } = await start();
    const line = await createCommandLine({
      INNKEEP_BASE_URL: service.baseUrl,
      INNKEEP_TOKEN: await service.makeToken(app.owner, "maintainer", {
        scopes: ["feedback:read", "feedback:write"],
      }),
    });
    const reply = (...flags: string[]) =>
      line.run(["feedback", "reply", id, "--body", "Solved.", "--everyone", ...flags]);
    const { expectedMessageId: message, expectedReceivers: receivers } = await seen();
    expect((await line.run(["feedback", "view", id])).stdout).toContain(`\nReceivers: ${receivers}\n`);
    const lacking = await reply("--expect-message", message);
    expect([lacking.exit, lacking.stderr]).toEqual([2, expect.stringContaining("--expect-receivers")]);
    await release();
    const stale = await reply("--expect-message", message, "--expect-receivers", receivers);
    expect([stale.exit, stale.stderr]).toEqual([7, expect.stringContaining("Nothing was sent.")]);
    const now = await seen();
    const sent = await reply("--expect-message", message, "--expect-receivers", now.expectedReceivers);
    expect([sent.exit, sent.stderr]).toEqual([0, expect.stringContaining("Replied to feedback")]);
  });
});
