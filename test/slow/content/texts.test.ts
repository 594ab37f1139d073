import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import type { TestBrowser } from "../../support/browser/browser.ts";
import { openPage } from "../../support/browser/browser-page.ts";
import { withBrowser } from "../../support/browser/with-browser.ts";
import { png } from "../../support/files/sample-files.ts";
import type { Service } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("the page on which a person writes a text", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let browser: TestBrowser;
  let page: Page;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    page = await openPage(browser, service, world.headers);
  });

  const preview = () => page.getByRole("region", { name: "Preview" });
  const shot = { name: "shot.png", mimeType: "image/png", buffer: png().bytes };

  it("shows the preview of an answer while a person types", async () => {
    await page.goto(`/console/faqs/${world.app.id}/new`);
    await page.getByLabel("Question").fill("How?");
    await page.getByLabel("Answer").fill("So: **bold**");
    await expect.poll(() => preview().innerHTML()).toContain("<strong>bold</strong>");
    expect(await preview().innerText()).toContain("How?");
    expect(await page.getByLabel("Answer").inputValue()).toBe("So: **bold**");
  });

  it("shows the preview of a release note beside the note, and below it on a phone", async () => {
    await page.goto(`/console/changelog/${world.app.id}/new`);
    await page.getByLabel("Title").fill("Maps");
    await page.getByText("List of changes").click();
    await page.getByRole("textbox", { name: "Change 1", exact: true }).fill("Crash");
    await expect.poll(() => preview().innerText()).toMatch(/Maps[\s\S]*Crash/);
    const sides = async () => [
      await page.locator("form.editor").boundingBox(),
      await preview().boundingBox(),
    ];
    const [form, beside] = await sides();
    expect(beside?.x).toBeGreaterThan((form?.x ?? 0) + (form?.width ?? 0));
    await page.setViewportSize({ width: 390, height: 844 });
    const [narrow, below] = await sides();
    expect(below?.y).toBeGreaterThanOrEqual((narrow?.y ?? 0) + (narrow?.height ?? 0));
  });

  it("inserts a chosen picture at the cursor", async () => {
    await page.goto(`/console/faqs/${world.app.id}/new`);
    const answer = page.getByLabel("Answer");
    await answer.fill("Look:\n\nDone.");
    await answer.evaluate((field) => {
      if (field instanceof HTMLTextAreaElement) field.setSelectionRange(5, 5);
    });
    await page.getByLabel("Pictures").setInputFiles(shot);
    await expect.poll(() => answer.inputValue()).toMatch(/^Look:\n\n!\[shot\]\(http\S+\)\n\n\nDone\.$/);
    await expect.poll(() => preview().locator("img").count()).toBe(1);
    await page.getByLabel("Pictures").setInputFiles({ ...shot, buffer: Buffer.from("hello") });
    await expect
      .poll(() => page.locator("#pictures-message").innerText())
      .toContain("must be one of these file types");
  });

  it("adds rows to a list without a page load", async () => {
    await page.goto(`/console/changelog/${world.app.id}/new`);
    await page.evaluate(() => Reflect.set(window, "stays", true));
    await page.getByText("List of changes").click();
    await page.getByRole("button", { name: "Add a line" }).first().click();
    await page.getByRole("textbox", { name: "Change 6", exact: true }).fill("The sixth");
    await expect.poll(() => preview().innerText()).toContain("The sixth");
    await page.getByLabel("Title").fill("Six");
    await page.getByLabel("Version", { exact: true }).fill("6.0.0");
    expect(await page.evaluate(() => Reflect.get(window, "stays"))).toBe(true);
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("The release note is saved.").waitFor();
    const { body } = await world.call("GET", `/apps/${world.app.id}/changelog?q=six`);
    expect(body).toMatchObject({ items: [{ items: [{ type: "added", text: "The sixth" }] }] });
  });

  it("finds the threads of a release note by words, shows them, and can remove them", async () => {
    await sendFeedback(service, world.app.key, { message: "The oven burns every bread." });
    await world.call("GET", `/apps/${world.app.id}/feedback`);
    await page.goto(`/console/changelog/${world.app.id}/new`);
    const field = page.getByLabel("Fixes threads");
    await field.pressSequentially("oven");
    await page.getByRole("option", { name: /oven burns/ }).waitFor();
    await field.press("ArrowDown");
    await field.press("Enter");
    expect(await field.inputValue()).toMatch(/^#\d+, $/);
    const threads = page.getByRole("list", { name: "Threads" });
    await threads.getByText("The oven burns every bread.").waitFor();
    expect(await threads.innerText()).toContain("Open");
    const reach = page.getByText("No sender gets a mail. This server sends no mail.");
    await reach.waitFor();
    await threads.getByRole("button", { name: /^Remove #/ }).click();
    await threads.waitFor({ state: "detached" });
    expect(await field.inputValue()).toBe("");
    expect(await reach.count()).toBe(0);
  });
});
