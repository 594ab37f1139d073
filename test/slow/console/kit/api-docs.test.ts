import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import { endpoints } from "../../../support/service/endpoints.ts";
import type { Service } from "../../../support/service/service.ts";

describe("the page with the documentation of the API", () => {
  let service: Service;
  let browser: TestBrowser;
  let app: { readonly key: string };
  withBrowser(async (started) => {
    ({ service, browser } = started);
    app = await service.makeApp();
  });

  const open = async (options: Parameters<typeof openPage>[3] = {}) => {
    const page = await openPage(browser, service, {}, options);
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => faults.push(message.text()));
    await page.goto("/api/v1/docs");
    return { page, faults };
  };
  const operation = async (page: Page, id: string) => {
    const part = page.locator(`[id="${id}"]`);
    await part.locator("summary").first().click();
    return part;
  };

  it("has every operation, needs no sign-in, and loads nothing from other servers", async () => {
    const answer = await service.request("GET", "/api/v1/docs", { headers: { accept: "text/html" } });
    expect(answer.status).toBe(200);
    for (const [name] of endpoints) expect(answer.text).toContain(`id="${name}"`);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(answer.headers.get("content-security-policy")).not.toContain("unsafe");
  });

  it("has the JSON of each operation", async () => {
    const answer = await service.request("GET", "/api/v1/docs/faqs.create");
    expect(answer.body).toMatchObject({ "/api/v1/faqs/remote": { post: { operationId: "faqs.create" } } });
    expect((await service.request("GET", "/api/v1/docs/nothing")).status).toBe(404);
  });

  it("finds operations by words", async () => {
    const { page, faults } = await open();
    await page.getByRole("searchbox").fill("faqs post");
    const count = await page.getByText(/^\d+ of \d+/).innerText();
    const found = page.locator("details.operation:visible");
    expect(await found.count()).toBe(Number.parseInt(count, 10));
    for (const operation of await found.allInnerTexts()) expect(operation).toMatch(/^POST.*faqs/is);
    expect(faults).toEqual([]);
  });

  it("sends requests to the API with the typed key, and does not store the key", async () => {
    const { page, faults } = await open();
    await page.getByLabel("Key or token for the calls").fill(app.key);
    const create = await operation(page, "faqs.create");
    await create.getByLabel("Body", { exact: true }).fill('{"question":"Try?","answer":"Yes."}');
    await create.getByRole("button", { name: "Send POST (changes real data)" }).click();
    await create.getByText("201").last().waitFor();
    const list = await operation(page, "faqs.list");
    await list.getByRole("button", { name: "Send", exact: true }).click();
    await list.locator("output pre").waitFor();
    expect(await list.locator("output pre").innerText()).toContain('"question": "Try?"');
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, location.href])).toEqual([
      0,
      0,
      `${service.baseUrl}/api/v1/docs`,
    ]);
    await page.reload();
    expect(await page.getByLabel("Key or token for the calls").inputValue()).toBe("");
    expect(faults).toEqual([]);
  });

  it("shows a refusal unchanged", async () => {
    const { page } = await open();
    const list = await operation(page, "faqs.list");
    await list.getByRole("button", { name: "Send", exact: true }).click();
    await list.locator("output pre").waitFor();
    expect(await list.locator("output").innerText()).toContain("invalid_api_key");
  });

  it.each([true, false])("is readable on a phone, scripts: %s", async (javaScriptEnabled) => {
    const { page } = await open({ javaScriptEnabled, viewport: { width: 360, height: 740 } });
    await operation(page, "feedback.submit");
    const part = page.locator("details.operation[open]");
    expect(await part.count()).toBe(1);
    expect(await part.getByText("With curl").isVisible()).toBe(true);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(360);
  });
});
