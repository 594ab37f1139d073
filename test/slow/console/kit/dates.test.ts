import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { fullTime } from "../../../../server/console/times.tsx";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { readingOf } from "../../../support/browser/browser-without-scripts.ts";
import { everyPage, openDemo } from "../../../support/browser/demo-pages.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { fillThreads } from "../../../support/worlds/owner-with-one-of-each.ts";

const publishedAt = "2026-10-20T23:30:00.000Z";
const published = "20 Oct 2026, 23:30 UTC";
const long = "January|February|March|April|May|June|July|August|September|October|November|December";
const months = `\\b(?:${long}|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)`;

/**
 * Dates in another form than `20 Oct 2026`: with the month first, with the full name of the month, or only with
 * numbers.
 */
const otherForms = new RegExp(
  `${months}\\.? \\d{1,2}\\b|\\d(?:st|nd|rd|th) ${months}\\b|\\d ${months}, \\d|\\d (?!May)(?:${long})\\b|` +
    "\\b\\d{1,2}[/.]\\d{1,2}[/.]\\d{2,4}\\b|\\b20\\d\\d-\\d\\d-\\d\\d\\b",
  "g",
);

describe("the dates in the console", () => {
  let service: Service;
  let demo: Awaited<ReturnType<typeof openDemo>>;
  let list: string;
  let entry: string;
  let browser: TestBrowser;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    demo = await openDemo(service);
    list = `/console/changelog/${demo.appId}`;
    const made = await service.request("POST", `/api/v1/console/apps/${demo.appId}/changelog`, {
      headers: demo.headers,
      body: { title: "Dated", version: "9.9.9", publishedAt },
    });
    entry = `${list}/${made.field("id")}`;
  });

  it("are checked by this test for every forbidden form", () => {
    const others = [
      "Nov 20, 2026",
      "20 Nov, 2026",
      "November 20",
      "20th Nov 2026",
      "20 November 2026",
      "11/20/2026",
      "2026-11-20",
    ];
    for (const date of others) expect([date, date.match(otherForms)]).not.toEqual([date, null]);
    expect(`${fullTime(publishedAt)} Tue 20 Oct 2026, 14:05`.match(otherForms)).toBeNull();
  });

  it("have the same form on all pages", async () => {
    const pages = await everyPage(service, demo.visitor);
    expect(pages.size).toBeGreaterThan(20);
    for (const [path, page] of pages) expect([path, readingOf(page).match(otherForms)]).toEqual([path, null]);
  });

  it.each([
    ["en-US", "America/Los_Angeles", "20 Oct 2026, 16:30 GMT-7", "2026-10-20T16:30"],
    ["ja-JP", "Asia/Tokyo", "21 Oct 2026, 08:30 GMT+9", "2026-10-21T08:30"],
  ])(
    "are the same for a release note in the list and the form, beside the time zone: %s, %s",
    async (locale, timezoneId, here, typed) => {
      const page = await openPage(browser, service, demo.headers, { locale, timezoneId });
      await page.goto(list);
      const line = page.locator("li", { hasText: "Dated" });
      expect(await line.locator("time").textContent()).toBe(`${here} (${published})`);
      await page.goto(entry);
      expect(await page.locator(".head time").textContent()).toBe(`${here} (${published})`);
      expect(await page.getByLabel(`Publication time (${timezoneId})`).inputValue()).toBe(typed);
      expect(await page.locator("#field-publishedAt-hint").textContent()).toMatch(
        /^20 Oct 2026, 23:30 UTC\./,
      );
    },
  );

  it("have the same form in the reader's time zone, and show the same day in the list and the thread", async () => {
    const threadId = service.deps.newId();
    const old = { id: threadId, subject: "An old report", createdAt: "2026-01-03T05:00:00.000Z" };
    await fillThreads(service, demo.appId, [old]);
    const page = await openPage(browser, service, demo.headers, {
      locale: "en-US",
      timezoneId: "America/Los_Angeles",
    });
    await page.goto(`/console/feedback/${demo.appId}?status=all`);
    expect(await page.locator("li", { hasText: "An old report" }).locator("time").textContent()).toBe(
      "2 Jan 2026",
    );
    await page.goto(`/console/feedback/${demo.appId}/${threadId}`);
    expect(await page.locator("article time").first().textContent()).toBe("2 Jan 2026, 21:00 GMT-8");
    for (const path of [`/console/audit`, `/console/devices`, list]) {
      await page.goto(path);
      expect([path, await formsIn(page)]).toEqual([path, null]);
    }
  });
});

const formsIn = async (page: Page) => (await page.locator("body").innerText()).match(otherForms);
