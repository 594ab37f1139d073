import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFaults } from "../../support/browser/axe.ts";
import { startBrowser, type TestBrowser } from "../../support/browser/browser.ts";
import { openPage } from "../../support/browser/browser-page.ts";
import { consolePaths } from "../../support/browser/console-paths.ts";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { authorizeAddress, newDevice } from "../../support/sign-in/device-sign-in.ts";
import { type CycleOnNinthDay, makeCycleOnNinthDay } from "../../support/worlds/cycle-on-its-ninth-day.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

const long = "Donaudampfschifffahrtsgesellschaftskapitän ".repeat(200);

describe("every page", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let test: CycleOnNinthDay;
  let browser: TestBrowser;
  let headers: { readonly cookie?: string };
  let own: string[];
  let open: string[];
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    test = await makeCycleOnNinthDay(service, world);
    headers = await service.signIn(world.owner);
    const full = await sendFeedback(service, world.app.key, {
      message: `${long}\n${"line\n".repeat(200)}`,
      images: [dataUrl(png())],
      metadata: Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`key.${at}`, long.slice(0, 900)])),
    });
    await propose(service, world.agentToken, full);
    const device = authorizeAddress(await newDevice());
    own = [
      ...consolePaths(world),
      `/console/feedback/${world.app.id}/${full}`,
      test.path,
      `${test.path}?slot=${test.slotOf(4)}&day=8`,
      `${test.path}/report`,
      "/console/nowhere",
      device,
    ];
    open = ["/console/sign-in", "/tavern/sign-up", "/api/v1/docs", device];
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  it.each([
    [390, "light"],
    [1440, "dark"],
  ] as const)(
    "follows the rules of WCAG A and AA at %i pixels, %s",
    { timeout: 300_000 },
    async (width, colorScheme) => {
      const options = { viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" } as const;
      const signedIn = await openPage(browser, service, headers, options);
      const nobody = await openPage(browser, service, {}, options);
      const faults: string[] = [];
      for (const path of own) faults.push(...(await faultsOf(signedIn, path)));
      for (const path of open) faults.push(...(await faultsOf(nobody, path)));
      expect(faults).toEqual([]);
    },
  );
});

/** The faults of a page with its folded parts open, except menus, which cover other elements. */
async function faultsOf(page: Page, path: string): Promise<string[]> {
  await page.goto(path);
  await page.evaluate(() => {
    // Some of the API's operations are enough: all have the same form.
    const folded = document.querySelectorAll<HTMLDetailsElement>("details:not(.menu)");
    for (const details of [...folded].slice(0, 40)) details.open = true;
  });
  return (await axeFaults(page)).map((fault) => `${path} ${fault}`);
}
