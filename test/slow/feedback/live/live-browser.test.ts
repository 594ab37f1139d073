import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import { databases } from "../../../support/database/databases.ts";
import { answerOnPage } from "../../../support/mail/answer-on-page.ts";
import type { Service } from "../../../support/service/service.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("open pages that receive events, in Chromium on $name", (engine) => {
  let service: Service;
  let browser: TestBrowser;
  let team: Team;
  withBrowser(
    async (started) => {
      ({ service, browser } = started);
      team = await makeTeam(service);
    },
    { engine },
  );

  // The page must not reload after a time. Only an event may cause a reload.
  const withoutPolls = (page: Page) =>
    page.addInitScript(() => {
      Object.assign(window, { setInterval: () => 0 });
    });
  const follow = async (page: Page, path: string, count: number) => {
    await page.goto(path);
    await expect.poll(() => service.deps.liveConnections.count()).toBe(count);
  };
  const member = async () => {
    const person = await team.join("maintainer");
    const page = await openPage(browser, service, person.headers);
    await withoutPolls(page);
    return { person, page };
  };
  const threadPath = (id: string) => `/console/feedback/${team.app.id}/${id}`;

  it("show two people on one thread the other's actions, and no reply is sent before its writer has seen a new answer", async () => {
    const sent = await service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": team.app.key },
      body: { type: "bug", message: "It broke." },
    });
    const [maria, kim] = [await member(), await member()];
    await follow(maria.page, threadPath(sent.field("id")), 1);
    await follow(kim.page, threadPath(sent.field("id")), 2);

    await maria.page.getByLabel("Your reply").fill("Which version");
    await kim.page.getByText(`${maria.person.email} is answering`).first().waitFor();
    await kim.page.getByLabel("Your reply").fill("Please send the log.");

    await answerOnPage(sent.field("statusUrl"), "It broke on the tablet, too.");
    for (const { page } of [maria, kim])
      await page
        .locator("#timeline")
        .getByText("It broke on the tablet, too.")
        .waitFor({ state: "attached" });
    expect(await maria.page.getByLabel("Your reply").inputValue()).toBe("Which version");

    await kim.page.getByLabel("Your reply").press("Control+Enter");
    await kim.page.getByText("Nothing was sent").first().waitFor();
    expect(await kim.page.getByLabel("Your reply").inputValue()).toBe("Please send the log.");
    await maria.page.context().close();
    await kim.page.context().close();
    await expect.poll(() => service.deps.liveConnections.count()).toBe(0);
  });

  it("say that the open thread was merged, and show the other thread", async () => {
    const [from, into] = [
      await sendFeedback(service, team.app.key, { subject: "Goes" }),
      await sendFeedback(service, team.app.key, { subject: "Stays" }),
    ];
    const { page } = await member();
    await follow(page, threadPath(from), 1);
    const notice = page.getByText("This thread was merged into another one");
    await page.getByLabel("Your reply").fill("Which version");
    expect(await notice.isVisible()).toBe(false);
    await team.call("POST", `/feedback/${from}/merge`, { into });
    await notice.first().waitFor();
    expect(await page.getByLabel("Your reply").inputValue()).toBe("Which version");
    await page.getByLabel("Your reply").fill("");
    await page.getByRole("link", { name: "Open the other thread" }).click();
    await page.waitForURL(new RegExp(into));
    await page.context().close();
    await expect.poll(() => service.deps.liveConnections.count()).toBe(0);
  });

  it("use one connection in a browser, and another page takes over the connection when one is closed", async () => {
    const first = await member();
    const list = `/console/feedback/${team.app.id}`;
    await follow(first.page, list, 1);
    const second = await first.page.context().newPage();
    await withoutPolls(second);
    await follow(second, list, 1);
    await sendFeedback(service, team.app.key, { subject: "Both pages show this" });
    for (const page of [first.page, second])
      await page.getByText("Both pages show this").first().waitFor({ state: "attached" });

    await first.page.close();
    await sendFeedback(service, team.app.key, { subject: "The second page shows this" });
    await second.getByText("The second page shows this").first().waitFor();
    expect(service.deps.liveConnections.count()).toBe(1);
    await second.context().close();
    await expect.poll(() => service.deps.liveConnections.count()).toBe(0);
  });
});
