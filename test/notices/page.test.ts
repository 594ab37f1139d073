import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeNoticedApp } from "../support/mail/noticed-app.ts";
import { makeSubscriber, startPushService } from "../support/network/push-service.ts";
import { type Service, startService } from "../support/service/service.ts";

describe("the page of notices, without scripts,", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ settings: { dev: true } });
  });
  afterAll(() => service.stop());

  const openPages = async () => {
    const app = await makeNoticedApp(service);
    const at = `${service.baseUrl}/console/account/notices`;
    const headers = { ...app.owner.headers, accept: "text/html" };
    const open = async (path = "") => (await fetch(at + path, { headers })).text();
    const send = async (path: string, fields: Record<string, string>) => {
      const body = new URLSearchParams({ once: service.deps.newId(), ...fields });
      const answer = await fetch(at + path, { method: "POST", body, redirect: "manual", headers });
      return { status: answer.status, to: answer.headers.get("location") ?? "", text: await answer.text() };
    };
    return { app, open, send };
  };

  /** The names of the selected checkboxes. */
  const ticked = (page: string) =>
    [...page.matchAll(/<input type="checkbox" name="([\w.]+)"[^>]*\bchecked/g)].map(([, name]) => name);

  it("shows the check marks, and saves only those that were changed", async () => {
    const { app, open, send } = await openPages();
    const before = ticked(await open());
    expect(before).toContain("answer.mail");
    expect(before).not.toContain("report.mail");
    const fields = Object.fromEntries([...before, "report.daily"].map((name) => [name, "on"]));
    const { "storm.mail": _, ...kept } = fields;
    const saved = await send(`/${app.appId}`, { ...kept, stormPerHour: "25" });
    expect(saved.to).toBe(`/console/account/notices?app=${app.appId}&done=changed`);
    const page = await open();
    expect(ticked(page)).toEqual(expect.arrayContaining(["report.daily", "answer.mail"]));
    expect(ticked(page)).not.toContain("storm.mail");
    expect(page).toContain('value="25"');
    const { body } = await app.owner.call("GET", "/me/notices");
    const [own] = Object(body).apps;
    const changed = own.kinds.flatMap((each: { kind: string; byDefault: boolean }) =>
      each.byDefault ? [] : [each.kind],
    );
    expect(changed).toEqual(["report", "storm"]);
  });

  it("shows a refused form again with its check marks", async () => {
    const { app, send } = await openPages();
    const refused = await send(`/${app.appId}`, { "report.mail": "on", stormPerHour: "1" });
    expect(refused.status).toBe(400);
    expect(ticked(refused.text)).toEqual(["report.mail"]);
    expect(refused.text).toContain("must be at least 2");
  });

  it("saves the quiet hours, and deletes them", async () => {
    const { app, open, send } = await openPages();
    expect((await send("/hours", { timezone: "Asia/Tokyo", from: "22:00", to: "06:30" })).status).toBe(303);
    expect(await open()).toMatch(/name="from"[^>]*value="22:00"|value="22:00"[^>]*name="from"/);
    const refused = await send("/hours", { timezone: "Asia/Tokyo", from: "22:00", to: "" });
    expect(refused.status).toBe(400);
    await send("/hours", { timezone: "Asia/Tokyo", from: "", to: "" });
    expect((await app.owner.call("GET", "/me/notices")).body).toMatchObject({
      timezone: "Asia/Tokyo",
      quietHours: null,
    });
  });

  it("lists the browsers that show notices, and can turn off one", async () => {
    const { app, open, send } = await openPages();
    const push = await startPushService();
    expect(await open()).toMatch(/<noscript><p>[^<]*scripts/);
    for (const { subscription } of [makeSubscriber(push), makeSubscriber(push)])
      await app.owner.call("POST", "/me/notices/browsers", subscription);
    const removals = (page: string) => [...page.matchAll(/notices(\/browsers\/[\w-]+\/remove)"/g)];
    const [[, first = ""] = []] = removals(await open());
    const removed = await send(first, {});
    expect(removed.to).toBe("/console/account/notices?done=browser-removed");
    expect(removals(await open()).map(([, path]) => path)).not.toContain(first);
    expect(removals(await open())).toHaveLength(1);
  });

  it("says why a browser was not turned on", async () => {
    const { send } = await openPages();
    const push = await startPushService();
    const { subscription } = makeSubscriber(push);
    const refused = await send("/browsers", { ...subscription, p256dh: "A".repeat(87) });
    expect([refused.status, refused.text.includes("the key in the answer must be the public key")]).toEqual([
      400,
      true,
    ]);
    const turnedOn = await send("/browsers", subscription);
    expect(turnedOn.to).toBe("/console/account/notices?done=browser-on");
  });

  it("shows one app at a time, and only apps of the person", async () => {
    const { app, open } = await openPages();
    const second = await service.makeApp(app.owner, { name: "Pantry" });
    const other = await makeNoticedApp(service);
    expect(await open(`?app=${second.id}`)).toMatch(/About\s*<bdi>Pantry/);
    const page = await open(`?app=${other.appId}`);
    expect(page).not.toContain(other.appId);
  });
});
