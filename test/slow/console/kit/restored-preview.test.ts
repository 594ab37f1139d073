import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../../support/worlds/owner-with-one-of-each.ts";

describe("an unsent text", () => {
  let service: Service;
  let browser: TestBrowser;
  let world: OwnerWithOneOfEach;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
  });

  it.each([
    ["an entry of the FAQ", "faqs", "faqId", "answer"],
    ["a new entry of the FAQ", "faqs", undefined, "answer"],
    ["a release note", "changelog", "entryId", "body"],
    ["a new release note", "changelog", undefined, "body"],
  ] as const)("is in the preview of %s after it was restored", async (_, part, id, field) => {
    const page = await openPage(browser, service, world.headers);
    page.on("dialog", (dialog) => dialog.accept());
    const path = `/console/${part}/${world.app.id}/${id === undefined ? "new" : world[id]}`;
    const preview = page.locator("[data-preview]");
    await page.goto(path);
    const before = (await preview.textContent()) ?? "";
    await page.locator(`main [name="${field}"]`).fill("Typed **here**");
    await page.goto("/console/account");
    await page.goto(path);
    await preview.locator("strong", { hasText: "here" }).waitFor();
    await page.getByRole("button", { name: "Discard it" }).click();
    await expect.poll(() => preview.textContent()).toBe(before);
    await page.context().close();
  });
});
