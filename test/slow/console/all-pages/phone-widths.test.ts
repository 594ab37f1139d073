import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { openDemo } from "../../../support/browser/demo-pages.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";

describe("the console at a width of", () => {
  let service: Service;
  let browser: TestBrowser;
  let demo: Awaited<ReturnType<typeof openDemo>>;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    demo = await openDemo(service);
    for (let at = 0; at < 10; at += 1)
      await service.request("POST", `/api/v1/console/apps/${demo.appId}/faqs`, {
        headers: demo.headers,
        body: { question: `Question ${at}?`, answer: "Yes." },
      });
  });

  const open = (width: number) =>
    openPage(browser, service, demo.headers, { viewport: { width, height: 844 } });
  const pageOf = (part: string) => `/console/${part}/${demo.appId}`;

  it.each([320, 360, 390, 430])("%i pixels shows every tab of an app completely", async (width) => {
    const page = await open(width);
    for (const part of ["feedback", "faqs", "changelog", "testing", "apps"]) {
      await page.goto(pageOf(part));
      for (const tab of await page.locator(".tabs a").all()) {
        const { left, right } = await edges(tab);
        expect([part, left >= 0, right <= width]).toEqual([part, true, true]);
      }
    }
  });

  it.each([320, 360, 390, 430])("%i pixels has no search button alone on a line", async (width) => {
    const page = await open(width);
    await page.goto(pageOf("faqs"));
    expect(await neighboursOfButton(page)).not.toBe(0);
  });

  it.each([320, 390])("%i pixels has enough space for people with long addresses", async (width) => {
    const email = `${"a".repeat(60)}${width}@${"very-long-name-of-a-company.".repeat(5)}example`;
    const { id } = await service.makeUser(email);
    const row = {
      app_id: demo.appId,
      user_id: id,
      role: "maintainer",
      created_at: "2026-01-01T00:00:00.000Z",
    };
    await service.deps.database.insert("app_members", row);
    const page = await openPage(browser, service, await service.signIn({ id }), {
      viewport: { width, height: 844 },
    });
    await page.goto(pageOf("feedback"));
    await page.locator("#threads a.to").first().click();
    await page.getByRole("button", { name: "Assign to me" }).click();
    await page.getByText("You are the assignee of this thread now.").waitFor();
    for (const path of [
      new URL(page.url()).pathname + new URL(page.url()).search,
      pageOf("feedback"),
      pageOf("members"),
      "/console/account",
    ]) {
      await page.goto(path);
      expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, width]);
    }
  });

  it.each([320, 390, 768, 1440])(
    "%i pixels shows complete words in the filters of the inbox",
    async (width) => {
      const page = await open(width);
      await page.goto(pageOf("feedback"));
      await page.locator(".filter-menu summary").click();
      expect(await page.locator("#filter-type").evaluate(missingWidth)).toBe(0);
    },
  );

  it.each([390, 1440])(
    "%i pixels does not divide the date of a report or the address of a tester",
    async (width) => {
      const page = await open(width);
      await page.goto(pageOf("testing"));
      const run = (await page.locator("a[href*='/console/cycles/']").first().getAttribute("href")) ?? "";
      const [path = ""] = run.split(/[?#]/);
      await page.goto(`${path}/report`);
      expect(await page.locator(".facts time").evaluateAll(linesOf)).toEqual([1, 1]);
      await page.goto(path);
      await page.locator(".days .seat a").first().click();
      const tester = page.locator(".evidence dd bdi").first();
      await tester.waitFor();
      expect(await tester.evaluateAll(linesOf)).toEqual([1]);
    },
  );
});

/** Runs in the page: the number of lines of each of these elements. */
const linesOf = (elements: Element[]) => elements.map((element) => element.getClientRects().length);

const edges = (element: Locator) => element.evaluate((found) => found.getBoundingClientRect());

/** The number of fields on the line of a page's search button. */
const neighboursOfButton = (page: Page): Promise<number> =>
  page.locator("form.search").evaluate((form) => {
    const middleOf = (element: Element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return (top + bottom) / 2;
    };
    const button = form.querySelector("button");
    const fields = [...form.querySelectorAll("input:not([type=hidden]), select")];
    return fields.filter((field) => button && Math.abs(middleOf(field) - middleOf(button)) < 4).length;
  });

/** Runs in the page: the number of pixels that a select field lacks to show its longest word. */
function missingWidth(select: Element): number {
  const roomy = document.createElement("div");
  const copy = select.cloneNode(true);
  roomy.style.width = "max-content";
  roomy.append(copy);
  document.body.append(roomy);
  const wanted = roomy.getBoundingClientRect().width;
  roomy.remove();
  return Math.max(0, Math.round(wanted - select.getBoundingClientRect().width));
}
