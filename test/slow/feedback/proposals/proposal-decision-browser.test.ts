import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import { dataUrl, png } from "../../../support/files/sample-files.ts";
import type { Service } from "../../../support/service/service.ts";
import { makeAccount } from "../../../support/sign-in/password-accounts.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../../support/worlds/owner-with-one-of-each.ts";

describe("a person with a browser", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let browser: TestBrowser;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
  });

  const run = async (id: string) =>
    (await service.request("GET", `/api/v1/agent/runs/${id}`, { headers: bearer(world.agentToken) })).body;
  const proposed = async () => {
    const id = await sendFeedback(service, world.app.key, { images: [dataUrl(png())] });
    const runId = await propose(service, world.agentToken, id);
    return { id, runId, path: `/console/feedback/${world.app.id}/${id}` };
  };
  const signedIn = (options = {}) => openPage(browser, service, world.headers, options);

  it.each([
    ["with scripts", true],
    ["without scripts", false],
  ])("signs in, reads the plan and approves it with a note, %s", async (_, javaScriptEnabled) => {
    const account = await makeAccount(service);
    const app = await service.makeApp(account);
    const id = await sendFeedback(service, app.key);
    const token = await service.makeToken(account, "agent");
    const runId = await propose(service, token, id);
    const page = await openPage(browser, service, {}, { javaScriptEnabled });

    await page.goto(`/console/feedback/${app.id}/${id}`);
    await page.getByLabel("E-mail").fill(account.email);
    await page.getByLabel("Password").fill(account.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.locator(".plan").innerText()).toBe("1. Find it\n2. Mend it");
    await page.getByLabel("Note to the agent").fill("Mind the tests.");
    await page.getByRole("button", { name: "Approve this plan" }).click();

    expect(await page.getByRole("status").innerText()).toBe("Approved. The agent may now proceed.");
    const answer = await service.request("GET", `/api/v1/agent/runs/${runId}`, { headers: bearer(token) });
    expect(answer.body).toMatchObject({ status: "approved", decisionNote: "Mind the tests." });
  });

  it("approves with the keyboard alone, and sees the focus at every step", async () => {
    const { runId, path } = await proposed();
    const page = await signedIn();
    await page.goto(path);
    await page.keyboard.press("Tab");
    expect(await focused(page)).toMatchObject({ text: "Skip to content", outlined: true });
    await page.keyboard.press("Enter");
    await tabTo(page, "note");
    await page.keyboard.type("By keyboard.");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toMatchObject({ text: "Approve this plan", outlined: true });
    await page.keyboard.press("Enter");
    await page.getByRole("status").waitFor();
    expect(await run(runId)).toMatchObject({ status: "approved", decisionNote: "By keyboard." });
  });

  it.each([true, false])(
    "sees the reason of a failed decision without scrolling, scripts: %s",
    async (javaScriptEnabled) => {
      const { id, path } = await proposed();
      const page = await signedIn({ javaScriptEnabled, viewport: { width: 800, height: 300 } });
      // With events, the page removes the buttons of a proposal that was replaced.
      await page.route("**/console/live*", (route) => route.abort());
      await page.goto(path);
      await propose(service, world.agentToken, id);
      await page.getByRole("button", { name: "Reject" }).click();
      const alert = page.getByText("A newer proposal replaced the one you read.");
      await expect.poll(async () => ((await alert.boundingBox())?.y ?? -1) >= 0).toBe(true);
      await expect.poll(async () => ((await alert.boundingBox())?.y ?? 999) < 300).toBe(true);
    },
  );

  it.each([
    { at: "on a phone", width: 390, height: 700, javaScriptEnabled: true, page: "thread" },
    { at: "on a phone without scripts", width: 390, height: 700, javaScriptEnabled: false, page: "thread" },
    { at: "in a wide window", width: 1280, height: 700, javaScriptEnabled: true, page: "thread" },
    { at: "beside the list", width: 1280, height: 700, javaScriptEnabled: true, page: "inbox" },
    { at: "beside the list, no scripts", width: 1280, height: 700, javaScriptEnabled: false, page: "inbox" },
  ] as const)(
    "sees the empty note with its error above the buttons, %o",
    async ({ page: kind, ...options }) => {
      const { width, height, javaScriptEnabled } = options;
      const id = await sendFeedback(service, world.app.key);
      const plan = Array.from({ length: 80 }, (_, at) => `${at}. Step`).join("\n");
      await propose(service, world.agentToken, id, { plan });
      const page = await signedIn({ javaScriptEnabled, viewport: { width, height } });
      const app = `/console/feedback/${world.app.id}`;
      await page.goto(kind === "thread" ? `${app}/${id}` : `${app}?open=${id}`);
      await page.getByRole("button", { name: "Ask for changes" }).click();

      const fault = page.getByText("Note to the agent must say what to change.");
      await fault.waitFor();
      await expect.poll(async () => (await focused(page)).name).toBe("note");
      const place = async () => {
        const [top, bottom, bar] = await Promise.all([
          page.getByLabel("Note to the agent").boundingBox(),
          fault.boundingBox(),
          page.locator(".decision-bar").boundingBox(),
        ]);
        const end = (bottom?.y ?? 9999) + (bottom?.height ?? 0);
        return { isBelowTop: (top?.y ?? -1) >= 0, isAboveBar: end <= Math.min(bar?.y ?? 0, height) };
      };
      await expect.poll(place).toEqual({ isBelowTop: true, isAboveBar: true });
      await page.close();
    },
  );

  it("sees the sender's images", async () => {
    const page = await signedIn();
    await page.goto((await proposed()).path);
    const picture = page.locator(".thumb img");
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  });

  it("sees a message if a newer proposal replaces the proposal on the page", async () => {
    const { id, path } = await proposed();
    const page = await signedIn();
    await page.clock.install();
    await page.goto(path);
    await propose(service, world.agentToken, id);
    await page.clock.runFor(21_000);
    await page.getByText("The proposal on this thread has changed").waitFor();
  });

  it("sees new reports in the open inbox, and screen readers announce them", async () => {
    const page = await signedIn();
    await page.clock.install();
    await page.goto(`/console/feedback/${world.app.id}`);
    await sendFeedback(service, world.app.key, { message: "Only just sent." });
    await page.clock.runFor(21_000);
    await page.getByRole("link", { name: "Only just sent." }).waitFor();
    expect(await page.locator("[aria-live]").innerText()).toBe("The threads in this list have changed.");
  });

  it("closes a menu with Escape, and the focus returns to its button", async () => {
    const page = await signedIn();
    await page.goto("/console");
    await page.getByText("All apps", { exact: true }).click();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("navigation", { name: "Apps" }).isVisible()).toBe(false);
    expect(await focused(page)).toMatchObject({ tag: "SUMMARY" });
  });

  it("copies a new key with one click", async () => {
    const page = await signedIn({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(`/console/apps/${world.app.id}`);
    await page.getByText("Create a key", { exact: true }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("button", { name: "Copy" }).click();
    const key = await page.getByLabel("The new key").inputValue();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  });

  it("sees times in the person's own time zone", async () => {
    const page = await signedIn({ locale: "en-GB", timezoneId: "Asia/Tokyo" });
    await page.goto((await proposed()).path);
    const time = page.locator(".message time").first();
    const at = new Date((await time.getAttribute("datetime")) ?? "");
    const day = { day: "numeric", month: "short", year: "numeric" } as const;
    const zone = { ...day, hour: "2-digit", minute: "2-digit", timeZone: "Asia/Tokyo" } as const;
    expect(await time.innerText()).toBe(`${new Intl.DateTimeFormat("en-GB", zone).format(at)} GMT+9`);
  });
});

/** The element with the focus, and whether the focus is visible. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    const style = element && getComputedStyle(element);
    const outlined =
      style !== null && style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) >= 2;
    const { tagName: tag = "", textContent: text = "" } = element ?? {};
    return { tag, text: text?.trim(), name: element?.getAttribute("name"), outlined };
  });

/** Moves with the Tab key to the field of that name; every element on the way shows its focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press("Tab");
    const here = await focused(page);
    expect(here).toMatchObject({ outlined: true });
    if (here.name === name) return;
  }
  throw new Error(`The Tab key does not lead to ${name}`);
}
