import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithCookies,
  createBrowserWithCookies,
  type Stop,
} from "../../support/browser/browser-with-cookies.ts";
import { createProviderPeople } from "../../support/sign-in/identity-provider-people.ts";
import { makeAccount } from "../../support/sign-in/password-accounts.ts";
import {
  type ServiceWithProvider,
  startServiceWithProvider,
} from "../../support/sign-in/service-with-identity-provider.ts";

describe("a sign-in with an identity provider", () => {
  let provided: ServiceWithProvider;
  let people: ReturnType<typeof createProviderPeople>;
  beforeAll(async () => {
    provided = await startServiceWithProvider();
    people = createProviderPeople(provided);
  });
  afterAll(() => provided.stop());

  /** Signs in up to the answer of the address to which the provider redirects. */
  const come = async (browser: BrowserWithCookies, to?: string): Promise<Stop> => {
    let stop = await browser.step(provided.start(to));
    while (!stop.address.includes("/callback?")) stop = await browser.step(stop.location);
    return stop;
  };

  it("creates an account for a new person, who then has access to the console", async () => {
    const browser = createBrowserWithCookies();
    const { email } = people.person();
    const page = await people.arrive(browser);
    expect(page).toMatchObject({ status: 200, address: provided.service.deps.settings.consoleUrl });
    expect(await people.signedInAs(browser)).toBe(email);
  });

  it("gives the person's name to an account without a name, and does not change a chosen name", async () => {
    const nameOf = async (email: string) =>
      (await provided.service.deps.database.all("SELECT name FROM users WHERE email = ?", email))[0];
    const { sub, email } = people.person({ name: " Ada Byron " });
    await people.arrive(createBrowserWithCookies());
    expect(await nameOf(email)).toEqual({ name: "Ada Byron" });
    people.person({ sub, email, name: "Another" });
    await people.arrive(createBrowserWithCookies());
    expect(await nameOf(email)).toEqual({ name: "Ada Byron" });
    for (const name of ["a".repeat(61), "Ada\u202eB", "boss@example.org", ""]) {
      const other = people.person({ name });
      const page = await people.arrive(createBrowserWithCookies());
      expect([page.status, await nameOf(other.email)]).toEqual([200, { name: null }]);
    }
  });

  it("finds the account again after the person's address at the provider has changed", async () => {
    const { sub, email } = people.person();
    await people.arrive(createBrowserWithCookies());
    people.person({ sub, email: `new-${email}` });
    const again = createBrowserWithCookies();
    await people.arrive(again);
    expect(await people.signedInAs(again)).toBe(email);
    expect(await people.accounts(`new-${email}`)).toEqual([]);
  });

  it("starts the same session as a sign-in with a password, with its cookie and its audit entry", async () => {
    const { email } = people.person();
    const { headers } = await come(createBrowserWithCookies());
    const cookie = headers.getSetCookie().find((line) => line.startsWith("innkeep=")) ?? "";
    expect(cookie).toMatch(/^innkeep=[\w-]{43}; Expires=.+; Path=\/; HttpOnly; SameSite=Lax$/);
    const sent = { headers: { cookie: cookie.split(";")[0] ?? "" } };
    expect((await provided.service.request("GET", "/api/v1/console/audit", sent)).body).toMatchObject({
      items: [
        { action: "session.create", actor: email, address: "127.0.0.1" },
        { action: "identity.connect", actor: email, target: "inn" },
      ],
    });
  });

  it("ends the old session of the browser", async () => {
    const { browser } = await people.owner();
    const old = createBrowserWithCookies({ innkeep: browser.cookie("innkeep") ?? "" });
    people.person();
    const visitor = createBrowserWithCookies();
    const { location } = await visitor.step(provided.start());
    visitor.setCookie("innkeep", browser.cookie("innkeep") ?? "");
    await visitor.go(location);
    expect(await people.signedInAs(old)).toBeUndefined();
  });

  it.each([
    ["a page of the console", "/console/audit?cursor=a", "/console/audit?cursor=a"],
    ["the approval of a device", "/tavern/authorize?device=d&name=n", "/tavern/authorize?device=d&name=n"],
    ["another site", "https://evil.example", "/console"],
    ["another site without a scheme", "//evil.example", "/console"],
    ["another site after a backslash", "/\\evil.example", "/console"],
    ["a script", "javascript:alert(1)", "/console"],
    ["an address too long for a cookie", `/console?${"a".repeat(3_000)}`, "/console"],
  ])("leads only to an allowed page if the return target is %s", async (_, to, end) => {
    people.person();
    const stop = await come(createBrowserWithCookies(), to);
    expect([stop.status, stop.location]).toEqual([303, provided.service.baseUrl + end]);
  });

  it.each([
    ["an unverified address", { email_verified: false }],
    ["an address that is not said to be verified", { email_verified: undefined }],
    ["no address", { email: undefined }],
    ["an invalid address", { email: "nobody" }],
  ])("is refused for a new person with %s", async (_, traits) => {
    const { email = "" } = people.person(traits);
    const browser = createBrowserWithCookies();
    const page = await people.arrive(browser);
    expect(page.status).toBe(403);
    expect(page.text).toContain("Inn ID has not verified your e-mail address.");
    expect(await people.signedInAs(browser)).toBeUndefined();
    expect(await people.accounts(email)).toEqual([]);
  });

  it("does not open an account only because it has the same address, and says what the person can do", async () => {
    const { email } = people.person();
    await makeAccount(provided.service, email);
    const browser = createBrowserWithCookies();
    const page = await people.arrive(browser);
    expect(page.status).toBe(409);
    expect(page.text).toContain("Sign in to it in the usual way, then connect Inn ID under Sign-in methods.");
    expect(page.text).toContain('href="/console/sign-in?to=%2Fconsole%2Fsign-in-methods"');
    expect(await people.signedInAs(browser)).toBeUndefined();
    expect((await people.arrive(browser)).status).toBe(409);
  });

  it("treats another spelling of an address as the same address", async () => {
    const { email } = people.person();
    await makeAccount(provided.service, email);
    people.person({ email: email.toUpperCase() });
    expect((await people.arrive(createBrowserWithCookies())).status).toBe(409);
  });

  it("creates one account if several sign-ins arrive at the same time", async () => {
    const { email } = people.person();
    const pages = await Promise.all(
      Array.from({ length: 5 }, () => people.arrive(createBrowserWithCookies())),
    );
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await people.accounts(email)).toHaveLength(1);
  });

  it("creates an account without a password", async () => {
    const { email } = people.person();
    await people.arrive(createBrowserWithCookies());
    const body = { email, password: "undefined" };
    const answer = await provided.service.request("POST", "/api/v1/console/session", { body });
    expect(answer.field("code")).toBe("invalid_credentials");
  });

  it("writes no codes, states, sessions and no client secret to the log", async () => {
    people.person();
    const browser = createBrowserWithCookies();
    const { address } = await come(browser);
    await browser.step(address);
    const answer = new URL(address).searchParams;
    const secrets = [answer.get("code"), answer.get("state"), browser.cookie("innkeep")];
    expect(secrets.every((secret) => secret && !provided.service.logged().includes(secret))).toBe(true);
    expect(provided.service.logged()).not.toContain(provided.provider.clientSecret);
  });
});

describe("a sign-in with an identity provider while registration is off", () => {
  it("creates no account for a new person", async () => {
    const provided = await startServiceWithProvider({ settings: { registration: false } });
    createProviderPeople(provided).person();
    const page = await createBrowserWithCookies().go(provided.start());
    expect([page.status, page.text.includes("New accounts are turned off on this server.")]).toEqual([
      403,
      true,
    ]);
    await provided.stop();
  });

  it("succeeds for a person who has an account", async () => {
    const provided = await startServiceWithProvider({ settings: { registration: false } });
    const people = createProviderPeople(provided);
    const { email, browser } = await people.owner();
    people.person();
    await people.confirm(browser, await people.arrive(browser));
    const elsewhere = createBrowserWithCookies();
    await people.arrive(elsewhere);
    expect(await people.signedInAs(elsewhere)).toBe(email);
    await provided.stop();
  });
});
