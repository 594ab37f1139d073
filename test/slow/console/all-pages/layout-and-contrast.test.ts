import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { consolePaths, proposalPaths } from "../../../support/browser/console-paths.ts";
import { visitEach } from "../../../support/browser/tabs.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { makeProposalStates } from "../../../support/worlds/agents/proposal-states.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../../support/worlds/owner-with-one-of-each.ts";

const long = "Donaudampfschifffahrtsgesellschaftskapitänsmützenständer".repeat(4);

describe("every page of the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let browser: TestBrowser;
  let seen: readonly Seen[];
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
    await world.call("PATCH", `/feedback/${world.threadId}`, { subject: long.slice(0, 200) });
    await world.call("PATCH", `/faqs/${world.faqId}`, { question: long, answer: long });
    await world.call("PATCH", `/changelog/${world.entryId}`, {
      title: long.slice(0, 200),
      version: long.slice(0, 100),
    });
    await world.call("POST", `/feedback/${world.threadId}/messages`, { direction: "note", body: long });
    await world.call("PATCH", `/apps/${world.app.id}`, { name: long.slice(0, 100) });
    const tab = () => openPage(browser, service, world.headers, { reducedMotion: "reduce" });
    const states = await makeProposalStates(service, world, "Donaudampfschifffahrtsgesellschaft".repeat(3));
    const paths = [
      ...consolePaths(world),
      ...proposalPaths(world, states),
      world.senderPath,
      "/console/sign-in",
      "/console/nowhere",
    ];
    seen = await visitEach([await tab(), await tab()], paths, look);
  });

  it("has no horizontal scrolling on a phone of 320 pixels, with menus open or closed", () => {
    expect(seen.filter(({ overflows }) => overflows.some((pixels) => pixels !== 0))).toEqual([]);
  });

  it.each(["light", "dark"] as const)(
    "is readable in %s mode: all text has the contrast of WCAG AA",
    (scheme) => {
      expect(seen.filter(({ faint }) => faint[scheme].length > 0)).toEqual([]);
    },
  );

  it("has a title, one heading, and a name for every field", () => {
    for (const { path, title, headings, mains, nameless } of seen) {
      expect(title).toMatch(/^.+ · Innkeep$/);
      expect([path, headings, mains, nameless]).toEqual([path, 1, 1, []]);
    }
  });
});

/** The results for a page. Each page is opened once for all tests. */
type Seen = Awaited<ReturnType<typeof look>>;

async function look(page: Page, path: string) {
  await page.goto(path);
  const fresh = {
    title: await page.title(),
    headings: await page.locator("h1").count(),
    mains: await page.getByRole("main").count(),
    nameless: await page.evaluate(namelessControls),
  };
  await page.setViewportSize({ width: 320, height: 740 });
  const overflows = [await overflow(page)];
  for (const menu of await page.locator("details.menu > summary").all()) {
    if (!(await menu.isVisible())) continue;
    await menu.click();
    overflows.push(await overflow(page));
    // An open menu covers what is below it.
    await menu.click();
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  const faintIn = async (colorScheme: "light" | "dark") => {
    await page.emulateMedia({ colorScheme });
    return page.evaluate(faintTexts);
  };
  return { path, ...fresh, overflows, faint: { dark: await faintIn("dark"), light: await faintIn("light") } };
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Runs in the page: elements that a screen reader could only call "edit" or "button". */
function namelessControls(): string[] {
  const isLabelled = (element: Element) =>
    "labels" in element && element.labels instanceof NodeList && element.labels.length > 0;
  const hasWords = (element: Element) => element.tagName !== "SELECT" && Boolean(element.textContent?.trim());
  const controls = document.querySelectorAll(
    "input:not([type=hidden]), select, textarea, button, a, summary",
  );
  return [...controls]
    .filter((element) => !isLabelled(element) && !hasWords(element) && !element.getAttribute("aria-label"))
    .map((element) => element.outerHTML.slice(0, 200));
}

/** Runs in the page: texts with too little contrast to their background. */
function faintTexts(): string[] {
  // A mixed colour is written as `color(srgb 0.1 0.1 0.1 / 0.2)`, the others as `rgb(25, 25, 25)`.
  const parse = (colour: string) => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
    const scale = colour.startsWith("color(") ? 255 : 1;
    return { tones: [red * scale, green * scale, blue * scale], alpha };
  };
  const luminance = (tones: readonly number[]) => {
    const [red = 0, green = 0, blue = 0] = tones.map((value) =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element: Element | null): readonly number[] => {
    if (!element) return [255, 255, 255];
    const { tones, alpha } = parse(getComputedStyle(element).backgroundColor);
    if (alpha === 1) return tones;
    const below = behind(element.parentElement);
    return tones.map((tone, at) => tone * alpha + (below[at] ?? 0) * (1 - alpha));
  };
  const ratio = (element: Element) => {
    const both = [luminance(parse(getComputedStyle(element).color).tones), luminance(behind(element))].sort(
      (a, b) => a - b,
    );
    return ((both[1] ?? 0) + 0.05) / ((both[0] ?? 0) + 0.05);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faint: string[] = [];
  while (walker.nextNode()) {
    const { parentElement: element, textContent: text } = walker.currentNode;
    if (!element?.checkVisibility() || !text?.trim() || element.closest("[disabled]")) continue;
    if (ratio(element) < 4.5) faint.push(`${text.trim().slice(0, 40)} ${ratio(element).toFixed(2)}`);
  }
  return faint;
}
