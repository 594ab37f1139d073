import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { axeFaults, loadAxe } from "../../../support/browser/axe.ts";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { consolePaths, proposalPaths } from "../../../support/browser/console-paths.ts";
import { visitEach } from "../../../support/browser/tabs.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import { dataUrl, png } from "../../../support/files/sample-files.ts";
import type { Service } from "../../../support/service/service.ts";
import { authorizeAddress, newDevice } from "../../../support/sign-in/device-sign-in.ts";
import { makeProposalStates } from "../../../support/worlds/agents/proposal-states.ts";
import { type CycleOnNinthDay, makeCycleOnNinthDay } from "../../../support/worlds/cycle-on-its-ninth-day.ts";
import { makeTeam } from "../../../support/worlds/members/team.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../../support/worlds/owner-with-one-of-each.ts";

const long = "Donaudampfschifffahrtsgesellschaftskapitän ".repeat(200);

const looks = [
  { width: 390, colorScheme: "light" },
  { width: 1440, colorScheme: "dark" },
] as const;

describe("every page of the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let test: CycleOnNinthDay;
  let browser: TestBrowser;
  let headers: { readonly cookie?: string };
  let own: string[];
  let open: string[];
  withBrowser(async (started) => {
    ({ service, browser } = started);
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
      ...proposalPaths(world, await makeProposalStates(service, world)),
      `/console/feedback/${world.app.id}/${full}`,
      test.path,
      `${test.path}?slot=${test.slotOf(4)}&day=8`,
      `${test.path}/report`,
      "/console/nowhere",
      device,
      await invitationFor(world.owner.email),
      await receipt(),
    ];
    open = [
      world.senderPath,
      `${world.senderPath}/stop`,
      "/p/t/nothing",
      "/console/sign-in",
      "/console/recover",
      "/console/recover/x",
      "/console/sign-up/x",
      "/tavern/sign-up",
      "/api/v1/docs",
      device,
    ];
  });
  /** The page of the receipt of an erasure. */
  const receipt = async () => {
    const begun = await world.call("POST", "/people/erase", { email: "gone@kitchen.example" });
    return `/console/people/${begun.field("id")}`;
  };
  /** The link with which the owner of another app invites this person. */
  const invitationFor = async (email: string) => {
    const { token } = await (await makeTeam(service)).invite(email);
    return `/console/invitations/${token}`;
  };

  it("follows the rules of WCAG A and AA, in light mode on a phone and in dark mode on a wide screen", {
    timeout: 300_000,
  }, async () => {
    const tab = (by: typeof headers) => openPage(browser, service, by, { reducedMotion: "reduce" });
    const [signedIn, nobody] = [[await tab(headers), await tab(headers)], [await tab({})]];
    const visits = [visitEach(signedIn, own, faultsOf), visitEach(nobody, open, faultsOf)];
    const faults = (await Promise.all(visits)).flat(2);
    expect(faults).toEqual([]);
  });
});

/**
 * The faults of a page in light and dark, with its collapsed parts open. Menus stay closed, because they cover other
 * elements.
 */
async function faultsOf(page: Page, path: string): Promise<string[]> {
  await page.goto(path);
  await loadAxe(page);
  const faults: string[] = [];
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.evaluate(unfold);
    faults.push(...(await axeFaults(page)).map((fault) => `${path} at ${width} pixels: ${fault}`));
  }
  return faults;
}

/** Runs in the page. */
function unfold(): void {
  // Some of the API's operations are enough, because all have the same form.
  const folded = document.querySelectorAll<HTMLDetailsElement>("details:not(.menu)");
  for (const details of [...folded].slice(0, 40)) details.open = true;
}
