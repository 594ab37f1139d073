import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { type CycleOnNinthDay, makeCycleOnNinthDay } from "../../../support/worlds/cycle-on-its-ninth-day.ts";
import { newListing, recordSession } from "../../../support/worlds/listing-and-slot-activity.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the grid of slots and days", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let lived: CycleOnNinthDay;
  let browser: TestBrowser;
  let complaints: string[];
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
    lived = await makeCycleOnNinthDay(service, world);
  });
  beforeEach(() => {
    complaints = [];
  });

  const opened = async (options = {}, query = ""): Promise<Page> => {
    const page = await openPage(browser, service, world.headers, options);
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(lived.path + query);
    return page;
  };
  const evidence = (page: Page) => page.getByRole("complementary", { name: "Evidence" });

  it.each([
    ["Slot 1, day 3: counted by a session", "Counted by a session"],
    ["Slot 2, day 5: counted by a proof", "Counted by a proof"],
    ["Slot 4, day 3: missed", "No session and no proof arrived for this day."],
    ["Slot 5, day 6: missed", "The session was shorter than 45 seconds or reached fewer than 2 screens."],
    ["Slot 3, day 9: open today", "Open: the day can still be counted today"],
  ])("shows the evidence of “%s” beside the table", async (name, words) => {
    const page = await opened();
    await page.getByRole("link", { name }).click();
    await evidence(page).getByText(words).waitFor();
    expect(await page.getByRole("link", { name }).getAttribute("aria-current")).toBe("true");
    expect(complaints).toEqual([]);
  });

  it("shows the evidence without scripts", async () => {
    const page = await opened({ javaScriptEnabled: false });
    await page.getByRole("link", { name: "Slot 5, day 6: missed" }).click();
    expect(await evidence(page).innerText()).toContain("The session was shorter than 45 seconds");
    await page.getByRole("link", { name: "Slot 8" }).first().click();
    expect(await evidence(page).innerText()).toContain("Remove the tester");
  });

  it("shows the same evidence when the address is opened again", async () => {
    const page = await opened();
    await page.getByRole("link", { name: "Slot 1, day 3: counted by a session" }).click();
    await evidence(page).getByText("2 min 13 s").waitFor();
    await page.reload();
    expect(await evidence(page).innerText()).toContain("2 min 13 s");
  });

  it("has names for its rows and columns, and describes days without evidence in words", async () => {
    const page = await opened();
    const grid = page.getByRole("table");
    expect(await grid.getByRole("columnheader").allInnerTexts()).toHaveLength(16);
    expect(await grid.getByRole("columnheader", { name: /^Day 9 .*, today$/ }).count()).toBe(1);
    const row = grid.getByRole("row", { name: /^Slot 12 / });
    expect(await row.getByRole("cell", { name: "slot not active" }).count()).toBe(14);
    expect(
      await grid
        .getByRole("row", { name: /^Slot 1 / })
        .getByRole("cell", { name: "not begun yet" })
        .count(),
    ).toBe(5);
  });

  it("shows a removed tester in a lighter colour above the successor", async () => {
    const page = await opened();
    const rows = await page
      .getByRole("row", { name: /^Slot 6 / })
      .evaluateAll((all) =>
        all.map((row) => [row.className, row.querySelectorAll("td .mark.session").length]),
      );
    expect(rows).toEqual([
      ["removed", 3],
      ["", 1],
    ]);
  });

  it("moves the focus with arrow keys from cell to cell, and with Enter to the evidence", async () => {
    const page = await opened();
    await page.getByRole("link", { name: "Slot 1, day 3" }).focus();
    for (const key of [
      "ArrowRight",
      "ArrowDown",
      "ArrowDown",
      "ArrowDown",
      "ArrowDown",
      "ArrowRight",
      "ArrowRight",
    ])
      await page.keyboard.press(key);
    await page.keyboard.press("Enter");
    await evidence(page).getByRole("heading", { name: "Slot 5, day 6" }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(
      "Slot 5, day 6: missed",
    );
  });

  it("gets the focus by the Tab key in reading order", async () => {
    const page = await opened();
    await page.getByRole("link", { name: /^Slot 1 / }).focus();
    const names: (string | null)[] = [];
    for (let day = 1; day <= 3; day += 1) {
      await page.keyboard.press("Tab");
      names.push(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? null));
    }
    expect(names).toEqual([1, 2, 3].map((day) => `Slot 1, day ${day}: counted by a session`));
  });

  it("scrolls within its own area on a phone, and its slots are always visible", async () => {
    const page = await opened({ viewport: { width: 390, height: 844 } });
    const grid = page.getByRole("region", { name: "Slots by days" });
    await grid.evaluate((element) => element.scrollTo({ left: 10_000 }));
    const slot = await page.getByRole("link", { name: /^Slot 1 / }).boundingBox();
    expect(slot?.x).toBeGreaterThanOrEqual(0);
    expect(slot?.x).toBeLessThan(40);
    expect(await grid.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  it.each(["light", "dark"] as const)(
    "shows the kinds of days by different shapes, %s",
    async (colorScheme) => {
      const page = await opened({ colorScheme });
      const shapes = await page
        .locator(".legend .mark path")
        .evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
      expect(new Set(shapes).size).toBe(6);
      expect(complaints).toEqual([]);
    },
  );

  it("shows new events without a change of the scroll position", async () => {
    const page = await openPage(browser, service, world.headers, { viewport: { width: 390, height: 844 } });
    await page.clock.install();
    await page.goto(lived.path);
    const grid = page.getByRole("region", { name: "Slots by days" });
    await grid.evaluate((element) => element.scrollTo({ left: 60 }));
    await recordSession(service, lived.slotOf(3), { dayIndex: 9, reason: null });
    await page.clock.runFor(21_000);
    await page.getByRole("link", { name: "Slot 3, day 9: counted by a session" }).waitFor();
    expect(await grid.evaluate((element) => element.scrollLeft)).toBe(60);
  });

  it("begins with today if not all days are visible", async () => {
    const page = await opened({ viewport: { width: 390, height: 844 } });
    const today = await page.getByRole("columnheader", { name: /, today$/ }).boundingBox();
    expect((today?.x ?? 0) + (today?.width ?? 0)).toBeLessThanOrEqual(390);
    expect(today?.x).toBeGreaterThan(150);
  });

  it("offers the reader's own time zone for the first cycle", async () => {
    const app = await service.makeApp(world.owner);
    const listed = await world.call("POST", `/apps/${app.id}/listings`, newListing);
    const page = await openPage(browser, service, world.headers, { timezoneId: "America/Lima" });
    await page.goto(`/console/testing/${app.id}/${listed.field("id")}`);
    expect(await page.getByLabel("Time zone").inputValue()).toBe("America/Lima");
  });

  it("offers that time zone with the name of the browser if the server uses another name", async () => {
    const app = await service.makeApp(world.owner);
    const listed = await world.call("POST", `/apps/${app.id}/listings`, newListing);
    const page = await openPage(browser, service, world.headers);
    await page.addInitScript(() => {
      const known = Intl.DateTimeFormat.prototype.resolvedOptions;
      Intl.DateTimeFormat.prototype.resolvedOptions = function () {
        return { ...known.call(this), timeZone: "Asia/Kolkata" };
      };
    });
    await page.goto(`/console/testing/${app.id}/${listed.field("id")}`);
    expect(await page.getByLabel("Time zone").inputValue()).toBe("Asia/Kolkata");
  });

  it("removes a tester after an explanation, and keeps the evidence", async () => {
    const page = await opened({}, `?slot=${lived.slotOf(9)}`);
    await evidence(page).getByText("Remove the tester").click();
    await evidence(page).getByRole("button", { name: "Remove permanently" }).click();
    await page.getByText("The tester is removed. The counted days are kept.").waitFor();
    expect(
      await page
        .getByRole("row", { name: /^Slot 9 .*Removed/ })
        .getByRole("link")
        .count(),
    ).toBe(7);
  });
});
