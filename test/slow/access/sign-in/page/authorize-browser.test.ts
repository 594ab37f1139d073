import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../../support/browser/browser.ts";
import { openPage } from "../../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../../support/browser/with-browser.ts";
import type { Service } from "../../../../support/service/service.ts";
import {
  authorizeAddress,
  exchange,
  type NewDevice,
  newDevice,
} from "../../../../support/sign-in/device-sign-in.ts";
import { makeAccount, type TestAccount } from "../../../../support/sign-in/password-accounts.ts";

describe("the sign-in of a device in Chromium with the policies of the pages", () => {
  let service: Service;
  let browser: TestBrowser;
  let account: TestAccount;
  let device: NewDevice;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    account = await makeAccount(service);
  });
  beforeEach(async () => {
    device = await newDevice();
  });

  const signIn = async (page: Page) => {
    await page.getByLabel("E-mail").fill(account.email);
    await page.getByLabel("Password").fill(account.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Approve" }).waitFor();
  };
  const atApproval = async (redirect: string, options = {}) => {
    const page = await openPage(browser, service, await service.signIn(account), options);
    await page.goto(authorizeAddress(device, { redirect }));
    return page;
  };

  it.each(["tavern://back/home?x=1", "innkeeptavern://back"])(
    "redirects a browser without a session to the app's address with the code: %s",
    async (redirect) => {
      const page = await openPage(browser, service);
      const watched = watch(page);
      await page.goto(authorizeAddress(device, { redirect, state: "s1" }));
      await signIn(page);
      const leaving = page.waitForRequest((request) => request.url().startsWith(redirect));
      await page.getByRole("button", { name: "Approve" }).click();
      const left = new URL((await leaving).url());
      expect(left.searchParams.get("state")).toBe("s1");
      expect(watched.refused).toEqual([]);
      expect((await exchange(service, device, left.searchParams.get("code") ?? "")).status).toBe(201);
    },
  );

  it("redirects to the app without a code if the person refuses", async () => {
    const page = await atApproval("tavern://back");
    const leaving = page.waitForRequest(/^tavern:/);
    await page.getByRole("button", { name: "Refuse" }).click();
    expect((await leaving).url()).toBe("tavern://back?error=access_denied");
  });

  it("ends at the redirect page of this server, where the code is shown and can be copied", async () => {
    const page = await atApproval(`${service.baseUrl}/tavern/code`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const watched = watch(page);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("button", { name: "Copy the code" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const code = await page.getByLabel("Code").inputValue();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
    expect(watched.refused).toEqual([]);
    expect((await exchange(service, device, code)).status).toBe(201);
  });

  it("works without scripts, and the code can be selected", async () => {
    const page = await atApproval(`${service.baseUrl}/tavern/code`, { javaScriptEnabled: false });
    await page.getByRole("button", { name: "Approve" }).click();
    const code = await page.getByLabel("Code").inputValue();
    expect(await page.getByRole("button").count()).toBe(0);
    expect((await exchange(service, device, code)).status).toBe(201);
  });

  it("sends its forms with the server's origin, and never sends the code in a Referer", async () => {
    const page = await atApproval(`${service.baseUrl}/tavern/code`);
    const watched = watch(page);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByLabel("Code").waitFor();
    await page.getByRole("link", { name: "Innkeep, home" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    const posts = watched.requests.filter(({ method }) => method === "POST");
    expect(posts.map(({ origin }) => origin)).toEqual([service.baseUrl]);
    expect(watched.requests.filter(({ referer }) => referer.includes("code="))).toEqual([]);
    const shown = watched.requests.find(({ url }) => url.includes("/tavern/code?"));
    expect(shown?.referer).toBe("");
  });

  it("is blocked by the browser if the page would redirect to another site", async () => {
    const page = await atApproval("tavern://back");
    const watched = watch(page);
    await page.evaluate(() => {
      const form = document.querySelector<HTMLFormElement>('form[action="/tavern/authorize"]');
      form?.setAttribute("action", "https://evil.example/");
    });
    await page.getByRole("button", { name: "Approve" }).dispatchEvent("click");
    await expect.poll(() => watched.refused.join()).toContain("form-action");
    expect(watched.requests.filter(({ url }) => url.includes("evil.example"))).toEqual([]);
  });

  it("cannot be shown within a page of another site", async () => {
    const page = await openPage(browser, service, await service.signIn(account));
    const watched = watch(page);
    const src = service.baseUrl + authorizeAddress(device);
    await page.setContent(`<iframe src="${src.replaceAll("&", "&amp;")}"></iframe>`);
    await expect.poll(() => watched.refused.join()).toMatch(/frame-ancestors|X-Frame-Options/i);
  });

  it.each(["light", "dark"] as const)(
    "is completely visible on a phone and has a name for every field, in %s mode",
    async (colorScheme) => {
      const options = { colorScheme, viewport: { width: 360, height: 740 } };
      const page = await atApproval(`${service.baseUrl}/tavern/code`, options);
      const looks = async () => ({
        overflow: await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ),
        headings: await page.locator("h1").count(),
        title: / · Innkeep$/.test(await page.title()),
      });
      const good = { overflow: 0, headings: 1, title: true };
      expect(await looks()).toEqual(good);
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByLabel("Code").waitFor();
      expect(await looks()).toEqual(good);
      for (const path of [
        "/tavern/sign-in",
        "/tavern/sign-up",
        "/tavern/code",
        "/tavern/authorize?redirect=x",
      ]) {
        await page.goto(path);
        expect([path, await looks()]).toEqual([path, good]);
      }
    },
  );
});

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly origin: string;
  readonly referer: string;
}

/** Records the requests of a page, and the requests that its policy refuses. */
function watch(page: Page) {
  const watched: { readonly requests: Seen[]; readonly refused: string[] } = { requests: [], refused: [] };
  page.on("request", async (request) => {
    const { origin = "", referer = "" } = await request.allHeaders();
    watched.requests.push({ method: request.method(), url: request.url(), origin, referer });
  });
  page.on("console", (message) => {
    if (/Content Security Policy|Refused|X-Frame/i.test(message.text())) watched.refused.push(message.text());
  });
  return watched;
}
