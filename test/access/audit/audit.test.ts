import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("the audit in the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
    await world.call("PATCH", `/feedback/${world.threadId}`, { subject: "A named thread" });
    await world.call("POST", `/runs/${world.runId}/decision`, { decision: "approve" });
    await world.call("PATCH", `/faqs/${world.faqId}`, { question: "A named question?" });
  });
  afterAll(() => service.stop());

  it("names and links the object of each action", async () => {
    const { text } = await owner.open("/console/audit");
    const thread = `<a href="/console/feedback/${world.app.id}/${world.threadId}"><bdi>A named thread</bdi></a>`;
    expect(text.split(thread).length).toBeGreaterThan(2);
    expect(text).toContain(`<a href="/console/faqs/${world.app.id}/${world.faqId}"><bdi>A named question?`);
  });

  it("also shows actions on deleted objects", async () => {
    await world.call("DELETE", `/faqs/${world.faqId}`);
    const page = await owner.open("/console/audit");
    expect(readingOf(page)).toContain(`Deleted an FAQ entry ${world.faqId.slice(0, 8)}…`);
  });

  it("names the token that acted, also after its revocation", async () => {
    const made = await world.call("POST", "/tokens", { kind: "agent", label: "Night agent" });
    await propose(service, made.field("token"), world.threadId);
    const page = await owner.open("/console/audit?action=run.propose");
    expect(readingOf(page)).toContain("Token Night agent 127.0.0.1");
    expect(page.text).not.toMatch(/token [\da-f-]{36}/);
    await world.call("DELETE", `/tokens/${made.field("id")}`);
    expect(readingOf(await owner.open("/console/audit?action=run.propose"))).toContain(
      "Token Night agent , revoked",
    );
    for (const deed of ["create", "delete"]) {
      const reading = readingOf(await owner.open(`/console/audit?action=token.${deed}`));
      expect(reading).toMatch(/(Created|Revoked) a token Night agent/);
    }
  });

  it("names a revoked app key", async () => {
    await world.call("DELETE", `/apps/${world.app.id}/keys/${world.keyId}`);
    const page = await owner.open("/console/audit?action=key.delete");
    expect(readingOf(page)).toContain("Revoked a key CI");
  });

  it("shows the beginning of a token's id if its label was not recorded", async () => {
    const { body } = await world.call("GET", "/tokens");
    for (const { id } of Object(body).items) await world.call("DELETE", `/tokens/${id}`);
    await service.deps.database.write((tx) => tx.run("UPDATE audit SET label = NULL"));
    expect(readingOf(await owner.open("/console/audit?action=run.propose"))).toMatch(
      /Token [\da-f]{8}…, revoked/,
    );
  });

  it("filters by action, and by app if one is chosen", async () => {
    const page = await owner.open(`/console/audit?app=${world.app.id}&action=faq.create`);
    const rows = page.text.split("<tbody>")[1]?.match(/<b>[^<]*/g);
    expect(rows).toEqual(["<b>Wrote an FAQ entry"]);
    expect(page.text).toContain('<option value="faq.create" selected>');
    const none = await owner.open("/console/audit?action=app.delete");
    expect(readingOf(none)).toContain("Nothing matches");
    const { body } = await world.call("GET", "/audit?action=faq.create");
    expect(Object(body).items.map(({ action }: { action: string }) => action)).toEqual(["faq.create"]);
  });

  const rowsOf = (text: string) => text.split("<tbody>")[1]?.match(/<tr>/g)?.length ?? 0;

  it("filters by a person, by all agents, or by one token, and offers valid tokens by their label", async () => {
    const made = await world.call("POST", "/tokens", {
      kind: "maintainer",
      label: "Robot",
      scopes: ["faqs:write"],
    });
    const headers = { authorization: `Bearer ${made.field("token")}` };
    const body = { name: "Q?", question: "Q?", answer: "A." };
    const path = `/api/v1/console/apps/${world.app.id}/faqs`;
    expect((await service.request("POST", path, { headers, body })).status).toBe(201);
    const id = made.field("id");
    const page = await owner.open(`/console/audit?actor=${id}`);
    expect(rowsOf(page.text)).toBe(1);
    expect(page.text).toContain(`<option value="${id}" label="Token Robot">`);
    expect(page.text).toContain(`value="${id}"`);
    const agents = await owner.open("/console/audit?actor=agent");
    expect(readingOf(agents)).not.toContain("Token Robot");
    expect(rowsOf(agents.text)).toBeGreaterThan(0);
    const own = await owner.open(
      `/console/audit?actor=${encodeURIComponent(world.owner.email.toUpperCase())}`,
    );
    expect(readingOf(own)).toContain("Token Robot");
    const nobody = await owner.open("/console/audit?actor=nobody%40example.org");
    expect(readingOf(nobody)).toContain("Nothing matches");
  });

  it("filters by days in UTC, including the last day, and keeps the filter on the next page", async () => {
    const today = service.clock.now().toISOString().slice(0, 10);
    const all = await owner.open("/console/audit");
    const own = await owner.open(`/console/audit?from=${today}&until=${today}`);
    expect(rowsOf(own.text)).toBe(rowsOf(all.text));
    for (const query of ["from=2999-01-01", "until=2000-01-01"])
      expect(readingOf(await owner.open(`/console/audit?${query}`))).toContain("Nothing matches");
    for (let at = 0; at < 60; at += 1) await world.call("PATCH", `/apps/${world.app.id}`, { name: `N${at}` });
    const long = await owner.open(`/console/audit?from=${today}&until=${today}&action=app.update`);
    const next = /href="([^"]*cursor=[^"]*)"/.exec(long.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(next).toContain(`action=app.update&from=${today}&until=${today}&cursor=`);
    expect(rowsOf((await owner.open(next)).text)).toBeGreaterThan(0);
  });

  it("shows a fault if it cannot read a day", async () => {
    const page = await owner.open("/console/audit?from=yesterday&until=2026-02-30&actor=agent");
    expect(page.status).toBe(400);
    const reading = readingOf(page);
    expect(reading).toContain("First day (UTC) must be a day such as 2026-11-22.");
    expect(reading).toContain("Last day (UTC) must be a day such as 2026-11-22.");
    expect(page.text).toContain('value="agent"');
    expect(rowsOf(page.text)).toBe(0);
  });

  it("filters by app", async () => {
    const other = await service.makeApp(world.owner);
    await world.call("PATCH", `/apps/${other.id}`, { name: "The other app" });
    const page = await owner.open(`/console/audit?app=${other.id}`);
    expect(readingOf(page)).toMatch(/Changed an app Name ?: Demo → The other app The other app/);
    expect(readingOf(page)).not.toContain("A named thread");
    const { body } = await world.call("GET", `/audit?appId=${other.id}&limit=100`);
    expect(Object(body).items).toHaveLength(1);
  });
});
