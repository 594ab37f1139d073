import { v7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../../support/browser/browser-without-scripts.ts";
import { mailedToken } from "../../../support/mail/mailed-links.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { cookieOf, makeAccount, postSession } from "../../../support/sign-in/password-accounts.ts";

describe("the pages for new accounts and forgotten passwords", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ settings: { dev: true } });
  });
  afterAll(() => service.stop());

  it("allow a new password from the sign-in page on", async () => {
    const { email } = await makeAccount(service);
    const nobody = createBrowserWithoutScripts(service);
    expect((await nobody.open("/console/sign-in")).text).toContain('href="/console/recover"');
    const asked = await nobody.send(await nobody.open("/console/recover"), "/console/recover", { email });
    expect(readingOf(asked)).toContain("If this address has an account with a password");
    const path = `/console/recover/${await mailedToken(service, email)}`;
    const page = await nobody.open(path);
    expect(page.headers.get("referrer-policy")).toBe("same-origin");
    const typed = { password: "a fresh password", repeatedPassword: "another one" };
    const other = await nobody.send(page, path, typed);
    expect(readingOf(other)).toContain("New password again does not match the new password.");
    expect(other.text).not.toContain("a fresh password");
    const short = await nobody.send(page, path, { password: "short", repeatedPassword: "short" });
    expect(readingOf(short)).toContain("New password must have at least 8 characters.");
    const done = await nobody.send(page, path, { ...typed, repeatedPassword: typed.password });
    expect(done.headers.get("location")).toBe("/console/sign-in?done=password-set");
    const again = await nobody.send(page, path, { ...typed, repeatedPassword: typed.password });
    expect([again.status, readingOf(again).includes("This link cannot be used")]).toEqual([400, true]);
    expect((await postSession(service, { email, password: typed.password })).status).toBe(201);
  });

  it("create an account from an address and a mail", async () => {
    const email = `${v7()}@example.org`;
    const nobody = createBrowserWithoutScripts(service);
    const form = await nobody.open("/tavern/sign-up");
    expect(form.text).not.toContain('type="password"');
    const asked = await nobody.send(form, "/tavern/sign-up", { email });
    expect([readingOf(asked).includes("Check your mail"), cookieOf(asked)]).toEqual([true, ""]);
    const path = `/console/sign-up/${await mailedToken(service, email)}`;
    const typed = { password: "a fresh password", repeatedPassword: "a fresh password" };
    const done = await nobody.send(await nobody.open(path), path, typed);
    expect(done.headers.get("location")).toBe("/console?done=account-created");
    const inside = createBrowserWithoutScripts(service, { cookie: cookieOf(done) });
    expect(readingOf(await inside.open("/console"))).toContain(email);
  });

  it("give the same answer for an address that has an account", async () => {
    const { email } = await makeAccount(service);
    const nobody = createBrowserWithoutScripts(service);
    const pages = [];
    for (const address of [email, `${v7()}@example.org`])
      for (const path of ["/tavern/sign-up", "/console/recover"])
        pages.push((await nobody.send(await nobody.open(path), path, { email: address })).text);
    expect(pages.slice(2)).toEqual(pages.slice(0, 2));
  });
});

it("the page of a server that sends no mail names its operator", async () => {
  const service = await startService();
  const page = await createBrowserWithoutScripts(service).open("/console/recover");
  expect(readingOf(page)).toContain("innkeep admin user password");
  await service.stop();
});

it("the link to a new account shows an error if registration is off", async () => {
  const service = await startService({ environment: { INNKEEP_REGISTRATION: "off" } });
  const nobody = createBrowserWithoutScripts(service);
  expect((await nobody.open("/console/sign-up/x")).status).toBe(404);
  const body = { email: "ada@example.org", password: "a fresh password" };
  const answer = await service.request("POST", "/api/v1/console/sign-up", { body });
  expect(answer.field("code")).toBe("forbidden");
  await service.stop();
});
