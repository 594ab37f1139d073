import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../../support/worlds/owner-with-one-of-each.ts";

describe("a person who has opened the inbox in a browser", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let browser: TestBrowser;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
  });

  it("sees changes of marks, counts and title, keeps the focus, and finds the new message in a thread", async () => {
    const app = await service.makeApp(world.owner, { name: "Larder" });
    const first = await sendFeedback(service, app.key, { subject: "First" });
    const page = await openPage(browser, service, world.headers);
    await page.clock.install();
    const inbox = `/console/feedback/${app.id}`;
    await page.goto(inbox);
    await expect.poll(() => page.title()).toBe("(1) Inbox · Larder · Innkeep");
    await linkTo(page, "First").focus();

    service.clock.advance(61_000);
    await sendFeedback(service, app.key, { subject: "Second" });
    service.clock.advance(1_000);
    await page.clock.runFor(21_000);
    await expect.poll(() => page.title()).toBe("(2) Inbox · Larder · Innkeep");
    await expect.poll(() => page.locator("#count-inbox").innerText()).toMatch(/^2\b/);
    expect(await page.locator("#threads .unread").count()).toBe(2);
    expect(await linkTo(page, "First").evaluate((link) => link === document.activeElement)).toBe(true);

    await page.keyboard.press("Enter");
    await expect.poll(() => page.title()).toBe("(1) #1 “First” · Larder · Innkeep");
    await page.goto(inbox);
    await expect.poll(() => page.locator("#threads .unread").count()).toBe(1);

    service.clock.advance(3_600_000);
    await propose(service, await service.makeToken(world.owner, "agent"), first);
    service.clock.advance(1_000);
    await page.goto(inbox);
    expect(await page.getByRole("region", { name: "What changed since you were here" }).innerText()).toMatch(
      /^1 proposal since/,
    );
    await linkTo(page, "First").click();
    await page.getByRole("link", { name: "Go to the new messages" }).click();
    expect(new URL(page.url()).hash).toBe("#new");
    expect(await page.locator("#new").innerText()).toMatch(/^New since your last visit on/);

    await page.locator(".pane-bar summary").click();
    await page.getByRole("button", { name: "Mark as unread" }).click();
    await page.getByText("The thread is marked as unread.").waitFor();
    await page.getByRole("button", { name: "Mark all open threads as read" }).click();
    await page.getByText("The threads of this list are marked as read.").waitFor();
    expect([await page.title(), await page.locator("#threads .unread").count()]).toEqual([
      "Inbox · Larder · Innkeep",
      0,
    ]);
  });
});

const linkTo = (page: Page, subject: string) => page.locator("#threads").getByRole("link", { name: subject });
