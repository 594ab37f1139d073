import { expect, it, onTestFinished } from "vitest";
import { axeFaults, loadAxe } from "../../../../support/browser/axe.ts";
import { startBrowser } from "../../../../support/browser/browser.ts";
import { openPage } from "../../../../support/browser/browser-page.ts";
import { startService } from "../../../../support/service/service.ts";
import { makeFactorAccount, nextCode } from "../../../../support/sign-in/second-factors.ts";

it("a person adds a passkey in Chromium, and signs in with the passkey in place of a code", async () => {
  const service = await startService({ hostName: "localhost" });
  const browser = await startBrowser();
  onTestFinished(async () => {
    await browser.close();
    await service.stop();
  });
  const account = await makeFactorAccount(service);
  const page = await openPage(browser, service, account.headers);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "usb", automaticPresenceSimulation: true },
  });
  const refused: string[] = [];
  page.on("console", (message) => refused.push(message.text()));

  await page.goto("/console/sign-in-methods");
  await page.getByText("Add a passkey").first().click();
  const form = page.locator("form", { has: page.getByRole("button", { name: "Add a passkey" }) });
  await form.getByLabel("Code").fill(nextCode(service, account.secret));
  await form.getByRole("button").click();
  await page.getByLabel("Name").fill("Security key");
  await loadAxe(page);
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Create passkey" }).click();
  await page.getByText("Passkey Security key").waitFor();
  await loadAxe(page);
  expect(await axeFaults(page)).toEqual([]);

  await page.context().clearCookies();
  await page.goto("/console/sign-in?to=/console/audit");
  await page.getByLabel("E-mail").fill(account.email);
  await page.getByLabel("Password").fill(account.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.waitForURL(`${service.baseUrl}/console/audit`);
  expect(refused.filter((text) => text.includes("Content Security Policy"))).toEqual([]);
});
