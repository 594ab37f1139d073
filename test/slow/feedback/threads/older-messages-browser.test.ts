import { describe, expect, it } from "vitest";
import { axeFaults, loadAxe } from "../../../support/browser/axe.ts";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { numbered, writeMessages } from "../../../support/worlds/long-thread.ts";
import { makeTeam } from "../../../support/worlds/members/team.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the page with older messages of a thread in Chromium", () => {
  let service: Service;
  let browser: TestBrowser;
  withBrowser(async (started) => {
    ({ service, browser } = started);
  });

  it.each([
    [390, "light"],
    [1440, "dark"],
  ] as const)(
    "opens with the keyboard, and has no faults at %i pixels in %s mode",
    async (width, colorScheme) => {
      const team = await makeTeam(service);
      const id = await sendFeedback(service, team.app.key);
      await writeMessages(service, id, numbered(504));
      const page = await openPage(browser, service, (await team.join("viewer")).headers);
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(`/console/feedback/${team.app.id}/${id}`);
      await page.getByRole("link", { name: "Show older messages" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Show the newest messages" }).waitFor();
      expect(await page.locator("#timeline").innerText()).toMatch(/Note 0\.[\s\S]*Note 3\./);
      await loadAxe(page);
      expect(await axeFaults(page)).toEqual([]);
      const isWide = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
      expect(await page.evaluate(isWide)).toBe(false);
    },
  );
});
