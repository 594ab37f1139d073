import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { saveDraft } from "../../../support/browser/save-draft.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { makeAccount, type TestAccount } from "../../../support/sign-in/password-accounts.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("a text that was typed on several pages in turn", () => {
  let service: Service;
  let browser: TestBrowser;
  let account: TestAccount;
  let app: { readonly id: string; readonly key: string };
  withBrowser(async (started) => {
    ({ service, browser } = started);
    account = await makeAccount(service);
    app = await service.makeApp(account);
  });

  const openIn = async (path: string) => {
    const page = await openPage(browser, service, await service.signIn(account));
    page.on("dialog", (dialog) => dialog.accept());
    await page.goto(path);
    return page;
  };
  const threadPath = async () => `/console/feedback/${app.id}/${await sendFeedback(service, app.key)}`;
  const onServer = async (form: string) =>
    (await service.deps.database.all("SELECT id FROM drafts WHERE form = ? AND field <> ''", form)).length;
  const reply = (page: Page) => page.getByLabel("Your reply");
  const sendReply = async (page: Page) => {
    await page.keyboard.press("Control+Enter");
    await page.getByText("The reply was added to the thread").waitFor();
  };
  /** Types a text, and leaves the page after the text reached the server. */
  const typeAndLeave = async (page: Page, path: string, text: string) => {
    await reply(page).fill(text);
    await page.goto("/console/account");
    await expect.poll(() => onServer(`${path}/edit`)).toBeGreaterThan(0);
  };
  const expectNoCopy = async (page: Page, form: string, address: string) => {
    await expect.poll(() => onServer(form)).toBe(0);
    const offered = page.waitForResponse("**/drafts/of-page?*");
    await page.goto(address);
    await offered;
    expect(await page.locator("[data-draft-note]").count()).toBe(0);
    await page.goto("/console/drafts");
    await page.getByText("No unsent text").waitFor();
  };

  it.each([
    ["continued", "Quick half and the rest"],
    ["replaced", "Another text"],
  ])("has no copy after it was %s on a later page and sent at once", async (_, text) => {
    const path = await threadPath();
    const page = await openIn(path);
    for (const round of ["first", "second"]) {
      await typeAndLeave(page, path, `Quick half, ${round}`);
      await page.goto(path);
      expect(await reply(page).inputValue()).toBe(`Quick half, ${round}`);
      await reply(page).fill(text);
      await sendReply(page);
      await expectNoCopy(page, `${path}/edit`, path);
      await page.goto(path);
    }
    await page.context().close();
  });

  it("has no copy after a refusal, a new start and a save", async () => {
    const path = `/console/saved-replies/${app.id}`;
    const page = await openIn(path);
    const body = page.locator("#new-body");
    const save = () => page.getByRole("button", { name: "Save the reply" }).click();
    await page.locator("#new-title").fill("Hours");
    await body.fill("Dear {nobody}");
    await save();
    await page.locator("#new-body-fault").waitFor();
    await page.goto(path);
    await expect.poll(() => onServer(path)).toBeGreaterThan(0);
    expect(await body.inputValue()).toBe("Dear {nobody}");
    await body.fill("Dear {name}");
    await save();
    await page.getByText("The reply is saved.").waitFor();
    await expectNoCopy(page, path, path);
    await page.context().close();
  });

  it("has no copy if a save of an earlier page arrives after the text was sent", async () => {
    const path = await threadPath();
    const page = await openIn(path);
    await reply(page).fill("Quick half");
    const writerOf = () =>
      page.evaluate(
        () =>
          Object.keys(localStorage)
            .find((name) => name.startsWith("innkeep-draft "))
            ?.split(" ")[3],
      );
    await expect.poll(writerOf).toBeDefined();
    const writer = (await writerOf()) ?? "";
    await page.goto("/console/account");
    await page.goto(path);
    await reply(page).fill("Quick half and the rest");
    await sendReply(page);
    const late = await saveDraft(service, await service.signIn(account), {
      ...{ page: path, texts: { replyBody: "Quick half" } },
      more: { "draft-form": `${path}/edit`, "draft-writer": writer },
    });
    expect(late.status).toBe(200);
    await expectNoCopy(page, `${path}/edit`, path);
    await page.context().close();
  });

  it("stays on a page that is still open after another device has taken it over and sent it", async () => {
    const path = await threadPath();
    const page = await openIn(path);
    await reply(page).fill("First");
    await expect.poll(() => onServer(`${path}/edit`)).toBe(1);
    const other = await openIn(path);
    await other.getByRole("button", { name: "Restore the text" }).click();
    expect(await reply(other).inputValue()).toBe("First");
    await other.keyboard.press("Control+Enter");
    await other.getByText("The reply was added to the thread").waitFor();
    await expect.poll(() => onServer(`${path}/edit`)).toBe(0);
    await reply(page).fill("First and second");
    await expect.poll(() => onServer(`${path}/edit`), { timeout: 15_000 }).toBe(1);
    await other.goto(path);
    await other.getByText("You typed this in").waitFor();
    expect(await other.locator("[data-draft-note] textarea").inputValue()).toBe("First and second");
    for (const one of [page, other]) await one.context().close();
  });
});
