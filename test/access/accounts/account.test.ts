import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createBrowserWithoutScripts,
  locationOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { cookieOf, makeAccount, postSession } from "../../support/sign-in/password-accounts.ts";
import { makeFactorAccount } from "../../support/sign-in/second-factors.ts";

describe.each(databases)("the deletion of a person's own account on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  const path = "/api/v1/console/account/delete";
  const signedIn = async () => {
    const account = await makeAccount(service);
    const headers = { origin: service.baseUrl, cookie: cookieOf(await postSession(service, account)) };
    return { account, headers };
  };
  const rowsWith = async (text: string) => {
    const rows = await service.deps.database.all<{ actor: string; label: string | null }>(
      "SELECT actor, label FROM audit",
    );
    return rows.filter((row) => JSON.stringify(row).includes(text));
  };

  it("deletes everything for signing in immediately, and keeps the person's texts without an author", async () => {
    const owner = await service.makeUser();
    const app = await service.makeApp(owner);
    const { account, headers } = await signedIn();
    await service.deps.database.insert("app_members", {
      ...{ app_id: app.id, user_id: account.id, role: "maintainer", created_at: new Date().toISOString() },
    });
    const faq = { question: "Why?", answer: "So." };
    await service.request("POST", `/api/v1/console/apps/${app.id}/faqs`, { headers, body: faq });
    expect((await rowsWith(account.email)).length).toBeGreaterThan(0);
    const cycle = await service.makeCycle(await service.makeListing(app));
    const slotId = cycle.slotIds[0] ?? "";
    await service.giveSlot(cycle, slotId, account);
    const body = { email: account.email.toUpperCase(), currentPassword: account.password };
    const seated = await service.request("POST", path, { headers, body });
    expect([seated.status, seated.field("code")]).toEqual([409, "wrong_state"]);
    await service.deps.database.write((tx) =>
      tx.run("UPDATE slots SET status = 'completed' WHERE id = ?", slotId),
    );

    expect((await service.request("POST", path, { headers, body })).status).toBe(204);
    expect((await service.request("GET", "/api/v1/console/me", { headers })).status).toBe(401);
    expect((await postSession(service, account)).status).toBe(401);
    await eventually(async () => expect(await rowsWith(account.email)).toEqual([]));
    const { database } = service.deps;
    expect(await database.get("SELECT 1 AS one FROM users WHERE id = ?", account.id)).toBeUndefined();
    await eventually(async () =>
      expect(await database.get("SELECT updated_by FROM faqs WHERE app_id = ?", app.id)).toEqual({
        updated_by: null,
      }),
    );
    expect(await database.get("SELECT tester_id FROM slots WHERE id = ?", slotId)).toEqual({
      tester_id: null,
    });
    await eventually(async () =>
      expect(
        await database.get("SELECT status, email_sealed FROM erasures ORDER BY id DESC LIMIT 1"),
      ).toEqual({ status: "done", email_sealed: null }),
    );
  });

  it("is refused with the names of apps that would have no owner", async () => {
    const { account, headers } = await signedIn();
    await service.makeApp(account, { name: "Larder" });
    const body = { email: account.email, currentPassword: account.password };
    const answer = await service.request("POST", path, { headers, body });
    expect([answer.status, answer.field("code"), answer.field("error")]).toEqual([
      ...[409, "last_owner", expect.stringContaining("Larder would have no owner.")],
    ]);
    expect((await postSession(service, account)).status).toBe(201);
  });

  it("needs the address, the password and the second factor", async () => {
    const { account, headers } = await signedIn();
    const send = async (body: object, as = headers) =>
      (await service.request("POST", path, { headers: as, body })).status;
    expect(await send({ email: "other@example.org", currentPassword: account.password })).toBe(400);
    expect(await send({ email: account.email })).toBe(401);
    expect(await send({ email: account.email, currentPassword: "wrong" })).toBe(401);
    const factor = await makeFactorAccount(service);
    const without = { email: factor.email, currentPassword: factor.password };
    const refused = await service.request("POST", path, { headers: factor.headers, body: without });
    expect([refused.status, refused.field("code")]).toEqual([401, "second_factor_required"]);
    expect(await send({ ...without, code: "000000" }, factor.headers)).toBe(401);
  });

  it("is possible in the console", async () => {
    const { account, headers } = await signedIn();
    const browser = createBrowserWithoutScripts(service, headers);
    const page = await browser.open("/console/account");
    const form = "/console/account/delete";
    const wrong = await browser.send(page, form, { email: account.email, currentPassword: "wrong" });
    expect(readingOf(wrong)).toContain("Current password is wrong.");
    expect(wrong.text).not.toContain('value="wrong"');
    const right = { email: account.email, currentPassword: account.password };
    expect(locationOf(await browser.send(page, form, right))).toContain("/console/sign-in");
    expect((await postSession(service, account)).status).toBe(401);
  });
});
