import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import { dataUrl, png } from "../../../support/files/sample-files.ts";
import type { Service } from "../../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the page of a long thread", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let browser: TestBrowser;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
  });

  const open = async (report: object, options: Parameters<typeof openPage>[3] = {}) => {
    const id = await sendFeedback(service, world.app.key, report);
    await propose(service, world.agentToken, id);
    const page = await openPage(browser, service, world.headers, options);
    await page.goto(`/console/feedback/${world.app.id}/${id}`);
    return page;
  };
  const height = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight);

  it("has about the same height with 100 repeats as with two, and shows the repeats when a person opens them", async () => {
    const page = await openPage(browser, service, world.headers, { javaScriptEnabled: false });
    const heightOf = async (count: number) => {
      const report = { message: "FAIL test/oven.test.ts", source: "ci", dedupeKey: `k${count}` };
      let id = "";
      for (let run = 0; run <= count; run += 1)
        id = await sendFeedback(service, world.app.key, { ...report, metadata: { commit: `c${run}` } });
      await page.goto(`/console/feedback/${world.app.id}/${id}`);
      return height(page);
    };
    const two = await heightOf(2);
    expect(await heightOf(100)).toBeLessThan(two * 1.25);
    await page.getByText("98 more reports with the same text").click();
    expect(await page.locator(".repeats article").count()).toBe(98);
    expect(await height(page)).toBeGreaterThan(two * 2);
  });

  it("hides a report of 5,000 lines above the proposal, and shows the whole report when a person opens it", async () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => String(at % 10));
    const page = await open({ message: lines.join("\n") });
    expect((await page.locator("#proposal").boundingBox())?.y).toBeLessThan(2_000);
    await page.getByText("Show 4,960 more lines of the report").click();
    const read = await page.locator("article[aria-label=Report] .written").allInnerTexts();
    expect(read.join("\n").split("\n")).toEqual(lines);
  });

  it.each([1280, 360])("shows 50 long keys of metadata at a width of %i, and stays short", async (width) => {
    const metadata = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`a.key.of.forty-two.characters.in.total.${at}`, `value ${at}`]),
    );
    const page = await open({ metadata }, { viewport: { width, height: 800 } });
    expect(await height(page)).toBeLessThan(5_000);
    await page.getByText("Show 38 more").click();
    const widths = await page
      .locator(".aside .metadata > .wide > dd")
      .evaluateAll((values) => values.map((value) => value.getBoundingClientRect().width));
    expect(widths).toHaveLength(50);
    expect(Math.min(...widths)).toBeGreaterThan(150);
  });

  it("keeps the decision form visible beside a long plan", async () => {
    const id = await sendFeedback(service, world.app.key);
    const plan = Array.from({ length: 300 }, (_, at) => `${at}. Do it`).join("\n");
    await service.request("POST", `/api/v1/agent/feedback/${id}/proposal`, {
      headers: { authorization: `Bearer ${world.agentToken}` },
      body: { summary: "Long", plan },
    });
    const page = await openPage(browser, service, world.headers);
    await page.goto(`/console/feedback/${world.app.id}/${id}#proposal`);
    const box = await page.getByRole("button", { name: "Approve this plan" }).boundingBox();
    expect(box?.y).toBeLessThan(900);
  });

  it.each([true, false])(
    "opens and closes an image over the page with the keyboard, scripts: %s",
    async (javaScriptEnabled) => {
      const page = await open({ images: [dataUrl(png())] }, { javaScriptEnabled });
      const address = page.url();
      const picture = page.getByRole("button", { name: "Open: From the sender, 1 of 1" });
      await picture.press("Enter");
      await page.getByRole("button", { name: "Close" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Close" }).waitFor({ state: "hidden" });
      expect(await picture.evaluate((button) => button === document.activeElement)).toBe(true);
      expect(page.url()).toBe(address);
    },
  );

  it("moves between all images of a thread in full size, says which image it is, and shows the image's size", async () => {
    const image = (padding: number) => dataUrl(png(padding));
    const report = { message: "It broke.", dedupeKey: "images" };
    const id = await sendFeedback(service, world.app.key, { ...report, images: [image(100), image(200)] });
    await sendFeedback(service, world.app.key, { ...report, images: [image(300)] });
    const page = await openPage(browser, service, world.headers);
    await page.goto(`/console/feedback/${world.app.id}/${id}`);
    const shown = page.locator(".lightbox:popover-open");
    const place = (at: number) => shown.getByText(`${at} of 3`, { exact: true }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await page.getByRole("button", { name: "Open: From the sender, 1 of 2" }).press("Enter");
    await place(1);
    await expect.poll(focused).toBe("Close");
    expect(await shown.getByRole("button", { name: "Previous" }).isDisabled()).toBe(true);
    await page.keyboard.press("ArrowRight");
    await place(2);
    await shown.getByRole("button", { name: "Next" }).click();
    await place(3);
    await page.keyboard.press("ArrowRight");
    await place(3);
    const zoom = shown.getByRole("button", { name: "100 %" });
    await zoom.click();
    expect(await zoom.getAttribute("aria-pressed")).toBe("true");
    const sizes = await shown.locator("img").evaluate((found: HTMLImageElement) => ({
      shown: found.clientWidth,
      own: found.naturalWidth,
    }));
    expect(sizes.shown).toBe(sizes.own);
    await page.keyboard.press("Escape");
    await expect.poll(() => shown.count()).toBe(0);
    const last = page.getByRole("button", { name: "Open: From the sender, 1 of 1" });
    await expect.poll(() => last.evaluate((button) => button === document.activeElement)).toBe(true);
  });
});
