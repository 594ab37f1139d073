import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("a person on an empty server", () => {
  let service: Service;
  let browser: TestBrowser;
  withBrowser((started) => {
    ({ service, browser } = started);
  });

  /** Counts the clicks of a person and the pages that the browser loads. */
  const counting = (page: Page) => {
    const counts = { clicks: 0, loads: 0 };
    page.on("load", () => {
      counts.loads += 1;
    });
    const click = async (role: "button" | "link", name: string) => {
      counts.clicks += 1;
      await page.getByRole(role, { name }).click();
    };
    return { counts, click };
  };

  const begin = async (page: Page) => {
    const { counts, click } = counting(page);
    await page.goto("/console");
    await click("link", "Create an account");
    await page.getByLabel("E-mail").fill(`${crypto.randomUUID()}@example.org`);
    await page.getByLabel("Password").fill("a long passphrase of my own");
    await click("button", "Create account");
    await page.getByLabel("Name of your app").fill("Larder");
    await click("button", "Create the app and its key");
    await page.getByText("Waiting for the first report").waitFor();
    const key = await page.getByLabel("The key for your app").inputValue();
    return { counts, click, key };
  };

  it("answers the first report with at most 6 clicks and 5 page loads", async () => {
    const page = await openPage(browser, service);
    const { counts, click, key } = await begin(page);
    await click("button", "Send a test report");
    await page.getByText("The first report has arrived").waitFor();
    expect(await page.getByLabel("The key for your app").inputValue()).toBe(key);
    await click("button", "Send the answer");
    await page.getByText("You have answered.").waitFor();
    await page.waitForLoadState("load");
    expect(counts.clicks).toBeLessThanOrEqual(6);
    expect(counts.loads).toBeLessThanOrEqual(5);
    await page.context().close();
  });

  it("sees a report that an app sends, and the key is still visible", async () => {
    const page = await openPage(browser, service);
    const { key } = await begin(page);
    const call = await page.locator("#call-curl").textContent();
    expect(call).toContain(`x-api-key: ${key}`);
    await sendFeedback(service, key, { message: "The list is empty.", subject: "Empty list" });
    await page.getByText("The first report has arrived").waitFor();
    await page.getByRole("link", { name: "Empty list" }).waitFor();
    expect(await page.getByLabel("The key for your app").inputValue()).toBe(key);
    await page.context().close();
  });
});
