import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../../support/worlds/owner-with-one-of-each.ts";

describe("a screen in the mode of forced colours", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let browser: TestBrowser;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
  });

  const ground = (place: Locator) => place.evaluate((element) => getComputedStyle(element).backgroundColor);
  const opened = async (path: string) => {
    const page = await openPage(browser, service, world.headers, { forcedColors: "active" });
    await page.goto(path);
    return page;
  };

  it.each(["light", "dark"] as const)("shows which view is open, %s", async (colorScheme) => {
    const page = await opened(`/console/feedback/${world.app.id}`);
    await page.emulateMedia({ colorScheme });
    const chosen = await ground(page.locator(".views li a[aria-current]"));
    expect(chosen).not.toBe(await ground(page.locator(".views li a:not([aria-current])").first()));
  });

  it("shows which of several cards is chosen, and shows borders of the badges", async () => {
    const page = await opened(`/console/changelog/${world.app.id}/new`);
    const border = (place: Locator) => place.evaluate((element) => getComputedStyle(element).borderTopWidth);
    expect(await border(page.locator(".cards .choice:has(:checked)").first())).toBe("2px");
    await page.goto(`/console/changelog/${world.app.id}`);
    expect(await border(page.locator(".badge").first())).toBe("1px");
  });
});
