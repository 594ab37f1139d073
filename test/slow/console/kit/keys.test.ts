import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the shortcut keys of a page", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let browser: TestBrowser;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
  });

  const open = async (path: string): Promise<Page> => {
    const page = await openPage(browser, service, world.headers);
    await page.goto(path);
    return page;
  };
  // The second key is sent before the browser answers the first: two keys are a pair only within 1.5 s.
  const pressPair = (page: Page, first: string, second: string) =>
    Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
  const list = (page: Page) => page.getByRole("dialog", { name: "Keys" });
  const setKeys = (keys: boolean) =>
    service.request("PATCH", "/api/v1/console/preferences", {
      headers: { ...world.headers, origin: service.baseUrl },
      body: { keys },
    });

  it("are listed by the key ?, and g with a letter opens a page", async () => {
    const page = await open(`/console/members/${world.app.id}`);
    await page.keyboard.press("?");
    expect(await list(page).innerText()).toMatch(/g f\s+Go to the FAQ/);
    await page.keyboard.press("Escape");
    expect(await list(page).count()).toBe(0);
    await pressPair(page, "g", "f");
    await page.waitForURL(`**/console/faqs/${world.app.id}`);
    await pressPair(page, "g", "d");
    await page.waitForURL(/\/console$/);
  });

  it("have no effect in a field, with a modifier key, or while a dialog is open", async () => {
    const page = await open("/console/search");
    await page.locator("#q").fill("");
    await page.locator("#q").pressSequentially("g i?");
    expect(await page.locator("#q").inputValue()).toBe("g i?");
    await page.locator("h1").click();
    await page.keyboard.press("Alt+?");
    expect(await list(page).count()).toBe(0);
    await page.keyboard.press("?");
    await pressPair(page, "g", "d");
    expect(new URL(page.url()).pathname).toBe("/console/search");
  });

  it("work immediately after a click on a link that saves a file", async () => {
    const page = await open(`/console/numbers/${world.app.id}`);
    await Promise.all([page.waitForEvent("download"), page.locator("a[download]").first().click()]);
    await page.keyboard.press("?");
    expect(await list(page).count()).toBe(1);
  });

  it("can be turned off by the person", async () => {
    await setKeys(false);
    const page = await open(`/console/members/${world.app.id}`);
    await page.keyboard.press("?");
    await pressPair(page, "g", "f");
    expect([await list(page).count(), new URL(page.url()).pathname]).toEqual([
      0,
      `/console/members/${world.app.id}`,
    ]);
    await setKeys(true);
  });

  it("move the focus into the fields of a thread", async () => {
    const page = await open(`/console/feedback/${world.app.id}/${world.threadId}`);
    await page.keyboard.press("n");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("noteBody");
    await page.keyboard.press("Escape");
    await page.locator("h1").click();
    await page.keyboard.press("r");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("replyBody");
  });
});
