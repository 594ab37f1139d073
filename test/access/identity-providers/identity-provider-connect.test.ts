import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithCookies } from "../../support/browser/browser-with-cookies.ts";
import { createProviderPeople, identityOf } from "../../support/sign-in/identity-provider-people.ts";
import {
  type ServiceWithProvider,
  startServiceWithProvider,
} from "../../support/sign-in/service-with-identity-provider.ts";

describe("the connection of a provider to an account", () => {
  let provided: ServiceWithProvider;
  let people: ReturnType<typeof createProviderPeople>;
  beforeAll(async () => {
    provided = await startServiceWithProvider();
    people = createProviderPeople(provided);
  });
  afterAll(() => provided.stop());

  const signsInAs = async () => {
    const browser = createBrowserWithCookies();
    await people.arrive(browser);
    return people.signedInAs(browser);
  };

  it("allows the owner to sign in with the provider after the owner has confirmed the connection", async () => {
    const { email, browser } = await people.owner();
    people.person();
    const page = await people.arrive(browser);
    expect(page.text).toContain("Connect Inn ID?");
    expect((await people.confirm(browser, page)).status).toBe(303);
    expect(await signsInAs()).toBe(email);
  });

  it("is not made without a confirmation, because another site may have started it", async () => {
    const { browser } = await people.owner();
    const { email } = people.person();
    await people.arrive(browser);
    expect(await signsInAs()).toBe(email);
  });

  it("needs no verified address", async () => {
    const { email, browser } = await people.owner();
    people.person({ email_verified: false });
    await people.confirm(browser, await people.arrive(browser));
    expect(await signsInAs()).toBe(email);
  });

  it("needs no confirmation if it exists already", async () => {
    const { browser } = await people.owner();
    people.person();
    await people.confirm(browser, await people.arrive(browser));
    expect((await people.arrive(browser)).address).toBe(provided.service.deps.settings.consoleUrl);
  });

  it("is refused if the identity belongs to another account", async () => {
    people.person();
    await people.arrive(createBrowserWithCookies());
    const { email, browser } = await people.owner();
    const page = await people.arrive(browser);
    expect([page.status, page.text.includes("connected to another account of this server")]).toEqual([
      403,
      true,
    ]);
    expect(await people.signedInAs(browser)).toBe(email);
  });

  it("is refused if another account has connected the identity in the meantime", async () => {
    const { browser } = await people.owner();
    people.person();
    const page = await people.arrive(browser);
    await people.arrive(createBrowserWithCookies());
    expect((await people.confirm(browser, page)).status).toBe(403);
  });

  it("is refused if the browser has signed in to another account in the meantime", async () => {
    const [first, second] = [await people.owner(), await people.owner()];
    people.person();
    const { location } = await first.browser.step(provided.start());
    first.browser.setCookie("innkeep", second.browser.cookie("innkeep") ?? "");
    expect((await first.browser.go(location)).text).toContain(
      "You are now signed in with a different account than at the start",
    );
  });

  it("is refused if the user has signed out in the meantime", async () => {
    const { browser } = await people.owner();
    people.person();
    const { location } = await browser.step(provided.start());
    browser.setCookie("innkeep", "");
    expect((await browser.go(location)).status).toBe(403);
  });

  it("is refused if another user than the one who was asked confirms", async () => {
    const [first, second] = [await people.owner(), await people.owner()];
    people.person();
    const page = await people.arrive(first.browser);
    expect((await people.confirm(second.browser, page)).status).toBe(403);
  });

  it.each(["https://evil.example", "null", ""])(
    "is refused for a form from the origin %j",
    async (origin) => {
      const { browser } = await people.owner();
      people.person();
      const identity = identityOf((await people.arrive(browser)).text);
      const address = `${provided.service.baseUrl}/tavern/with/inn/connect`;
      expect((await browser.send(address, { identity }, { origin })).status).toBe(403);
    },
  );

  it("is refused if the confirmation comes more than ten minutes later", async () => {
    const { browser } = await people.owner();
    people.person();
    const page = await people.arrive(browser);
    provided.service.clock.advance(600_000);
    expect((await people.confirm(browser, page)).status).toBe(400);
    provided.service.clock.advance(-600_000);
  });

  it.each(["", "forged", Buffer.alloc(64).toString("base64")])(
    "is refused with the confirmation token %j",
    async (identity) => {
      const { browser } = await people.owner();
      const address = `${provided.service.baseUrl}/tavern/with/inn/connect`;
      expect((await browser.send(address, { identity })).status).toBe(400);
    },
  );
});
