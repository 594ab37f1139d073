import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { axeFaults, loadAxe } from "../../../../support/browser/axe.ts";
import type { TestBrowser } from "../../../../support/browser/browser.ts";
import { openPage } from "../../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../../support/browser/with-browser.ts";
import type { Service } from "../../../../support/service/service.ts";
import { makeAccount } from "../../../../support/sign-in/password-accounts.ts";
import { nextCode, openWithPassword } from "../../../../support/sign-in/second-factors.ts";

const looks = [
  { width: 390, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
  { width: 1440, colorScheme: "light" },
  { width: 1440, colorScheme: "dark" },
] as const;

describe("the pages of the second factor in Chromium", () => {
  let service: Service;
  let browser: TestBrowser;
  withBrowser((started) => {
    ({ service, browser } = started);
  });

  const look = async (page: Page) => {
    await loadAxe(page);
    expect(await axeFaults(page)).toEqual([]);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(wider).toBe(false);
  };

  it.each(looks)(
    "lead from the password to the recovery codes and to the next sign-in, at $width pixels in $colorScheme mode",
    async ({ width, colorScheme }) => {
      const account = await makeAccount(service);
      const headers = await openWithPassword(service, account);
      const page = await openPage(browser, service, headers, {
        viewport: { width, height: 800 },
        colorScheme,
      });
      await page.goto("/console/sign-in-methods");
      await page.getByText("Set up an authenticator app").first().click();
      await page.getByLabel("Your password").fill(account.password);
      await page.getByRole("button", { name: "Set up an authenticator app" }).click();
      const secret = (await page.getByLabel("Key").inputValue()).replaceAll(" ", "");
      await look(page);
      await page.getByLabel("Code", { exact: true }).fill(nextCode(service, secret));
      await page.getByRole("button", { name: "Turn on" }).click();
      expect(await page.locator(".codes li").count()).toBe(10);
      await look(page);
      await page.getByRole("link", { name: "I have saved them" }).click();
      await look(page);
      const other = await openPage(browser, service, {}, { viewport: { width, height: 800 }, colorScheme });
      await other.goto("/console/sign-in?to=/console/audit");
      await other.getByLabel("E-mail").fill(account.email);
      await other.getByLabel("Password").fill(account.password);
      await other.getByRole("button", { name: "Sign in" }).click();
      await other.getByLabel("Code", { exact: true }).fill(nextCode(service, secret));
      await look(other);
      await other.getByRole("button", { name: "Sign in" }).click();
      await other.waitForURL(`${service.baseUrl}/console/audit`);
    },
  );
});
