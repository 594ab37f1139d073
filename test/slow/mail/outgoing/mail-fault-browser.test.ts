import { describe, expect, it } from "vitest";
import { axeFaults, loadAxe } from "../../../support/browser/axe.ts";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { openDemo } from "../../../support/browser/demo-pages.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import { mailBecomes, queue } from "../../../support/mail/server-with-mail.ts";
import type { Service } from "../../../support/service/service.ts";

const environment = {
  INNKEEP_SMTP_URL: "smtp://127.0.0.1:9?tls=off",
  INNKEEP_MAIL_FROM: "feedback@larder.example",
};

describe("the notice that mail cannot be sent (rule M17)", () => {
  let service: Service;
  let browser: TestBrowser;
  let demo: Awaited<ReturnType<typeof openDemo>>;
  withBrowser(
    async (started) => {
      ({ service, browser } = started);
      demo = await openDemo(service);
      const id = await queue(service, { appId: demo.appId });
      await mailBecomes(service, id, { lastError: expect.any(String), attempts: 0 });
      const sql = "UPDATE mails SET last_error = ?, due_at = '2199-01-01T00:00:00.000Z'";
      await service.deps.database.write((tx) => tx.run(sql, `The mail server answered: ${"x".repeat(200)}`));
    },
    { environment },
  );

  const open = (colorScheme: "dark" | "light") =>
    openPage(browser, service, demo.headers, { colorScheme, viewport: { width: 390, height: 844 } });

  it.each([
    ["feedback", "dark"],
    ["feedback", "light"],
    ["apps", "dark"],
    ["members", "light"],
  ] as const)("fits on a phone on the page %s, and can be read in %s colours", async (part, colours) => {
    const page = await open(colours);
    await page.goto(`/console/${part}/${demo.appId}`);
    const notice = page.locator("main .notice.attention", { hasText: "Mail cannot be sent" });
    expect(await notice.count()).toBe(1);
    const { x = -1, width = 999 } = (await notice.boundingBox()) ?? {};
    expect([x >= 0, x + width <= 390]).toEqual([true, true]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await loadAxe(page);
    expect(await axeFaults(page)).toEqual([]);
    await page.context().close();
  });

  it("disappears from an open page when mail leaves again", async () => {
    const page = await open("light");
    await page.clock.install();
    await page.goto(`/console/feedback/${demo.appId}`);
    const notice = page.locator("#mail-fault .notice");
    await notice.waitFor();
    await service.deps.database.write((tx) => tx.run("UPDATE mails SET status = 'sent', last_error = NULL"));
    await page.clock.runFor(61_000);
    await notice.waitFor({ state: "detached" });
  });
});
