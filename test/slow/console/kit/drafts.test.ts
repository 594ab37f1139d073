import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { makeAccount, type TestAccount } from "../../../support/sign-in/password-accounts.ts";
import { propose, sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("an unsent text in a browser", () => {
  let service: Service;
  let browser: TestBrowser;
  let account: TestAccount;
  let app: { readonly id: string; readonly key: string };
  withBrowser(async (started) => {
    ({ service, browser } = started);
    account = await makeAccount(service);
    app = await service.makeApp(account);
  });

  const openThread = async () => {
    const id = await sendFeedback(service, app.key);
    await propose(service, await service.makeToken(account, "agent"), id);
    const page = await openPage(browser, service, await service.signIn(account));
    await page.goto(`/console/feedback/${app.id}/${id}`);
    return page;
  };
  const typeReply = async (page: Page) => {
    await page.getByLabel("Your reply").fill("Dear sender");
  };
  const stored = (page: Page) => page.evaluate(() => Object.values(localStorage).join());
  const goAway = async (page: Page) => {
    page.once("dialog", (dialog) => dialog.accept());
    await expect.poll(() => stored(page)).toContain("Dear sender");
    await page.reload();
  };

  it("is restored after the person left the page, and deleted after the person discarded it", async () => {
    const page = await openThread();
    await typeReply(page);
    await goAway(page);
    expect(await page.getByLabel("Your reply").inputValue()).toBe("Dear sender");
    await page.getByRole("button", { name: "Discard it" }).click();
    await page.reload();
    expect(await page.getByLabel("Your reply").inputValue()).toBe("");
  });

  it("is kept if another form of the page is sent, and is deleted when its form is sent", async () => {
    const page = await openThread();
    const address = page.url();
    await typeReply(page);
    await page.getByRole("radio", { name: "Note" }).check();
    await page.getByLabel("Internal note").fill("Seen.");
    await page.getByRole("button", { name: "Add note" }).click();
    await page.getByText("The note was added to the thread.").waitFor();
    expect(page.url()).toBe(address);
    expect(await page.getByLabel("Your reply").inputValue()).toBe("Dear sender");
    await goAway(page);
    await page.getByRole("radio", { name: "Reply" }).check();
    await page.getByRole("button", { name: "Send reply" }).click();
    await page.getByText("The reply was added to the thread").waitFor();
    await expect.poll(() => stored(page)).toBe("");
  });

  it("is gone in every tab after one of them has sent it", async () => {
    const page = await openThread();
    const address = page.url();
    await typeReply(page);
    await expect.poll(() => stored(page)).toContain("Dear sender");
    const other = await page.context().newPage();
    await other.goto(address);
    await other.getByText("Your unsent text was restored.").first().waitFor();
    expect(await other.getByLabel("Your reply").inputValue()).toBe("Dear sender");
    await page.getByRole("button", { name: "Send reply" }).click();
    await page.getByText("The reply was added to the thread").waitFor();
    await other.locator("#main").getByText("You sent this text in another tab").waitFor();
    expect(await other.getByLabel("Your reply").inputValue()).toBe("");
    await other.close();
    await expect.poll(() => stored(page)).toBe("");
    await page.reload();
    expect(await page.getByLabel("Your reply").inputValue()).toBe("");
    await page.goto("/console/drafts");
    expect(await page.getByText("Dear sender").count()).toBe(0);
    await page.context().close();
  });

  it("does not come back with the back button after it was sent", async () => {
    const page = await openThread();
    await page.goto(`/console/feedback/${app.id}?view=all&open=1`);
    await typeReply(page);
    await page.keyboard.press("Control+Enter");
    await page.getByText("The reply was added to the thread").waitFor();
    await page.goBack();
    await page.goForward();
    await page.goBack();
    expect(await page.getByLabel("Your reply").inputValue()).toBe("");
  });

  it("belongs to one person, and ends with that person's session", async () => {
    const page = await openThread();
    await typeReply(page);
    await expect.poll(() => stored(page)).toContain("Dear sender");
    page.once("dialog", (dialog) => dialog.accept());
    await page.locator("summary", { hasText: "Account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    await expect.poll(() => stored(page)).toBe("");
  });

  it("is kept while another form of the page is sent", async () => {
    const page = await openThread();
    await typeReply(page);
    const asked = new Promise<string>((resolve) => {
      page.once("dialog", async (dialog) => {
        await dialog.dismiss();
        resolve(dialog.type());
      });
    });
    await page.locator("summary", { hasText: "Account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click({ noWaitAfter: true });
    expect(await asked).toBe("beforeunload");
    expect(await page.getByLabel("Your reply").inputValue()).toBe("Dear sender");
  });

  it("is restored after the end of the session, with a message that nothing was decided", async () => {
    const page = await openThread();
    const address = page.url();
    await page.getByLabel("Note to the agent").fill("Mind the tests.");
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Approve this plan" }).click();
    await page.getByText("Your session has ended. Your decision was not recorded.").waitFor();
    await page.getByLabel("E-mail").fill(account.email);
    await page.getByLabel("Password").fill(account.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("Your decision was not recorded. Your text is still here").waitFor();
    expect(await page.getByLabel("Note to the agent").inputValue()).toBe("Mind the tests.");
    expect(page.url()).toBe(address);
    expect(await page.locator("#proposal").getByText("Waiting for your decision").count()).toBe(1);
  });

  const restore = (page: Page) => page.getByRole("button", { name: "Restore the text" }).click();
  const reply = (page: Page) => page.getByLabel("Your reply");
  const onServer = async (page: Page) =>
    (
      await service.deps.database.all(
        "SELECT id FROM drafts WHERE page = ? AND field <> ''",
        new URL(page.url()).pathname,
      )
    ).length;
  const openAgain = async (page: Page) => {
    const next = await page.context().newPage();
    await next.goto(page.url());
    return next;
  };

  it("from another device can be restored with one click", async () => {
    const page = await openThread();
    await typeReply(page);
    await expect.poll(() => onServer(page)).toBeGreaterThan(0);
    const other = await openPage(browser, service, await service.signIn(account));
    await other.goto(page.url());
    await other.getByText(/You typed this in Chrome.* and did not send it\./).waitFor();
    expect(await reply(other).inputValue()).toBe("");
    await restore(other);
    expect(await reply(other).inputValue()).toBe("Dear sender");
    await other.getByRole("button", { name: "Send reply" }).click();
    await other.getByText("The reply was added to the thread").waitFor();
    await expect.poll(() => onServer(page)).toBe(0);
    await page.context().close();
  });

  it("exists twice for two tabs with two texts until the person chooses one", async () => {
    const first = await openThread();
    const second = await openAgain(first);
    await typeReply(first);
    await reply(second).fill("Another text");
    const third = await openAgain(first);
    const shown = async () => [
      await reply(third).inputValue(),
      ...(await third
        .locator("[data-draft-note] textarea")
        .evaluateAll((areas) =>
          areas.map((area) => (area instanceof HTMLTextAreaElement ? area.value : "")),
        )),
    ];
    await expect.poll(shown).toEqual(["Another text", "Dear sender"]);
    await restore(third);
    await expect.poll(shown).toEqual(["Dear sender", "Another text"]);
    await third.locator("[data-draft-note]", { hasText: "You typed this" }).getByText("Discard it").click();
    await expect.poll(shown).toEqual(["Dear sender"]);
    await first.context().close();
  });

  it("that was typed offline after another device took over its beginning is saved later", async () => {
    const page = await openThread();
    await typeReply(page);
    await expect.poll(() => onServer(page)).toBeGreaterThan(0);
    const other = await openPage(browser, service, await service.signIn(account));
    await other.goto(page.url());
    await restore(other);
    const endedWriters = () =>
      service.deps.database.all(
        "SELECT id FROM drafts WHERE form LIKE ? AND field = ''",
        `${new URL(page.url()).pathname}%`,
      );
    await expect.poll(async () => (await endedWriters()).length).toBe(1);
    const tab = await page.context().newPage();
    await tab.goto("/console/account");
    await page.context().setOffline(true);
    await reply(page).fill("Dear sender, this is new");
    await expect.poll(() => stored(tab)).toContain("this is new");
    await page.close();
    await page.context().setOffline(false);
    // The page must stay open until it has saved the text.
    await expect.poll(() => stored(tab)).toContain('"saved":true');
    const shown = async () => {
      await tab.goto("/console/drafts");
      return tab.locator("main").innerHTML();
    };
    await expect.poll(shown).toContain("this is new");
    expect(await shown()).toContain("Dear sender</textarea>");
    await tab.context().close();
    await other.context().close();
  });

  it("is not shown to the next person in the same browser, even if that person signs in on the form that was sent", async () => {
    const page = await openThread();
    const next = await makeAccount(service);
    await page.getByLabel("Note to the agent").fill("A note of the first person");
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Approve this plan" }).click();
    await page.getByLabel("E-mail").fill(next.email);
    await page.getByLabel("Password").fill(next.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("Nothing here").waitFor();
    await page.goto("/console/drafts");
    await page.getByText("No unsent text").waitFor();
    expect(await page.content()).not.toContain("A note of the first person");
    await page.context().close();
  });

  it("stays in the browser while the server accepts no more texts, and is saved later", async () => {
    const page = await openThread();
    await page.clock.install();
    const answers: number[] = [];
    await page.route("**/drafts/save", (route) => {
      answers.push(429);
      return route.fulfill({ status: 429, headers: { "retry-after": "60" }, json: { code: "rate_limited" } });
    });
    await typeReply(page);
    const address = page.url();
    await expect
      .poll(async () => {
        await page.clock.runFor(16_000);
        return answers.length;
      })
      .toBeGreaterThan(1);
    expect(await stored(page)).toContain("Dear sender");
    expect(await onServer(page)).toBe(0);

    // The same for a text of a page that is no longer open.
    page.once("dialog", (dialog) => dialog.accept());
    await page.goto("/console/account");
    const refused = answers.length;
    await expect
      .poll(async () => {
        await page.clock.runFor(16_000);
        return answers.length;
      })
      .toBeGreaterThan(refused);
    await page.unroute("**/drafts/save");
    const saved = async () => {
      await page.clock.runFor(16_000);
      return (
        await service.deps.database.all("SELECT id FROM drafts WHERE page = ?", new URL(address).pathname)
      ).length;
    };
    await expect.poll(saved).toBe(1);
    await page.context().close();
  });

  it("of an open tab is not sent by another page that repeats a refused save of a closed page", async () => {
    const page = await openThread();
    const context = page.context();
    await page.clock.install();
    await context.route("**/drafts/save", (route) =>
      route.fulfill({ status: 429, json: { code: "rate_limited" } }),
    );
    await typeReply(page);
    await expect.poll(() => stored(page)).toContain("Dear sender");
    await page.clock.runFor(16_000);
    page.once("dialog", (dialog) => dialog.accept());
    await page.goto("/console/account");
    const sent: (string | null)[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/drafts/save"))
        sent.push(new URLSearchParams(request.postData() ?? "").get("text"));
    });

    const tab = await context.newPage();
    await tab.goto(`/console/feedback/${app.id}/${await sendFeedback(service, app.key)}`);
    await reply(tab).fill("A newer text");
    await expect.poll(() => stored(page)).toContain("A newer text");
    await expect
      .poll(async () => {
        await page.clock.runFor(16_000);
        return sent.length;
      })
      .toBeGreaterThan(1);
    expect(new Set(sent)).toEqual(new Set(["Dear sender"]));
    await context.close();
  });

  it("is on the server after the person signed out, and in no browser", async () => {
    const page = await openThread();
    page.on("dialog", (dialog) => dialog.accept());
    const address = page.url();
    await typeReply(page);
    await page.locator("summary", { hasText: "Account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    expect(await stored(page)).toBe("");
    const other = await openPage(browser, service, await service.signIn(account));
    await other.goto(address);
    await restore(other);
    expect(await reply(other).inputValue()).toBe("Dear sender");
    await page.context().close();
    await other.context().close();
  });
});
