import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AppWithSenders, makeAppWithSenders } from "../../support/mail/app-with-senders.ts";
import { type Service, startService } from "../../support/service/service.ts";

describe("POST /feedback/:id/status-link", () => {
  let service: Service;
  let app: AppWithSenders;
  beforeAll(async () => {
    service = await startService();
    app = await makeAppWithSenders(service);
  });
  afterAll(() => service.stop());

  const statusOf = async (url: string) => (await fetch(url)).status;
  const pageOf = async (url: string) => (await fetch(url, { headers: { accept: "text/html" } })).text();

  it("ends the older links of that report, and of no other report", async () => {
    const first = await app.report({ dedupeKey: "k" });
    const repeat = await app.report({ dedupeKey: "k", message: "Again." });
    const id = first.field("id");
    const reportId = Object(await app.thread(id)).messages[0].id;
    const renewed = await app.console("POST", `/feedback/${id}/status-link`, { reportId });
    expect(renewed.status).toBe(201);
    expect(await (await fetch(renewed.field("statusUrl"))).text()).toContain("Again.");
    expect(await statusOf(repeat.field("statusUrl"))).toBe(404);
    expect(await statusOf(first.field("statusUrl"))).toBe(200);
    const newest = await app.console("POST", `/feedback/${id}/status-link`, { reportId });
    expect(await statusOf(renewed.field("statusUrl"))).toBe(404);
    expect(await statusOf(newest.field("statusUrl"))).toBe(200);
  });

  it("shows the same page, true in each case, for a wrong link and for an app without sender pages", async () => {
    const link = (await app.report({})).field("statusUrl");
    const wrong = await pageOf(`${link}x`);
    await app.console("PATCH", `/apps/${app.appId}`, { senderPages: false });
    const off = await pageOf(link);
    for (const page of [wrong, off]) expect(page).toContain("or the app may no longer offer this page");
    await app.console("PATCH", `/apps/${app.appId}`, { senderPages: true });
  });

  it("returns no report of another thread", async () => {
    const [id, reportId] = [(await app.report({})).field("id"), (await app.report({})).field("id")];
    expect((await app.console("POST", `/feedback/${id}/status-link`, { reportId })).status).toBe(404);
  });
});
