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

const plan =
  "# Steps\n\n1. Read **item id**\n2. <script>alert(1)</script> ![x](https://example.org/x.png)\u202E";

describe("decisions in sequence in a browser", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let browser: TestBrowser;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
  });

  const proposed = async (subject: string) => {
    const id = await sendFeedback(service, world.app.key, { subject });
    return { id, runId: await propose(service, world.agentToken, id, { plan }) };
  };
  const statusOf = async (runId: string) =>
    (
      await service.request("GET", `/api/v1/agent/runs/${runId}`, {
        headers: { authorization: `Bearer ${world.agentToken}` },
      })
    ).body;
  const title = (page: Page) => page.locator("h1").innerText();

  it("are made with keys: A and R ask once for a confirmation, and C moves the focus into the note", async () => {
    const [one, two] = [await proposed("Key one"), await proposed("Key two")];
    const page = await openPage(browser, service, world.headers);
    await page.goto("/console?order=newest");
    await page.getByRole("link", { name: "Key two" }).click();
    await page.waitForURL(/list=decisions-newest&at=0#proposal$/);
    await page.keyboard.press("C");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("note");
    await page.locator("h1").first().click();
    await page.keyboard.press("A");
    const question = page.getByRole("dialog", { name: "Approve this plan?" });
    await page.keyboard.press("Escape");
    expect(await question.count()).toBe(0);
    expect(await statusOf(two.runId)).toMatchObject({ status: "awaiting_approval" });
    await page.keyboard.press("A");
    await page.keyboard.press("Enter");
    await page.waitForURL(/at=0&decided=/);
    expect(await title(page)).toContain("Key one");
    expect(await page.getByRole("status").first().innerText()).toBe(
      "Approved: Key two. The agent may now proceed.",
    );
    expect(await statusOf(two.runId)).toMatchObject({ status: "approved" });
    await page.keyboard.press("R");
    await page
      .getByRole("dialog", { name: "Reject this plan?" })
      .getByRole("button", { name: "Reject" })
      .click();
    await page.waitForURL(/decided=/);
    expect(await statusOf(one.runId)).toMatchObject({ status: "rejected" });
  });

  it("are chosen in the list with j and k, and the subject stays in view beside the plan", async () => {
    await proposed("Walk one");
    await proposed("Walk two");
    const page = await openPage(browser, service, world.headers, { viewport: { width: 1440, height: 600 } });
    await page.goto("/console?order=newest");
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    await page.keyboard.press("j");
    expect(await focused()).toContain("Walk two");
    await page.keyboard.press("j");
    expect(await focused()).toContain("Walk one");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#proposal$/);
    const about = page.locator(".neighbours .about");
    expect(await about.innerText()).toMatch(/Walk two\s*#\d+/);
    const box = await about.boundingBox();
    expect([(box?.y ?? -1) >= 0, (box?.y ?? 1e9) < 100]).toEqual([true, true]);
    await page.close();
  });

  it("have no keys if the person turned off the keys", async () => {
    const { id } = await proposed("No keys");
    await service.request("PATCH", "/api/v1/console/preferences", {
      headers: { ...world.headers, origin: service.baseUrl },
      body: { keys: false },
    });
    const page = await openPage(browser, service, world.headers);
    await page.goto(`/console/feedback/${world.app.id}/${id}`);
    await page.keyboard.press("A");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await service.request("PATCH", "/api/v1/console/preferences", {
      headers: { ...world.headers, origin: service.baseUrl },
      body: { keys: true },
    });
  });

  it.each([
    ["with scripts", true],
    ["without scripts", false],
  ])(
    "show a plan as the agent wrote it, and formatted if the person chooses this, %s",
    async (_, javaScriptEnabled) => {
      const { id } = await proposed("Plan");
      const page = await openPage(browser, service, world.headers, { javaScriptEnabled });
      await page.goto(`/console/feedback/${world.app.id}/${id}`);
      const [written, rendered] = [page.locator(".plan"), page.locator(".rendered-plan")];
      expect([await written.isVisible(), await rendered.isVisible()]).toEqual([true, false]);
      expect(await written.innerText()).toContain("1. Read **item id**");
      await page.getByLabel("Rendered").check();
      expect([await written.isVisible(), await rendered.isVisible()]).toEqual([false, true]);
      expect(await rendered.locator("strong").innerText()).toBe("item id");
      expect(await rendered.innerText()).toContain("<script>alert(1)</script>");
      expect(await rendered.innerText()).toContain("[U+202E]");
      expect(await rendered.locator("script, img").count()).toBe(0);
      // The selected option is not a text that could be lost.
      await page.goto("/console");
      expect(await title(page)).toBe("Decisions");
    },
  );
});
