import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "../../../../support/browser/browser.ts";
import { openPage } from "../../../../support/browser/browser-page.ts";
import {
  createBrowserWithoutScripts,
  readingOf,
} from "../../../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../../../support/service/service.ts";
import { createProviderPeople } from "../../../../support/sign-in/identity-provider-people.ts";
import {
  type ServiceWithProvider,
  startServiceWithProvider,
} from "../../../../support/sign-in/service-with-identity-provider.ts";

describe("the pages of a deployment with an identity provider", () => {
  let provided: ServiceWithProvider;
  let service: Service;
  let people: ReturnType<typeof createProviderPeople>;
  let browser: TestBrowser;
  beforeAll(async () => {
    provided = await startServiceWithProvider();
    service = provided.service;
    people = createProviderPeople(provided);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await provided.stop();
  });

  it("lead from the sign-in to the provider, and back to the requested page", async () => {
    const page = await createBrowserWithoutScripts(service).open("/console/sign-in?to=%2Fconsole%2Faudit");
    expect(page.text).toContain(`href="${provided.start("/console/audit")}"`);
    expect(readingOf(page)).toContain("Sign in with Inn ID");
  });

  it("lead from the approval of a device to the provider, and back to the approval", async () => {
    const query = { redirect: "tavern://back", device: "d", name: "Pixel 9", challenge: "c".repeat(43) };
    const page = await openPage(browser, service);
    const { email } = people.person();
    await page.goto(`/tavern/authorize?${new URLSearchParams(query)}`);
    await page.getByRole("link", { name: "Sign in with Inn ID" }).click();
    await page.getByRole("button", { name: "Approve" }).waitFor();
    expect(await page.locator("main").innerText()).toContain("Pixel 9");
    expect(await page.locator("main").innerText()).toContain(email);
  });

  it.each([true, false])("sign in a person with a browser, scripts: %s", async (javaScriptEnabled) => {
    const { email } = people.person();
    const page = await openPage(browser, service, {}, { javaScriptEnabled });
    await page.goto("/console/audit");
    await page.getByRole("link", { name: "Sign in with Inn ID" }).click();
    await page.waitForURL(`${service.baseUrl}/console/audit`);
    expect(await page.locator("main").innerText()).toContain(email);
  });

  it("connect the provider to an account, and then open the account with the provider", async () => {
    const account = await service.makeUser();
    people.person();
    const page = await openPage(browser, service, await service.signIn(account));
    await page.goto("/console/sign-in-methods");
    await page.getByRole("link", { name: "Connect Inn ID" }).click();
    expect(await page.locator("main").innerText()).toContain(account.email);
    await page.getByRole("button", { name: "Connect" }).click();
    expect(await page.getByRole("status").innerText()).toBe(
      "The sign-in method is added. You can use it from now on.",
    );
    expect(await page.locator("main").innerText()).toContain("Connected");

    const elsewhere = await openPage(browser, service);
    await elsewhere.goto("/console/sign-in");
    await elsewhere.getByRole("link", { name: "Sign in with Inn ID" }).click();
    await elsewhere.locator("summary", { hasText: `Account ${account.email}` }).waitFor();
  });

  it("show the sign-in methods of an account", async () => {
    const { id } = await service.makeUser();
    const page = readingOf(
      await createBrowserWithoutScripts(service, await service.signIn({ id })).open(
        "/console/sign-in-methods",
      ),
    );
    expect(page).toMatch(/Password None Set a password .* Inn ID Connect/);
  });

  it("show a provider's name only as text", async () => {
    const name = "<b>Inn</b>";
    const one = { id: "inn", name, issuer: provided.provider.issuer, clientId: "x", clientSecret: undefined };
    const other = await startService({ settings: { identityProviders: [one] } });
    const page = await createBrowserWithoutScripts(other).open("/console/sign-in");
    expect(page.text).not.toContain(name);
    expect(readingOf(page)).toContain(`Sign in with ${name}`);
    await other.stop();
  });
});

describe("the pages of a deployment without identity providers", () => {
  it("do not mention a provider", async () => {
    const service = await startService();
    expect(readingOf(await createBrowserWithoutScripts(service).open("/console/sign-in"))).not.toContain(
      "Sign in with",
    );
    await service.stop();
  });
});
