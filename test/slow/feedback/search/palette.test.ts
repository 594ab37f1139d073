import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the search window over a page", () => {
  let service: Service;
  let browser: TestBrowser;
  let headers: Record<string, string>;
  let app: { readonly id: string; readonly key: string };
  let threadId: string;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    const owner = await service.makeUser();
    app = await service.makeApp(owner, { name: "Larder" });
    headers = await service.signIn(owner);
    threadId = await sendFeedback(service, app.key, { message: "The aardvark is missing." });
  });

  const open = async (path: string, options: Parameters<typeof openPage>[3] = {}): Promise<Page> => {
    const page = await openPage(browser, service, headers, options);
    await page.goto(path);
    return page;
  };
  const palette = (page: Page) => page.locator("dialog.palette");

  it("opens with Ctrl+K and shows its results, and Enter opens the first result", async () => {
    const page = await open(`/console/members/${app.id}`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("aardvark");
    await palette(page).locator("a.to").first().waitFor();
    expect(await palette(page).locator("mark").innerText()).toBe("aardvark");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/console/feedback/${app.id}/${threadId}`);
  });

  it("can be used with the arrow keys, and also finds pages", async () => {
    const page = await open("/console");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("larder tags");
    await palette(page).locator("a.to").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/console/tags/${app.id}`);
  });

  it("finds every page of the menus before any thread", async () => {
    const page = await open("/console");
    await sendFeedback(service, app.key, { message: "The numbers and webhooks are wrong." });
    await page.keyboard.press("Control+k");
    for (const [words, path] of [
      ["numbers", `/console/numbers/${app.id}`],
      ["webhooks", `/console/webhooks/${app.id}`],
      ["blocked", `/console/blocked/${app.id}`],
      ["notices", "/console/account/notices"],
      ["data", `/console/data/${app.id}`],
    ] as const) {
      await palette(page).locator("input").fill(words);
      await expect.poll(() => palette(page).locator("a.to").first().getAttribute("href")).toBe(path);
    }
    await page.close();
  });

  it("closes with Escape, and the focus returns to its place", async () => {
    const page = await open("/console");
    await page.locator("[data-search]").click();
    expect(await palette(page).isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await palette(page).isVisible()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.hasAttribute("data-search"))).toBe(true);
  });

  it("is a link to the search page without scripts", async () => {
    const page = await open("/console", { javaScriptEnabled: false });
    await page.locator("[data-search]").click();
    await page.locator("main input[name=q]").fill("aardvark");
    await page.locator("main button[type=submit]").click();
    expect(await page.locator("main mark").innerText()).toBe("aardvark");
  });
});
