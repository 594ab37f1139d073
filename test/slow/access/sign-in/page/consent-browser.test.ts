import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { axeFaults, loadAxe } from "../../../../support/browser/axe.ts";
import type { TestBrowser } from "../../../../support/browser/browser.ts";
import { openPage } from "../../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../../support/browser/with-browser.ts";
import type { Service } from "../../../../support/service/service.ts";
import { consentAddress, exchangeCode, registerProgram } from "../../../../support/sign-in/oauth.ts";
import { makeAccount, type TestAccount } from "../../../../support/sign-in/password-accounts.ts";

const looks = [
  { width: 390, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
  { width: 1440, colorScheme: "light" },
  { width: 1440, colorScheme: "dark" },
] as const;

describe("the consent page in Chromium with the policies of the pages", () => {
  let service: Service;
  let browser: TestBrowser;
  let account: TestAccount;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    account = await makeAccount(service);
    await service.makeApp(account, { name: "Larder" });
  });

  const signIn = async (page: Page) => {
    await page.getByLabel("E-mail").fill(account.email);
    await page.getByLabel("Password").fill(account.password);
    await page.getByRole("button", { name: "Sign in" }).click();
  };

  it.each(["http://127.0.0.1:33418/callback", "https://agent.example/back", "agent.app://back"])(
    "redirects a browser without a session to %s with the code",
    async (redirect) => {
      const program = await registerProgram(service, { redirect });
      const page = await openPage(browser, service);
      const refused: string[] = [];
      page.on("console", (message) => refused.push(message.text()));
      await page.goto(consentAddress(program));
      await signIn(page);
      const leaving = page.waitForRequest((request) => request.url().startsWith(redirect));
      await page.getByRole("button", { name: "Allow" }).click();
      const left = new URL((await leaving).url());
      expect(refused.filter((text) => text.includes("Content Security Policy"))).toEqual([]);
      const answer = await exchangeCode(service, program, left.searchParams.get("code") ?? "");
      expect(answer.body).toMatchObject({ scope: "read propose" });
      expect((await leaving).headers().referer).toBeUndefined();
    },
  );

  it.each(looks)(
    "is readable and accessible at $width pixels in $colorScheme",
    async ({ width, colorScheme }) => {
      const name =
        "A program with a name that is far longer than any sensible name of a program could ever be";
      const program = await registerProgram(service, { name });
      const page = await openPage(browser, service, await service.signIn(account), {
        viewport: { width, height: 844 },
        colorScheme,
      });
      await page.goto(consentAddress(program));
      await loadAxe(page);
      expect(await axeFaults(page)).toEqual([]);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
      const shots = process.env.INNKEEP_SHOTS;
      if (shots)
        await page.screenshot({ path: `${shots}/consent-${width}-${colorScheme}.png`, fullPage: true });
    },
  );

  it("works without scripts and with the keyboard, and respects what the person ticks", async () => {
    const program = await registerProgram(service, { redirect: "https://agent.example/back" });
    const page = await openPage(browser, service, await service.signIn(account), {
      javaScriptEnabled: false,
    });
    await page.goto(consentAddress(program));
    await page.getByLabel("Propose plans").focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Claim approved plans").check();
    const leaving = page.waitForRequest(/^https:\/\/agent\.example/);
    await page.getByRole("button", { name: "Allow" }).click();
    const code = new URL((await leaving).url()).searchParams.get("code") ?? "";
    expect((await exchangeCode(service, program, code)).body).toMatchObject({ scope: "read runs:work" });
  });
});
