import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { makeAccount, type TestAccount } from "../../../support/sign-in/password-accounts.ts";

/** Ann and Bob have one thread. Bob wrote last, so a reply goes to Bob unless another receiver is chosen. (rule O17) */
describe("the receiver of an unsent reply", () => {
  let service: Service;
  let browser: TestBrowser;
  let account: TestAccount;
  let app: { readonly id: string; readonly key: string };
  withBrowser(async (started) => {
    ({ service, browser } = started);
    account = await makeAccount(service);
    app = await service.makeApp(account);
  });

  const report = async (name: string) => {
    const sent = await service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": app.key },
      body: { type: "bug", message: "It stops.", name, email: `${name.toLowerCase()}@example.org` },
    });
    return sent.field("id");
  };
  const change = async (id: string, what: string, body = {}) => {
    const headers = await service.signIn(account);
    const sent = await service.request("POST", `/api/v1/console/feedback/${id}/${what}`, { headers, body });
    expect(sent.status).toBeLessThan(300);
  };
  const open = async (address: string) => {
    const page = await openPage(browser, service, await service.signIn(account));
    page.on("dialog", (dialog) => dialog.accept());
    await page.goto(address);
    return page;
  };
  const twoSenders = async () => {
    const [ann, bob] = [await report("Ann"), await report("Bob")];
    await change(bob, "merge", { into: ann });
    return { bob, address: `/console/feedback/${app.id}/${ann}` };
  };
  const reply = (page: Page) => page.getByLabel("Your reply");
  const receiver = (page: Page) => page.getByLabel("To", { exact: true });
  const shown = (page: Page) => receiver(page).locator("option:checked").textContent();
  const type = async (page: Page, to: string, text = "Dear you") => {
    await reply(page).fill(text);
    await receiver(page).selectOption(to);
  };
  const stored = (page: Page) => page.evaluate(() => Object.values(localStorage).join());
  const onServer = async () =>
    (await service.deps.database.all("SELECT id FROM drafts WHERE field = 'replyBody'")).length;
  const discardAll = () => service.deps.database.write((tx) => tx.run("DELETE FROM drafts"));

  it.each([
    ["", "Ann (ann@example.org), who reported it first"],
    ["everyone", "Everyone who reported it"],
  ])("is restored with the text after a reload and in the list: %j", async (to, label) => {
    const { address } = await twoSenders();
    const page = await open(address);
    expect(await shown(page)).toContain("Bob");
    await type(page, to);
    await page.reload();
    await page.getByText(`Your unsent text was restored. To: ${label}.`).first().waitFor();
    expect([await reply(page).inputValue(), await shown(page)]).toEqual(["Dear you", label]);
    await page.goto(`/console/feedback/${app.id}?view=all&open=${address.split("/").at(-1)}`);
    expect([await reply(page).inputValue(), await shown(page)]).toEqual(["Dear you", label]);
    await page.getByRole("button", { name: "Discard it" }).click();
    expect(await shown(page)).toContain("Bob");
    await page.reload();
    expect([await reply(page).inputValue(), (await shown(page))?.slice(0, 3)]).toEqual(["", "Bob"]);
    await page.context().close();
  });

  it("is not unsent text without a text", async () => {
    const { address } = await twoSenders();
    const page = await open(address);
    await receiver(page).selectOption("");
    expect(await stored(page)).not.toContain("choice");
    await page.reload();
    expect(await shown(page)).toContain("Bob");
    await page.context().close();
  });

  it("comes with the text to another device, also from the page of unsent texts", async () => {
    await discardAll();
    const { address } = await twoSenders();
    const page = await open(address);
    await type(page, "", "Only for Ann");
    await expect.poll(onServer).toBe(1);
    const other = await open("/console/drafts");
    await other.getByText("to Ann (ann@example.org)").waitFor();
    await other.locator("main").getByRole("link", { name: /^#/ }).first().click();
    await other.getByRole("button", { name: "Restore the text" }).click();
    expect([await reply(other).inputValue(), (await shown(other))?.slice(0, 3)]).toEqual([
      "Only for Ann",
      "Ann",
    ]);
    await other.getByRole("button", { name: "Send reply" }).click();
    await other.getByText("The reply was added to the thread").waitFor();
    const [sent] = await service.deps.database.all<{ reportId: string }>(
      `SELECT report_id AS "reportId" FROM messages WHERE body = 'Only for Ann'`,
    );
    expect(address).toContain(sent?.reportId);
    await page.context().close();
    await other.context().close();
  });

  it("must be chosen if the text was stored without a receiver", async () => {
    const { address } = await twoSenders();
    const page = await open(address);
    await type(page, "", "An older text");
    await page.goto("/console/account");
    await page.evaluate(() => {
      for (const [name, value] of Object.entries(localStorage))
        localStorage.setItem(name, value.replace(/,"choice":"[^"]*"/, ""));
    });
    await page.goto(address);
    await page.getByText("Your unsent text was restored. Choose who gets the reply.").first().waitFor();
    await page.getByRole("button", { name: "Send reply" }).click();
    await page
      .getByText("To must be somebody who sent a report in this thread. Choose who gets the reply.")
      .waitFor();
    expect(await reply(page).inputValue()).toBe("An older text");
    await receiver(page).selectOption("");
    await page.getByRole("button", { name: "Send reply" }).click();
    await page.getByText("The reply was added to the thread").waitFor();
    await page.context().close();
  });

  it("stops the reply once if the chosen receiver is no longer in the thread", async () => {
    const { bob, address } = await twoSenders();
    const page = await open(address);
    await type(page, bob, "Only for Bob");
    await page.goto("/console/account");
    await change(bob, "unmerge");
    await page.goto(address);
    await page.getByText("You typed it for a sender who is no longer in this thread.").first().waitFor();
    expect(await receiver(page).count()).toBe(0);
    await page.getByRole("button", { name: "Send reply" }).click();
    await page.getByText("Send again to send it to Ann (ann@example.org).").waitFor();
    expect(await reply(page).inputValue()).toBe("Only for Bob");
    await page.getByRole("button", { name: "Send reply" }).click();
    await page.getByText("The reply was added to the thread").waitFor();
    await page.context().close();
  });
});
