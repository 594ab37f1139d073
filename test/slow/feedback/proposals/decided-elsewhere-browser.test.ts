import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";
import { propose, sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the open page of a proposal on which somebody else decides", () => {
  let service: Service;
  let browser: TestBrowser;
  let team: Team;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    team = await makeTeam(service);
  });

  const open = async () => {
    const id = await sendFeedback(service, team.app.key);
    const agent = await service.makeToken(team.owner, "agent");
    const runId = await propose(service, agent, id);
    const member = await team.join("maintainer");
    const page = await openPage(browser, service, member.headers);
    page.on("dialog", (dialog) => dialog.accept());
    await page.goto(`/console/feedback/${team.app.id}/${id}`);
    const decide = (decision: string, note = "") =>
      team.call("POST", `/runs/${runId}/decision`, { decision, note });
    return { page, id, agent, decide };
  };
  const bar = (page: Page) => page.locator(".decision-bar");
  const note = (page: Page) => page.locator(".proposal .decide textarea");
  const waiting = (page: Page) => page.getByText("Waiting for your decision");

  it("says who decided, without the buttons and the empty note", async () => {
    const { page, decide } = await open();
    await decide("approve");
    await page.locator("#proposal").getByText(`Approved by ${team.owner.email}`).waitFor();
    await expect.poll(() => bar(page).count()).toBe(0);
    await expect.poll(() => waiting(page).count()).toBe(0);
    expect(await note(page).isVisible()).toBe(false);
    expect(await page.locator("#announced").innerText()).not.toBe("");
    await page.context().close();
  });

  it("keeps the typed note, also as unsent text", async () => {
    const { page, decide } = await open();
    await note(page).fill("Mind the tests.");
    await decide("reject");
    await page.locator("#proposal").getByText(`Rejected by ${team.owner.email}`).waitFor();
    await expect.poll(() => bar(page).count()).toBe(0);
    expect(await page.getByLabel("Your note to the agent, not sent").inputValue()).toBe("Mind the tests.");
    await page.goto("/console/account");
    await page.goBack();
    await page.locator("[data-draft-note] textarea").waitFor();
    expect(await page.locator("[data-draft-note] textarea").inputValue()).toBe("Mind the tests.");
    await page.context().close();
  });

  it("closes an open question, and moves the focus from the buttons to the decision", async () => {
    const { page, decide } = await open();
    await bar(page).getByRole("button", { name: "Approve this plan" }).focus();
    await page.keyboard.press("Shift+A");
    await page.getByRole("dialog").waitFor();
    await decide("request_changes", "Smaller steps.");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => bar(page).count()).toBe(0);
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    expect(await focused()).toContain("Changes asked for");
    await page.context().close();
  });

  it("does not decide on a newer proposal that the person has not read", async () => {
    const { page, id, agent } = await open();
    await propose(service, agent, id);
    await page.locator("#stale").waitFor();
    await page.locator("#proposal").getByText("Replaced", { exact: false }).first().waitFor();
    await expect.poll(() => bar(page).count()).toBe(0);
    await page.context().close();
  });
});
