import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AppWithSenders, makeAppWithSenders } from "../../support/mail/app-with-senders.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { exportFile, importFile } from "../../support/worlds/transfer/app-file.ts";

describe("links to senders' pages in stored texts", () => {
  let service: Service;
  let app: AppWithSenders;
  let link: string;
  let token: string;
  beforeAll(async () => {
    service = await startService();
    app = await makeAppWithSenders(service);
    link = (await app.report({})).field("statusUrl");
    token = link.split("/").at(-1) ?? "";
  });
  afterAll(() => service.stop());

  const shownOf = async (id: string) => JSON.stringify(await app.thread(id));

  it("are removed from a report", async () => {
    const sent = await app.report({
      ...{ subject: `About ${link}`, name: `Me, ${link}`, email: link },
      message: `My page is ${link}`,
      source: `/p/t/${token}`,
      metadata: { page: link, nested: { pages: [encodeURIComponent(link)] } },
    });
    const shown = await shownOf(sent.field("id"));
    expect(shown).not.toContain(token);
    expect(shown).toContain("My page is ");
  });

  it("are removed from a repeat", async () => {
    await app.report({ dedupeKey: "pages" });
    const repeat = await app.report({ dedupeKey: "pages", subject: link, message: `Again: ${link}` });
    const shown = await shownOf(repeat.field("id"));
    expect(shown).toContain("Again: ");
    expect(shown).not.toContain(token);
  });

  it("are removed from an answer that was written on the page", async () => {
    const sent = await app.report({});
    const page = sent.field("statusUrl");
    const once = "01a1fda4-237d-459b-ad89-7cf5663516dc";
    const answered = await fetch(page, {
      method: "POST",
      headers: { Origin: new URL(page).origin, "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ answer: `See ${link}`, once }),
    });
    expect(answered.ok).toBe(true);
    const shown = await shownOf(sent.field("id"));
    expect(shown).toContain("See ");
    expect(shown).not.toContain(token);
  });

  it("are removed from a proposal", async () => {
    const id = (await app.report({})).field("id");
    const proposed = await service.request("POST", `/api/v1/agent/feedback/${id}/proposal`, {
      headers: app.agent,
      body: { summary: `Answer ${link}`, plan: `1. Open ${link}` },
    });
    expect(proposed.status).toBe(201);
    const shown = await shownOf(id);
    expect(shown).toContain("1. Open ");
    expect(shown).not.toContain(token);
  });

  it("are removed from an import, because an older version of the program stored them", async () => {
    const id = (await app.report({})).field("id");
    await app.console("POST", `/feedback/${id}/messages`, { direction: "note", body: "Seen." });
    await service.deps.database.write(async (tx) => {
      const [message, metadata] = [`My page is ${link}`, JSON.stringify({ page: link })];
      await tx.run("UPDATE feedback SET message = ?, metadata = ? WHERE id = ?", message, metadata, id);
      await tx.run("UPDATE messages SET body = ? WHERE feedback_id = ?", `See ${link}`, id);
    });
    const exported = (await exportFile(service, app.person, app.appId)).toString();
    expect(exported).toContain(token);
    const imported = await importFile(service, app.person, exported, "Again");
    expect(imported.status).toBe(201);
    const again = (await exportFile(service, app.person, imported.field("appId"))).toString();
    expect(again).toContain("My page is ");
    expect(again).toContain("See ");
    expect(again).not.toContain(token);
  });
});
