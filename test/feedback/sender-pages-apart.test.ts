import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type AppWithSenders, makeAppWithSenders } from "../support/mail/app-with-senders.ts";
import { type Service, startService } from "../support/service/service.ts";
import { exportFile, importFile } from "../support/worlds/transfer/app-file.ts";

const secret = /Ada's secret|for Ada only/;

describe("a sender never reads words of other senders", () => {
  let service: Service;
  let app: AppWithSenders;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    app = await makeAppWithSenders(service);
  });
  afterAll(() => service.stop());

  const open = (url: string) => fetch(url, { headers: { accept: "text/html" } });
  const read = async (url: string) => (await open(url)).text();
  const answer = async (url: string, text: string) => {
    const once = /name="once" value="([^"]+)"/.exec(await read(url))?.[1] ?? "";
    const sent = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { origin: service.baseUrl, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ answer: text, once }).toString(),
    });
    expect(sent.status).toBe(303);
  };

  it("after a block, and does not notice the block", async () => {
    const before = await app.report({ message: "Mine.", email: "eve@evil.example", dedupeKey: "k" });
    const other = await app.report({
      message: "Ada's secret.",
      email: "ada@kitchen.example",
      dedupeKey: "k",
    });
    await app.console("POST", `/apps/${app.appId}/blocked-senders`, {
      ...{ kind: "address", sender: "eve@evil.example" },
    });
    const after = await app.report({ message: "Mine again.", email: "eve@evil.example" });
    await answer(before.field("statusUrl"), "Do you read this?");
    await answer(after.field("statusUrl"), "And this?");
    expect(await read(before.field("statusUrl"))).toMatch(/State: <b>Received[\s\S]*Do you read this\?/);
    expect(await read(after.field("statusUrl"))).toMatch(/State: <b>Received[\s\S]*And this\?/);
    for (const { field } of [before, after]) {
      expect(await read(field("statusUrl"))).not.toMatch(secret);
      expect(await read(field("statusUrl"))).not.toMatch(/block/i);
    }
    expect(await read(other.field("statusUrl"))).not.toMatch(/Mine|Do you read this/);
  });

  it("after one of the other senders is erased: that sender's link ends, and the others see nothing new", async () => {
    const first = await app.report({
      message: "Ada's secret.",
      email: "ada@kitchen.example",
      dedupeKey: "k",
    });
    const other = await app.report({ message: "Bo's words.", email: "bo@cellar.example", dedupeKey: "k" });
    await answer(first.field("statusUrl"), "Ada's secret answer.");
    await app.reply(first.field("id"), { body: "This is for Ada only." });
    await app.reply(first.field("id"), { body: "For everyone.", everyone: true });
    const begun = await app.console("POST", "/people/erase", { email: "ada@kitchen.example" });
    await eventually(async () => {
      const receipt = await app.console("GET", `/people/erasures/${begun.field("id")}`);
      expect(receipt.field("status")).toBe("done");
    });
    expect((await open(first.field("statusUrl"))).status).toBe(404);
    const page = await read(other.field("statusUrl"));
    expect(page).toMatch(/Bo&#39;s words|Bo's words/);
    expect(page).toContain("For everyone.");
    expect(page).not.toMatch(secret);
    expect(page).not.toContain("[erased]");
  });

  it("with a link of an app that was exported, because the copy has other links", async () => {
    const sent = await app.report({ message: "Ada's secret." });
    const file = await exportFile(service, app.person, app.appId);
    const stranger = await service.signIn(await service.makeUser());
    const copy = await importFile(service, stranger, file);
    expect(copy.status, copy.text).toBe(201);
    const list = await service.request("GET", `/api/v1/console/apps/${copy.field("appId")}/feedback`, {
      headers: stranger,
    });
    const id = list.field("items.0.id");
    const answered = await service.request("POST", `/api/v1/console/feedback/${id}/messages`, {
      headers: stranger,
      body: { direction: "outbound", body: "From the copy." },
    });
    expect(answered.status).toBe(201);
    const page = await read(sent.field("statusUrl"));
    expect(page).toContain("secret");
    expect(page).not.toContain("From the copy.");
  });
});
