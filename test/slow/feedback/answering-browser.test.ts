import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { axeFaults, loadAxe } from "../../support/browser/axe.ts";
import type { TestBrowser } from "../../support/browser/browser.ts";
import { openPage } from "../../support/browser/browser-page.ts";
import { withBrowser } from "../../support/browser/with-browser.ts";
import type { Service } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("two members who have opened the same thread in browsers", () => {
  let service: Service;
  let browser: TestBrowser;
  withBrowser((started) => {
    ({ service, browser } = started);
  });

  const start = async () => {
    const team = await makeTeam(service);
    const id = await sendFeedback(service, team.app.key);
    const open = async () => {
      const member = await team.join("maintainer");
      const page = await openPage(browser, service, member.headers);
      await page.clock.install();
      await page.goto(`/console/feedback/${team.app.id}/${id}`);
      return { ...member, page };
    };
    return { maria: await open(), ben: await open() };
  };
  const shownOn = async (page: Page) => {
    await page.clock.runFor(21_000);
    return page.locator("#answering:visible, #answering-here:visible").allInnerTexts();
  };

  it("see who is writing an answer, hear it once from a screen reader, and do not see it after the reply was sent", async () => {
    const { maria, ben } = await start();
    const words = `${maria.email} is answering.`;
    await ben.page.getByRole("radio", { name: "Note" }).check();
    await ben.page.getByLabel("Internal note").fill("What I think");
    await maria.page.getByLabel("Your reply").pressSequentially("Dear sender");
    await maria.page.clock.runFor(4_000);
    await expect.poll(() => shownOn(ben.page)).toEqual([words, words]);
    expect(await ben.page.locator("[aria-live=polite]").innerText()).toBe(words);
    expect(await ben.page.getByLabel("Internal note").inputValue()).toBe("What I think");
    await loadAxe(ben.page);
    expect(await axeFaults(ben.page)).toEqual([]);

    await ben.page.evaluate(() => document.getElementById("announced")?.replaceChildren());
    await shownOn(ben.page);
    expect(await ben.page.locator("[aria-live=polite]").innerText()).toBe("");

    await maria.page.getByRole("button", { name: "Send reply" }).click();
    await maria.page.getByText("The reply was added to the thread").waitFor();
    await expect.poll(() => shownOn(ben.page)).toEqual([]);
  });

  it("see no mark after the person has stopped, or has discarded the text", async () => {
    const { maria, ben } = await start();
    await maria.page.getByRole("radio", { name: "Note" }).check();
    const note = maria.page.getByLabel("Internal note");
    await note.pressSequentially("One");
    await maria.page.clock.runFor(4_000);
    await expect.poll(() => shownOn(ben.page)).not.toEqual([]);
    service.clock.advance(46_000);
    await expect.poll(() => shownOn(ben.page)).toEqual([]);

    await note.pressSequentially(" two");
    await maria.page.clock.runFor(4_000);
    await expect.poll(() => shownOn(ben.page)).not.toEqual([]);
    maria.page.once("dialog", (dialog) => dialog.accept());
    await maria.page.reload();
    await maria.page.getByRole("button", { name: "Discard it" }).click();
    await expect.poll(() => shownOn(ben.page)).toEqual([]);
  });

  it("lose the text of a reply that was refused once and then sent again", async () => {
    const { maria, ben } = await start();
    await maria.page.getByLabel("Your reply").pressSequentially("Dear sender");
    await maria.page.clock.runFor(4_000);
    await ben.page.getByLabel("Your reply").pressSequentially("I am first");
    await ben.page.getByRole("button", { name: "Send reply" }).click();
    await ben.page.getByText("The reply was added to the thread").waitFor();
    await maria.page.getByRole("button", { name: "Send reply" }).click();
    await maria.page.getByText("Nothing was sent").waitFor();
    await maria.page.clock.runFor(4_000);
    const drafts = () =>
      service.deps.database.all("SELECT writer FROM drafts WHERE user_id = ? AND field <> ''", maria.id);
    await expect.poll(drafts).toHaveLength(1);
    await maria.page.getByLabel("Your reply").focus();
    await maria.page.keyboard.press("Control+Enter");
    await maria.page.getByText("The reply was added to the thread").waitFor();
    await maria.page.clock.runFor(4_000);
    await expect.poll(drafts).toEqual([]);
    await maria.page.reload();
    expect(await maria.page.getByLabel("Your reply").inputValue()).toBe("");
  });
});
