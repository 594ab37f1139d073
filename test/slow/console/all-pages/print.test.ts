import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { everyPage, openDemo } from "../../../support/browser/demo-pages.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";

const controls = "button, select, textarea, input, .button, summary";

describe("a printed page of the console", () => {
  let service: Service;
  let demo: Awaited<ReturnType<typeof openDemo>>;
  let browser: TestBrowser;
  let paths: string[];
  withBrowser(async (started) => {
    ({ service, browser } = started);
    demo = await openDemo(service);
    paths = [...(await everyPage(service, demo.visitor)).keys()];
  });

  const printed = async (path: string) => {
    const page = await openPage(browser, service, demo.headers);
    await page.emulateMedia({ media: "print" });
    await page.goto(path);
    return page;
  };

  it("has the texts of a thread, and no buttons and no fields", async () => {
    const path = paths.find((at) => /^\/console\/(t|feedback|inbox)\/[^/]+\/[^/?]+$/.test(at)) ?? "";
    const page = await printed(path);
    const text = await page.locator("body").innerText();
    expect(text).toContain("Conversation");
    for (const words of [
      "Send reply",
      "Block this sender",
      "Assign to me",
      "Approve this plan",
      "Delete thread",
    ])
      expect(text).not.toContain(words);
    await page.close();
  });

  it.each([/\/members\//, /\/testing\//, /\/cycles\/[^/]+\/[^/?]+$/, /\/faqs\//, /\/console\/audit$/])(
    "has no buttons and no fields on the page %s",
    async (kind) => {
      const page = await printed(paths.find((at) => kind.test(at)) ?? "");
      const seen = await page
        .locator("main")
        .locator(controls)
        .evaluateAll((found) =>
          found.filter((one) => one.checkVisibility() && !one.closest(".folded")).map((one) => one.outerHTML),
        );
      expect(seen).toEqual([]);
      await page.close();
    },
  );
});
