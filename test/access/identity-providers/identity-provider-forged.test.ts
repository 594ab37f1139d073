import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithCookies,
  createBrowserWithCookies,
  type Stop,
} from "../../support/browser/browser-with-cookies.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type FaultyProvider,
  faultyProviderClient,
  type ProviderFaults,
  startFaultyProvider,
} from "../../support/sign-in/faulty-identity-provider.ts";

describe("a response of an identity provider", () => {
  let service: Service;
  let honest: FaultyProvider;
  let other: FaultyProvider;
  beforeAll(async () => {
    [honest, other] = await Promise.all([startFaultyProvider(), startFaultyProvider()]);
    const identityProviders = [
      { id: "honest", name: "Honest", issuer: honest.issuer, ...faultyProviderClient },
      { id: "other", name: "Other", issuer: other.issuer, ...faultyProviderClient },
    ];
    service = await startService({ settings: { identityProviders } });
  });
  afterEach(() => honest.bend({}));
  afterAll(() => Promise.all([service.stop(), honest.stop(), other.stop()]));

  /** The URL to which the provider redirects the browser. */
  const comeBack = async (browser: BrowserWithCookies): Promise<string> => {
    const { location } = await browser.step(`${service.baseUrl}/tavern/with/honest`);
    return (await browser.step(location)).location;
  };
  const opened = (browser: BrowserWithCookies, { status }: Stop) => ({
    status,
    session: browser.cookie("innkeep") !== undefined,
  });
  const arrive = async (browser = createBrowserWithCookies()) =>
    opened(browser, await browser.step(await comeBack(browser)));
  const refused = { status: 400, session: false };
  const later = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

  it("signs the person in if it is valid", async () => {
    expect(await arrive()).toEqual({ status: 303, session: true });
  });

  it.each<[string, ProviderFaults]>([
    ["is for another client", { claims: { aud: "another" } }],
    [
      "is for two clients, and was issued to the other one",
      { claims: { aud: ["innkeep", "another"], azp: "another" } },
    ],
    ["has another issuer", { claims: { iss: "https://evil.example" } }],
    ["expired long ago", { claims: { iat: 1_000, exp: 2_000 } }],
    ["expired a minute ago", { claims: { exp: later(-60) } }],
    ["is not valid yet", { claims: { nbf: later(600) } }],
    ["has another nonce", { claims: { nonce: "another" } }],
    ["has no nonce", { claims: { nonce: undefined } }],
    ["has no subject", { claims: { sub: undefined } }],
    ["is signed with a foreign key", { foreignKey: true }],
  ])("is refused if its id token %s", async (_, bend) => {
    honest.bend(bend);
    expect(await arrive()).toEqual(refused);
  });

  it.each<[string, ProviderFaults]>([
    ["has another state", { answer: { state: "another" } }],
    ["has no state", { answer: { state: "" } }],
    ["says that it comes from another provider", { answer: { iss: "https://evil.example" } }],
    ["has no code", { answer: { code: "" } }],
  ])("is refused if it %s", async (_, bend) => {
    honest.bend(bend);
    expect(await arrive()).toEqual(refused);
  });

  it("is refused if it is sent a second time", async () => {
    const browser = createBrowserWithCookies();
    const back = await comeBack(browser);
    await browser.step(back);
    const again = createBrowserWithCookies();
    expect(opened(again, await again.step(back))).toEqual(refused);
    expect((await browser.step(back)).status).toBe(400);
  });

  it("is refused if it is sent a second time with the first cookie", async () => {
    const browser = createBrowserWithCookies();
    const back = await comeBack(browser);
    const again = createBrowserWithCookies({ "innkeep-with": browser.cookie("innkeep-with") ?? "" });
    await browser.step(back);
    expect(opened(again, await again.step(back))).toEqual(refused);
  });

  it("is refused if it was meant for another browser, so that nobody can sign a person in to a foreign account", async () => {
    const back = await comeBack(createBrowserWithCookies());
    const victim = createBrowserWithCookies();
    expect(opened(victim, await victim.step(back))).toEqual(refused);
    await comeBack(victim);
    expect(opened(victim, await victim.step(back))).toEqual(refused);
  });

  it("is refused at the address of another provider, and its code is not sent", async () => {
    other.bend({ metadata: { authorization_response_iss_parameter_supported: false } });
    const browser = createBrowserWithCookies();
    const back = new URL((await comeBack(browser)).replace("/with/honest/", "/with/other/"));
    back.searchParams.delete("iss");
    expect(opened(browser, await browser.step(back.href))).toEqual(refused);
    expect(other.asked("/token")).toBe(0);
  });

  it("is refused after more than ten minutes", async () => {
    const browser = createBrowserWithCookies();
    const back = await comeBack(browser);
    service.clock.advance(600_000);
    expect(opened(browser, await browser.step(back))).toEqual(refused);
    service.clock.advance(-600_000);
  });

  it("is refused if the cookie has been changed", async () => {
    const browser = createBrowserWithCookies();
    const back = await comeBack(browser);
    const sealed = browser.cookie("innkeep-with") ?? "";
    browser.setCookie("innkeep-with", `${sealed.slice(0, 60)}AAAA${sealed.slice(64)}`);
    expect(opened(browser, await browser.step(back))).toEqual(refused);
  });

  it("is shown as a refusal by the person if it says that the person refused", async () => {
    honest.bend({ answer: { error: "access_denied" } });
    const browser = createBrowserWithCookies();
    const page = await browser.step(await comeBack(browser));
    expect([page.status, page.text.includes("Honest did not sign you in.")]).toEqual([403, true]);
  });

  it("deletes the cookie of the sign-in in every case", async () => {
    const browser = createBrowserWithCookies();
    const back = await comeBack(browser);
    expect(browser.cookie("innkeep-with")).toBeDefined();
    await browser.step(back);
    expect(browser.cookie("innkeep-with")).toBeUndefined();
  });
});

describe("the redirect to an identity provider", () => {
  let service: Service;
  let provider: FaultyProvider;
  beforeAll(async () => {
    provider = await startFaultyProvider();
    const one = { id: "inn", name: "Inn ID", issuer: provider.issuer, ...faultyProviderClient };
    service = await startService({ settings: { identityProviders: [one] } });
  });
  afterAll(() => Promise.all([service.stop(), provider.stop()]));

  it("contains a new state, nonce and challenge each time", async () => {
    const asked = async () => {
      const { location } = await createBrowserWithCookies().step(`${service.baseUrl}/tavern/with/inn`);
      return Object.fromEntries(new URL(location).searchParams);
    };
    const [one, two] = [await asked(), await asked()];
    expect(one).toMatchObject({
      redirect_uri: `${service.baseUrl}/tavern/with/inn/callback`,
      response_type: "code",
      scope: "openid email",
      code_challenge_method: "S256",
    });
    for (const part of ["state", "nonce", "code_challenge"]) {
      expect(one[part]).toMatch(/^[\w-]{43}$/);
      expect(one[part]).not.toBe(two[part]);
    }
  });

  it("stores its values in an encrypted cookie that scripts cannot read", async () => {
    const { headers, location } = await createBrowserWithCookies().step(`${service.baseUrl}/tavern/with/inn`);
    const cookie = headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^innkeep-with=[\w+/=]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(cookie).not.toContain(new URL(location).searchParams.get("state"));
  });

  it("cannot be cached", async () => {
    const { headers } = await createBrowserWithCookies().step(`${service.baseUrl}/tavern/with/inn`);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it.each(["/tavern/with/nobody", "/tavern/with/nobody/callback"])("is refused at %s", async (path) => {
    expect((await createBrowserWithCookies().step(service.baseUrl + path)).status).toBe(404);
    expect((await service.request("GET", path)).field("code")).toBe("not_found");
  });
});
