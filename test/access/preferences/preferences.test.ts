import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";

const path = "/api/v1/console/preferences";

describe.each(databases)("the preferences of a person in the console on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  const person = async () => {
    const headers = { ...(await service.signIn(await service.makeUser())), origin: service.baseUrl };
    const call = (method: "GET" | "PATCH", body?: object) =>
      service.request(method, path, { headers, ...(body ? { body } : {}) });
    return { headers, call, browser: createBrowserWithoutScripts(service, headers) };
  };

  it("have shortcut keys and the next thread turned on at first, and store what the person changes", async () => {
    const [ada, grace] = [await person(), await person()];
    expect((await ada.call("GET")).body).toEqual({ keys: true, afterResolving: "next" });
    expect((await ada.call("PATCH", { keys: false })).body).toEqual({ keys: false, afterResolving: "next" });
    expect((await ada.call("PATCH", { afterResolving: "list" })).body).toEqual({
      keys: false,
      afterResolving: "list",
    });
    expect((await ada.call("GET")).body).toEqual({ keys: false, afterResolving: "list" });
    expect((await grace.call("GET")).body).toEqual({ keys: true, afterResolving: "next" });
    expect((await ada.call("PATCH", { afterResolving: "home" })).status).toBe(400);
  });

  it("can be changed under “Your account”, without scripts", async () => {
    const { browser, call } = await person();
    const page = await browser.open("/console/account");
    expect(page.text).toContain('data-keys="true"');
    expect(readingOf(page)).toContain("Single keys");
    const action = "/console/account/preferences";
    const sent = await browser.send(page, action, { keys: "", afterResolving: "stay" });
    const next = await browser.follow(sent);
    expect(next.text).not.toContain("data-keys");
    expect((await call("GET")).body).toEqual({ keys: false, afterResolving: "stay" });
    const refused = await browser.send(next, action, { afterResolving: "nowhere" });
    expect([refused.status, readingOf(refused)]).toEqual([
      400,
      expect.stringContaining("Nothing was saved."),
    ]);
  });
});
