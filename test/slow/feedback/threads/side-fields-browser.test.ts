import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("a text in the side column of a thread", () => {
  let service: Service;
  let browser: TestBrowser;
  let team: Team;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    team = await makeTeam(service);
  });

  const open = async () => {
    const id = await sendFeedback(service, team.app.key);
    const member = await team.join("maintainer");
    const path = `/console/feedback/${team.app.id}/${id}`;
    const openAgain = async (headers = member.headers) => {
      const page = await openPage(browser, service, headers);
      page.on("dialog", (dialog) => dialog.accept());
      await page.goto(path);
      return page;
    };
    const read = async () => Object((await team.call("GET", `/feedback/${id}`)).body);
    const tags = async () => (await read()).tags.map(({ name }: { readonly name: string }) => name);
    const change = (body: object) => team.call("PATCH", `/feedback/${id}`, body);
    const onServer = async () =>
      (
        await service.deps.database.all(
          "SELECT id FROM drafts WHERE form = ? AND field <> ''",
          `${path}/edit`,
        )
      ).length;
    return { page: await openAgain(), path, openAgain, member, read, tags, change, onServer };
  };
  const tagField = (page: Page) => page.getByLabel("Add tags");
  const subject = (page: Page) => page.getByLabel("Subject");
  const reply = (page: Page) => page.getByLabel("Your reply");
  const stored = (page: Page) =>
    page.evaluate(() =>
      Object.keys(localStorage)
        .filter((name) => name.startsWith("innkeep-draft "))
        .join(),
    );
  const toast = (page: Page, words: string) => page.locator(".toast").getByText(words).waitFor();
  const sendReply = async (page: Page, text: string) => {
    await reply(page).fill(text);
    await reply(page).press("Control+Enter");
    await page.getByText("The reply was added to the thread").waitFor();
  };
  const expectNoDraft = async (page: Page, path: string, onServer: () => Promise<number>) => {
    await expect.poll(onServer).toBe(0);
    await expect.poll(() => stored(page)).toBe("");
    const offered = page.waitForResponse("**/drafts/of-page?*");
    await page.goto(path);
    await offered;
    expect(await page.locator("[data-draft-note]").count()).toBe(0);
    await page.goto("/console/drafts");
    await page.getByText("No unsent text").waitFor();
  };

  it.each([
    ["at once", false],
    ["after its draft reached the server", true],
  ])("is no unsent text if it was saved %s", async (_, waits) => {
    const { page, path, onServer, read } = await open();
    for (const [field, text, words] of [
      [tagField(page), "menu", "Add tags: menu."],
      [subject(page), "A better subject", "Subject: A better subject."],
      [page.getByLabel("Linked issue"), "https://example.org/1", "Linked issue: https://example.org/1."],
    ] as const) {
      await field.fill(text);
      if (waits) await expect.poll(onServer, { timeout: 15_000 }).toBe(1);
      await field.press("Enter");
      await toast(page, words);
    }
    expect(await read()).toMatchObject({
      feedback: { subject: "A better subject" },
      tags: [{ name: "menu" }],
    });
    await expectNoDraft(page, path, onServer);
    await page.context().close();
  });

  it("is no unsent text if its draft reaches the server after the text was saved", async () => {
    const { page, path, onServer } = await open();
    let arrive = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const late = new Promise<void>((resolve) => {
      page.route(
        "**/drafts/save",
        async (route) => {
          const request = route.request();
          await arrival;
          await service.request("POST", "/console/drafts/save", {
            headers: await request.allHeaders(),
            body: request.postData() ?? "",
          });
          await route.abort().catch(() => undefined);
          resolve();
        },
        { times: 1 },
      );
    });
    const begun = page.waitForRequest("**/drafts/save");
    await tagField(page).fill("menu");
    await begun;
    const ended = page.waitForResponse("**/drafts/save");
    await tagField(page).press("Enter");
    await toast(page, "Add tags: menu.");
    await ended;
    arrive();
    await late;
    await expectNoDraft(page, path, onServer);
    await page.context().close();
  });

  it("is not added again by a reply after somebody removed it, on this device or another one", async () => {
    const { page, path, openAgain, change, tags } = await open();
    await tagField(page).fill("menu");
    await tagField(page).press("Enter");
    await toast(page, "Add tags: menu.");
    await page.goto("/console/account");
    await change({ removeTags: ["menu"] });
    await page.goto(path);
    await sendReply(page, "Thank you.");
    expect(await tags()).toEqual([]);
    const other = await openAgain();
    await sendReply(other, "Thank you again.");
    expect(await tags()).toEqual([]);
    for (const one of [page, other]) await one.context().close();
  });

  it("is kept with the typed reply, which stays the only unsent text after it was saved", async () => {
    const { page, path, onServer } = await open();
    await reply(page).fill("Half a reply");
    await tagField(page).fill("menu");
    await tagField(page).press("Enter");
    await toast(page, "Add tags: menu.");
    await expect.poll(onServer, { timeout: 15_000 }).toBe(1);
    await page.goto("/console/account");
    await page.goto(path);
    await page.getByText("Your unsent text was restored.").first().waitFor();
    expect(await tagField(page).inputValue()).toBe("");
    expect(await reply(page).inputValue()).toBe("Half a reply");
    await page.context().close();
  });

  it("stays in its field if the person types it while another field is being saved", async () => {
    const { page, read } = await open();
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let saves = 0;
    await page.route("**/edit", async (route) => {
      saves += 1;
      await answered;
      await route.continue();
    });
    const begun = page.waitForRequest("**/edit");
    await page.getByLabel("Status").selectOption("in_progress");
    await begun;
    await subject(page).fill("Typed meanwhile");
    answer();
    await toast(page, "Status: In progress.");
    expect(await subject(page).inputValue()).toBe("Typed meanwhile");
    expect(await subject(page).evaluate((field) => field === document.activeElement)).toBe(true);
    expect(saves).toBe(1);
    await subject(page).press("Enter");
    await expect.poll(async () => (await read()).feedback.subject).toBe("Typed meanwhile");
    await page.context().close();
  });

  it("that was restored stays unsent when a reply is sent, and is saved with its button", async () => {
    const { page, path, tags } = await open();
    await tagField(page).fill("menu");
    await expect.poll(() => stored(page)).not.toBe("");
    await page.goto(path);
    await page.getByText("Your unsent text was restored.").first().waitFor();
    await sendReply(page, "Thank you.");
    expect(await tags()).toEqual([]);
    expect(await tagField(page).inputValue()).toBe("menu");
    await page.locator("#fields").getByRole("button", { name: "Save" }).click();
    await page.getByText("The changes are saved.").first().waitFor();
    expect(await tags()).toEqual(["menu"]);
    await page.context().close();
  });

  it("that was restored stays in its field when a colleague changes the thread", async () => {
    const { page, path, change } = await open();
    await tagField(page).fill("menu");
    await expect.poll(() => stored(page)).not.toBe("");
    await page.goto(path);
    await page.getByText("Your unsent text was restored.").first().waitFor();
    await page.locator("h1").first().click();
    await change({ status: "in_progress" });
    await expect.poll(() => page.getByLabel("Status").inputValue(), { timeout: 30_000 }).toBe("in_progress");
    expect(await tagField(page).inputValue()).toBe("menu");
    await page.context().close();
  });

  it("that was typed offline stays unsent until it is saved", async () => {
    const { page, path, onServer, tags } = await open();
    await page.context().setOffline(true);
    await tagField(page).fill("menu");
    await tagField(page).press("Enter");
    await page.locator("#main").getByText("You are offline, so nothing was sent.").waitFor();
    expect(await tagField(page).inputValue()).toBe("menu");
    await page.context().setOffline(false);
    await tagField(page).press("Enter");
    await toast(page, "Add tags: menu.");
    expect(await tags()).toEqual(["menu"]);
    await expectNoDraft(page, path, onServer);
    await page.context().close();
  });

  it("is sent with the form if the answer to its save breaks off", async () => {
    const { page, tags } = await open();
    await page.evaluate(() => {
      const { text } = Response.prototype;
      Response.prototype.text = function () {
        return this.url.endsWith("/edit") ? Promise.reject(new TypeError("network error")) : text.call(this);
      };
    });
    await page.route("**/edit", (route) => route.fulfill({ body: "" }), { times: 1 });
    await tagField(page).fill("menu");
    await tagField(page).press("Enter");
    await page.getByText("The changes are saved.").first().waitFor();
    expect(await tags()).toEqual(["menu"]);
    await page.context().close();
  });

  it("that another tab has saved is not in this tab any more", async () => {
    const { page, path, tags, change } = await open();
    await tagField(page).fill("menu");
    await expect.poll(() => stored(page)).not.toBe("");
    const other = await page.context().newPage();
    await other.goto(path);
    await other.getByText("Your unsent text was restored.").first().waitFor();
    await tagField(page).press("Enter");
    await toast(page, "Add tags: menu.");
    await expect.poll(() => tagField(other).inputValue()).toBe("");
    await change({ removeTags: ["menu"] });
    await sendReply(other, "Thank you.");
    expect(await tags()).toEqual([]);
    await page.context().close();
  });

  it("that was refused stays unsent until it is saved", async () => {
    const { page, path, onServer } = await open();
    const issue = page.getByLabel("Linked issue");
    await issue.fill("no address");
    await issue.press("Enter");
    await page.getByText(/Linked issue must be/).waitFor();
    await page.goto("/console/account");
    await expect.poll(onServer).toBe(1);
    await page.goto(path);
    await page.getByText("Your unsent text was restored.").first().waitFor();
    expect(await issue.inputValue()).toBe("no address");
    await issue.fill("https://example.org/2");
    await issue.press("Enter");
    await toast(page, "Linked issue: https://example.org/2.");
    await expectNoDraft(page, path, onServer);
    await page.context().close();
  });

  it("and a choice are those of the server after the back button", async () => {
    const { page, change, read } = await open();
    await page.getByLabel("Status").selectOption("resolved");
    await toast(page, "Status: Resolved.");
    await page.goto("/console/account");
    await change({ status: "open" });
    await page.goBack();
    expect(await page.getByLabel("Status").inputValue()).toBe("open");
    await sendReply(page, "Thank you.");
    expect((await read()).feedback.status).toBe("open");
    await page.context().close();
  });
});
