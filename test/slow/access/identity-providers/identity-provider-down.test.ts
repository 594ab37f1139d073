import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithCookies } from "../../../support/browser/browser-with-cookies.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import {
  type FaultyProvider,
  faultyProviderClient,
  startFaultyProvider,
} from "../../../support/sign-in/faulty-identity-provider.ts";
import { clientId, startIdentityProvider } from "../../../support/sign-in/identity-provider.ts";

const providerAt = (issuer: string) => [{ id: "inn", name: "Inn ID", issuer, ...faultyProviderClient }];

describe("an identity provider that does not answer", () => {
  let service: Service;
  let port: number;
  beforeAll(async () => {
    const gone = await startFaultyProvider();
    port = Number(new URL(gone.issuer).port);
    await gone.stop();
    service = await startService({ settings: { identityProviders: providerAt(gone.issuer) } });
  });
  afterAll(() => service.stop());

  it("does not prevent the start and the work of the server", async () => {
    expect((await service.request("GET", "/healthz")).status).toBe(200);
    expect((await createBrowserWithCookies().go(`${service.baseUrl}/console/sign-in`)).text).toContain(
      "Inn ID",
    );
  });

  it("is reported to people on a page that says when they can try again", async () => {
    const page = await createBrowserWithCookies().step(`${service.baseUrl}/tavern/with/inn`);
    expect([page.status, page.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(page.text).toContain("Inn ID cannot be used right now.");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  });

  it("is reported to programs as busy", async () => {
    const answer = await service.request("GET", "/tavern/with/inn");
    expect([answer.status, answer.field("code")]).toEqual([503, "busy"]);
    expect(answer.headers.get("retry-after")).toBe("5");
  });

  it("is logged for operators with the cause", async () => {
    await service.request("GET", "/tavern/with/inn");
    expect(service.logged()).toContain("fetch failed");
  });

  it("can sign in people immediately after it answers again", async () => {
    const provider = await startFaultyProvider(port);
    const page = await createBrowserWithCookies().go(`${service.baseUrl}/tavern/with/inn`);
    expect(page.address).toBe(`${service.baseUrl}/console`);
    await provider.stop();
  });
});

describe("an identity provider with a fault", () => {
  let service: Service;
  let provider: FaultyProvider;
  beforeAll(async () => {
    provider = await startFaultyProvider();
    service = await startService({ settings: { identityProviders: providerAt(provider.issuer) } });
  });
  afterEach(() => provider.bend({}));
  afterAll(() => Promise.all([service.stop(), provider.stop()]));

  const arrive = () => createBrowserWithCookies().go(`${service.baseUrl}/tavern/with/inn`);

  it("is refused if it names another issuer", async () => {
    provider.bend({ metadata: { issuer: "https://evil.example" } });
    expect((await arrive()).status).toBe(503);
  });

  it("is asked once for its configuration, which is kept for all users", async () => {
    await arrive();
    const asked = provider.asked("/.well-known/openid-configuration");
    await Promise.all([arrive(), arrive(), arrive()]);
    expect(provider.asked("/.well-known/openid-configuration")).toBe(asked);
  });

  it("is asked again for its configuration after one day", async () => {
    await arrive();
    const asked = provider.asked("/.well-known/openid-configuration");
    service.clock.advance(86_400_000);
    await Promise.all([arrive(), arrive()]);
    expect(provider.asked("/.well-known/openid-configuration")).toBe(asked + 1);
    service.clock.advance(-86_400_000);
  });

  it.each([
    ["fails when it is asked for tokens", { tokenStatus: 500 }],
    ["answers that it is overloaded", { answer: { error: "temporarily_unavailable" } }],
    ["does not answer within five seconds", { silentAt: "/token" }],
  ])("is reported as busy if it %s", async (_, bend) => {
    provider.bend(bend);
    const page = await arrive();
    expect([page.status, page.text.includes("Inn ID cannot be used")]).toEqual([503, true]);
  });
});

describe("an identity provider that refuses the client secret", () => {
  it("does not sign in a person, and the log has the cause and not the secret", async () => {
    const provider = await startIdentityProvider();
    const one = {
      id: "inn",
      name: "Inn ID",
      issuer: provider.issuer,
      clientId,
      clientSecret: "a wrong secret",
    };
    const service = await startService({ settings: { identityProviders: [one] } });
    provider.register(`${service.baseUrl}/tavern/with/inn/callback`);
    const browser = createBrowserWithCookies();
    expect((await browser.go(`${service.baseUrl}/tavern/with/inn`)).status).toBe(503);
    expect(browser.cookie("innkeep")).toBeUndefined();
    expect(service.logged()).toContain("invalid_client");
    expect(service.logged()).not.toContain("a wrong secret");
    await Promise.all([service.stop(), provider.stop()]);
  });
});
