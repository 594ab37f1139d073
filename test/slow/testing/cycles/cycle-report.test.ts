import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { createBrowserWithoutScripts, readingOf } from "../../../support/browser/browser-without-scripts.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { type CycleOnNinthDay, makeCycleOnNinthDay } from "../../../support/worlds/cycle-on-its-ninth-day.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the page with the report of a cycle", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let lived: CycleOnNinthDay;
  let browser: TestBrowser;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
    lived = await makeCycleOnNinthDay(service, world);
  });

  const report = () => createBrowserWithoutScripts(service, world.headers).open(`${lived.path}/report`);

  it("shows how many testers have each day counted", async () => {
    const page = readingOf(await report());
    expect(page).toMatch(/ 2 \w{3} \d+ \w{3} \d{4} 8 3 \w{3} \d+ \w{3} \d{4} 7 4 /);
    expect(page).toContain("Testers 9 Testers with every day counted so far 4");
  });

  it("shows for each slot which days were counted, and by what", async () => {
    const page = readingOf(await report());
    expect(page).toMatch(/ 6 Removed [^R]* 3 3 0 3 3 6 min 36 s 6 Active /);
    expect(page).toMatch(/ 7 Active [^R]* – 9 4 5 0 4 /);
  });

  it("contains the statement of the specification, and promises nothing", async () => {
    const page = readingOf(await report());
    expect(page).toContain("A day counted by a session says only this: a session of at least 45 seconds");
    expect(page).toContain("This report does not say how an app store will decide.");
    expect(page).not.toMatch(/guarantee|will be approved|ready for production/i);
  });

  it("contains no name of a person", async () => {
    expect((await report()).text).not.toMatch(/@|%40/);
  });

  it("is printed black on white without buttons and menus, even in dark mode", async () => {
    const page = await openPage(browser, service, world.headers, { colorScheme: "dark" });
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(`${lived.path}/report`);
    expect(await page.getByRole("button", { name: "Print" }).isVisible()).toBe(true);
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("link", { name: "Back to the cycle" }).isVisible()).toBe(false);
    expect(await page.getByRole("heading", { name: "Testers per day" }).isVisible()).toBe(true);
    const text = await page.locator("h1").evaluate((title) => getComputedStyle(title).color);
    expect(text).toBe("rgb(33, 30, 26)");
    expect(complaints).toEqual([]);
  });

  it("does not exist for the owner of another app", async () => {
    const other = createBrowserWithoutScripts(service, await service.signIn(await service.makeUser()));
    expect((await other.open(`${lived.path}/report`)).status).toBe(404);
  });
});
