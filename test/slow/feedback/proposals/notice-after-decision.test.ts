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

const lines = Array.from({ length: 30 }, (_, at) => `Line ${at} of what happened.`).join("\n");

describe("the message about an action, on a phone,", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let browser: TestBrowser;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
  });

  const open = async (javaScriptEnabled: boolean) => {
    const id = await sendFeedback(service, world.app.key, { message: lines });
    await propose(service, world.agentToken, id);
    const viewport = { width: 390, height: 844 };
    const page = await openPage(browser, service, world.headers, { viewport, javaScriptEnabled });
    await page.goto(`/console/feedback/${world.app.id}/${id}`);
    return page;
  };
  const isInView = { top: expect.any(Number), isTop: true, isBottom: true };

  it.each([
    ["with scripts", true],
    ["without scripts", false],
  ])("is visible after an approval and after a reply, %s", async (_, javaScriptEnabled) => {
    const page = await open(javaScriptEnabled);
    const box = async (text: string) => {
      const found = await page.getByText(text).boundingBox();
      const { y = -1, height = 0 } = found ?? {};
      return { top: y, isTop: y >= 0, isBottom: y + height <= 844 };
    };
    await page.getByRole("button", { name: "Approve this plan" }).click();
    await page.waitForURL(/#proposal$/);
    expect(await box("Approved. The agent may now proceed.")).toEqual(isInView);
    // The notice does not cover the target of the link.
    expect((await page.locator("#proposal").boundingBox())?.y).toBeGreaterThan(60);

    await page.getByLabel("Your reply").fill("We are on it.");
    await page.getByRole("button", { name: "Send reply" }).click();
    await page.waitForURL(/#message-/);
    expect(await box("The reply was added to the thread.")).toEqual(isInView);
  });
});
