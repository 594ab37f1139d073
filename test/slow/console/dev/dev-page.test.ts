import { describe, expect, it } from "vitest";
import { type Demo, seedDemo } from "../../../../server/demo/seed-demo.ts";
import { axeFaults, loadAxe } from "../../../support/browser/axe.ts";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import { dataUrl, png } from "../../../support/files/sample-files.ts";
import type { Service } from "../../../support/service/service.ts";

describe("the page of the development server", () => {
  let service: Service;
  let browser: TestBrowser;
  let demo: Demo;
  withBrowser(
    async (started) => {
      ({ service, browser } = started);
      demo = await seedDemo(service.deps);
    },
    { settings: { dev: true, demo: true } },
  );

  const open = async (options: Parameters<typeof openPage>[3] = {}) => {
    const page = await openPage(browser, service, {}, options);
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => faults.push(message.text()));
    await page.goto("/dev");
    return { page, faults };
  };
  const report = (message: string, more: object = {}) =>
    service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": demo.apiKey },
      body: { type: "bug", message, ...more },
    });
  const pageText = async () => (await service.request("GET", "/dev")).text;

  it("shows requests when they arrive, with bodies and answers, and keeps requests open that the reader opened", async () => {
    const { page, faults } = await open();
    await report("The map is upside down.");
    const first = page.locator("details.operation", { hasText: "The map is upside down." });
    await first.locator("summary").click();
    await first.getByText('"success": true').waitFor();
    await report("The compass spins.");
    const second = page.locator("details.operation", { hasText: "The compass spins." });
    await second.waitFor({ state: "attached" });
    expect(await first.evaluate((element) => element.hasAttribute("open"))).toBe(true);
    expect(await page.locator("#requests > details").first().textContent()).toContain("The compass spins.");
    expect(faults).toEqual([]);
  });

  it("shows refusals, and the answers of faults", async () => {
    await report("");
    expect(await pageText()).toContain("must not be empty");
    await service.request("POST", "/dev/faults", { body: { path: "/api/v1/changelog", status: 503 } });
    await service.request("GET", "/api/v1/changelog/remote");
    expect(await pageText()).toMatch(/\/api\/v1\/changelog\/remote<\/code><span class="badge bad">503/);
  });

  it("shows no secrets: keys, tokens, cookies, passwords, codes", async () => {
    const { apiKey, agentToken, password, email, testKey = "none" } = demo;
    await report(`Found in my settings: ${agentToken}`);
    const origin = service.baseUrl;
    const session = { headers: { origin }, body: { email, password } };
    const cookie = (await service.request("POST", "/api/v1/console/session", session)).headers.get(
      "set-cookie",
    );
    await service.request("GET", `/api/v1/agent/feedback/${demo.threadId}?code=very-secret`, {
      headers: { authorization: `Bearer ${agentToken}`, cookie: cookie ?? "" },
    });
    const form = new URLSearchParams({ email, password }).toString();
    await fetch(`${origin}/console/sign-in`, {
      method: "POST",
      redirect: "manual",
      headers: { origin, "content-type": "application/x-www-form-urlencoded" },
      body: form,
    });
    await service.request("GET", "/api/v1/testing/sdk/status", {
      headers: { "x-api-key": apiKey, "x-test-key": testKey },
    });
    const text = await pageText();
    expect(text).toContain("/console/sign-in");
    const value = cookie?.split(";")[0]?.split("=")[1] ?? "none";
    for (const secret of [apiKey, agentToken, password, testKey, value, "very-secret"])
      expect(text).not.toContain(secret);
  });

  it("keeps a limited number of requests, and a limited number of bytes of each body", async () => {
    await report("Large", { images: [dataUrl(png())], metadata: { note: "n".repeat(15_000) } });
    await report("Larger", { images: [`data:image/png;base64,${"A".repeat(400_000)}`] });
    for (let count = 0; count < 210; count += 1) await service.request("GET", "/healthz");
    await report("Last", { metadata: { note: "n".repeat(15_000), more: "m".repeat(9_000) } });
    const text = await pageText();
    expect(text.match(/class="operation" id="request-/g)).toHaveLength(200);
    expect(text).toContain("more characters");
    expect(text.length).toBeLessThan(1_000_000);
  });

  it("shows the slots of the demo's test, the clock and outgoing messages", async () => {
    const text = await pageText();
    expect(text).toContain("priya@testers.example");
    expect(text).toContain("8 of 14 days finished.");
    expect(text).toContain("There were no messages to send.");
  });

  it("moves the clock, adds and removes faults, saves and loads snapshots, and resets, without scripts", async () => {
    const { page } = await open({ javaScriptEnabled: false });
    const done = () => page.locator("[data-done]").textContent();
    await page.getByLabel("Move by, or set to").fill("2031-05-06T07:08:09Z");
    await page.getByRole("button", { name: "Move the clock" }).click();
    expect(await done()).toBe("The clock was moved. All due changes were applied.");
    expect(await page.locator("#time").textContent()).toContain("6 May 2031");
    await page.getByRole("button", { name: "1 day forward" }).click();
    expect(await page.locator("#time").textContent()).toContain("7 May 2031");

    await page.getByLabel("Path").fill("/api/v1/faqs");
    await page.getByLabel("Status").fill("503");
    await page.getByRole("button", { name: "Add the fault" }).click();
    expect(await page.locator("#faults").textContent()).toContain("gets 503 busy; 1 more time");
    await page.getByRole("button", { name: "Remove all faults" }).click();
    expect(await page.locator("#faults").textContent()).toContain("No faults are active.");

    await page.getByLabel("Name of a new snapshot").fill("later");
    await page.getByRole("button", { name: "Save a snapshot" }).click();
    await page.getByText("Reset the server").first().click();
    await page.getByRole("button", { name: "Reset the server" }).click();
    expect(await done()).toBe("The server was reset.");
    expect(await page.locator("#time").textContent()).toContain("as on this machine");
    await page.getByRole("button", { name: "Load later" }).click();
    expect(await page.locator("#time").textContent()).toContain("7 May 2031");
  });

  it("shows a fault at its field, and keeps the typed text", async () => {
    const { page } = await open({ javaScriptEnabled: false });
    await page.getByLabel("Path").fill("api");
    await page.getByLabel("Status").fill("200");
    await page.getByRole("button", { name: "Add the fault" }).click();
    const text = await page.locator("main").textContent();
    expect(text).toContain("Nothing was changed.");
    expect(text).toContain("must be a path that begins with /");
    expect(text).toContain("must be at least 400");
    expect(await page.getByLabel("Path").inputValue()).toBe("api");
    await page.getByLabel("Move by, or set to").fill("tomorrow");
    await page.getByRole("button", { name: "Move the clock" }).click();
    expect(await page.getByLabel("Move by, or set to").getAttribute("aria-invalid")).toBe("true");
  });

  it.each([
    ["another site", { origin: "https://attacker.example" }],
    ["an unknown page", { origin: "null" }],
    ["no page", {}],
  ])("refuses a form of %s", async (_, headers) => {
    const sent = await fetch(`${service.baseUrl}/dev/forms/reset`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
    expect(sent.status).toBe(403);
  });

  it("cannot be shown in a frame, and loads nothing from other servers", async () => {
    const { headers } = await service.request("GET", "/dev");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it.each([390, 1440])("has no accessibility fault at %i pixels", async (width) => {
    await report("The map is upside down.");
    await service.request("POST", "/dev/faults", { body: { path: "/nowhere", status: 503 } });
    const { page } = await open({ viewport: { width, height: 900 } });
    await page.locator("details.operation summary").first().click();
    await loadAxe(page);
    expect(await axeFaults(page)).toEqual([]);
    const scrolls = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(scrolls).toBe(false);
  });
});
