import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { mostOnPage } from "../../../../server/content/faqs/page/list.tsx";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { createBrowserWithoutScripts, readingOf } from "../../../support/browser/browser-without-scripts.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the order of the FAQ in the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let browser: TestBrowser;
  let path: string;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    const app = await service.makeApp(world.owner);
    path = `/console/faqs/${app.id}`;
    for (let at = 0; at < 12; at += 1) {
      const body = { question: `Question ${at}?`, answer: `Answer **${at}**` };
      await world.call("POST", `/apps/${app.id}/faqs`, body);
    }
  });

  const questions = (page: Page) => page.locator(".faq .to").allInnerTexts();
  const named = (...numbers: number[]) => numbers.map((at) => `Question ${at}?`);
  const focusedLabel = (page: Page) =>
    page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
  const opened = async (options = {}) => {
    const page = await openPage(browser, service, world.headers, {
      viewport: { width: 800, height: 400 },
      ...options,
    });
    await page.goto(path);
    return page;
  };

  it("is changed by several presses of one arrow button, without a page load and without scrolling", async () => {
    const page = await opened();
    await page.evaluate(() => Reflect.set(window, "stays", true));
    await page.getByRole("button", { name: "Move up: Question 9?" }).focus();
    const scrolled = await page.evaluate(() => scrollY);
    expect(scrolled).toBeGreaterThan(100);
    for (const place of [9, 8, 7]) {
      await page.keyboard.press("Enter");
      await expect
        .poll(() => page.locator("[aria-live]").innerText())
        .toBe(`Moved to position ${place} of 12.`);
      expect(await focusedLabel(page)).toBe("Move up: Question 9?");
    }
    expect(await page.evaluate(() => [Reflect.get(window, "stays"), scrollY > 100])).toEqual([true, true]);
    await page.reload();
    expect((await questions(page)).slice(5)).toEqual(named(5, 9, 6, 7, 8, 10, 11));
  });

  it("is right after presses that are faster than the answers", async () => {
    const page = await opened();
    const arrow = page.getByRole("button", { name: "Move down: Question 0?" });
    await arrow.evaluate((button: HTMLButtonElement) => {
      for (let times = 0; times < 3; times += 1) button.click();
    });
    await expect.poll(() => page.locator("[aria-live]").innerText()).toBe("Moved to position 4 of 12.");
    expect((await questions(page)).slice(0, 4)).toEqual(named(1, 2, 3, 0));
  });

  it("keeps the focus on an entry at the end of the list", async () => {
    const page = await opened();
    await page.getByRole("button", { name: "Move up: Question 1?" }).press("Enter");
    await expect.poll(() => focusedLabel(page)).toBe("Move down: Question 1?");
  });

  it("is changed if a person drags an entry by its handle, and Escape cancels this", async () => {
    const page = await opened({ viewport: { width: 800, height: 1_600 } });
    const handle = (at: number) => page.locator(".faq", { hasText: `Question ${at}?` }).locator(".handle");
    const centre = async (at: number) => {
      const box = await handle(at).boundingBox();
      return [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2] as const;
    };
    const drag = async (from: number, to: number) => {
      await page.mouse.move(...(await centre(from)));
      await page.mouse.down();
      await page.mouse.move(...(await centre(to)), { steps: 5 });
    };
    await drag(0, 5);
    await page.keyboard.press("Escape");
    await page.mouse.up();
    expect(await questions(page)).toEqual(named(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    await drag(1, 6);
    await page.mouse.up();
    await expect.poll(() => page.locator("[aria-live]").innerText()).toBe("Moved to position 7 of 12.");
    await drag(8, 0);
    await page.mouse.up();
    await expect.poll(() => page.locator("[aria-live]").innerText()).toBe("Moved to position 1 of 12.");
    await page.reload();
    expect(await questions(page)).toEqual(named(8, 0, 2, 3, 4, 5, 6, 1, 7, 9, 10, 11));
  });

  it("is changed by Alt and the arrow keys, with the focus on the entry", async () => {
    const page = await opened();
    const link = (at: number) => page.getByRole("link", { name: `Question ${at}?` });
    await link(3).press("Alt+ArrowUp");
    await expect.poll(() => page.locator("[aria-live]").innerText()).toBe("Moved to position 3 of 12.");
    await link(3).press("Alt+End");
    await expect.poll(() => page.locator("[aria-live]").innerText()).toBe("Moved to position 12 of 12.");
    await link(3).press("Alt+Home");
    await expect.poll(() => page.locator("[aria-live]").innerText()).toBe("Moved to position 1 of 12.");
    expect((await questions(page)).slice(0, 4)).toEqual(named(3, 0, 1, 2));
  });

  it("is changed over the boundary of a page, and then shows the other page", async () => {
    const appId = path.split("/").at(-1) ?? "";
    await service.deps.database.write((tx) =>
      tx.run(
        `WITH RECURSIVE numbers(n) AS (SELECT 12 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
         INSERT INTO faqs (id, app_id, question, answer, sort_order, created_at, updated_at)
         SELECT ? || CAST(100000000000 + n AS TEXT), ?, 'Question ' || n || '?', 'A.', 100 + n, ?, ? FROM numbers`,
        ...[
          mostOnPage + 8,
          appId.slice(0, 24),
          appId,
          "2026-01-01T00:00:00.000Z",
          "2026-01-01T00:00:00.000Z",
        ],
      ),
    );
    const page = await opened();
    await page.goto(`${path}?page=2`);
    expect(await questions(page)).toHaveLength(9);
    const link = page.getByRole("link", { name: `Question ${mostOnPage + 1}?` });
    const said = () => page.locator("[aria-live]").innerText();
    await link.press("Alt+ArrowUp");
    await expect.poll(said).toBe(`Moved to position ${mostOnPage + 1} of ${mostOnPage + 9}.`);
    await link.press("Alt+ArrowUp");
    await expect.poll(said).toBe(`Moved to position ${mostOnPage} of ${mostOnPage + 9}.`);
    expect(await questions(page)).toHaveLength(mostOnPage);
    expect(await page.locator(".pager a").allInnerTexts()).toEqual(["Next page"]);
    await page.reload();
    expect((await questions(page)).at(-1)).toBe(`Question ${mostOnPage + 1}?`);
    await link.press("Alt+ArrowDown");
    await expect.poll(said).toBe(`Moved to position ${mostOnPage + 1} of ${mostOnPage + 9}.`);
    expect((await questions(page))[0]).toBe(`Question ${mostOnPage + 1}?`);
  });

  it("of more than 60 entries shows the questions, and can be filtered by typed words", async () => {
    for (let at = 12; at < 61; at += 1) {
      const body = { question: `Question ${at}${at === 60 ? ", Öl" : ""}?`, answer: "So." };
      await world.call("POST", `${path.replace("/console/faqs", "/apps")}/faqs`, body);
    }
    const page = await opened();
    expect(await page.getByText("So.").count()).toBe(0);
    const row = await page.locator(".faq").first().boundingBox();
    expect(row?.height).toBeLessThan(60);
    await page.getByLabel("Search the FAQ").pressSequentially("tion 42");
    await expect.poll(() => page.locator("#faqs-count").innerText()).toBe("1 of 61 entries");
    expect(await page.locator(".faq:visible").count()).toBe(1);
    await page.getByLabel("Search the FAQ").fill("Öl".normalize("NFD"));
    await expect.poll(() => page.locator("#faqs-count").innerText()).toBe("1 of 61 entries");
    await expect.poll(() => page.locator(".faq:visible .to").innerText()).toBe("Question 60, Öl?");
  });

  it("does not change if the list changed in the meantime, and the page says so", async () => {
    const page = await opened();
    const other = createBrowserWithoutScripts(service, world.headers);
    const list = await other.open(path);
    const last = /value="(\S+ up)"(?![\s\S]*value="\S+ up")/.exec(list.text)?.[1] ?? "";
    await other.send(list, `${path}/order`, { move: last });
    await page.getByRole("button", { name: "Move up: Question 3?" }).click();
    await expect.poll(() => page.locator("[aria-live]").innerText()).toMatch(/^The list had changed/);
    expect(await questions(page)).toEqual(named(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 10));
  });

  it("is changed by a form if the script cannot send the change", async () => {
    const page = await opened();
    await page.evaluate(() => {
      window.fetch = () => Promise.reject(new Error("offline"));
    });
    await page.getByRole("button", { name: "Move up: Question 3?" }).click();
    await page.getByText("The order is changed.").waitFor();
    expect((await questions(page)).slice(0, 4)).toEqual(named(0, 1, 3, 2));
  });

  it("is changed without scripts", async () => {
    const page = await opened({ javaScriptEnabled: false });
    await page.getByRole("button", { name: "Move up: Question 3?" }).click();
    expect((await questions(page)).slice(0, 4)).toEqual(named(0, 1, 3, 2));
  });

  it("has two Tab stops for each entry, and arrow keys between its arrow buttons", async () => {
    const page = await opened();
    const stops = await page.locator(".faq :is(a, button:enabled):not([tabindex='-1'])").count();
    expect(stops).toBe(24);
    await page.getByRole("button", { name: "Move up: Question 3?" }).press("ArrowDown");
    expect(await focusedLabel(page)).toBe("Move down: Question 3?");
    await page.keyboard.press("ArrowUp");
    expect(await focusedLabel(page)).toBe("Move up: Question 3?");
  });

  it("can be searched by words of question and answer, without scripts", async () => {
    const visitor = createBrowserWithoutScripts(service, world.headers);
    const page = await visitor.open(`${path}?q=answer+11`);
    expect(readingOf(page)).toContain("1 of 12 entries");
    expect(readingOf(page)).toContain("Question 11?");
    expect(page.text).not.toContain('name="move"');
    expect(readingOf(await visitor.open(`${path}?q=nowhere`))).toContain("No entry has all of these words.");
  });
});
