import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { axeFaults, loadAxe } from "../../../support/browser/axe.ts";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import { dataUrl, png } from "../../../support/files/sample-files.ts";
import type { Service } from "../../../support/service/service.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";
import { propose, sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the page of a thread in Chromium", () => {
  let service: Service;
  let browser: TestBrowser;
  let team: Team;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    team = await makeTeam(service);
  });

  const open = async (report: object = {}) => {
    const id = await sendFeedback(service, team.app.key, report);
    const member = await team.join("maintainer");
    const page = await openPage(browser, service, member.headers);
    await page.goto(`/console/feedback/${team.app.id}/${id}`);
    const read = async () => Object((await team.call("GET", `/feedback/${id}`)).body);
    return { id, page, member, read };
  };
  const head = (page: Page) => page.locator("#thread-head").innerText();

  it("saves a chosen status immediately, shows the event, and undoes it with one click", async () => {
    const { page, read } = await open();
    await page.getByLabel("Your reply").fill("Half a sentence");
    await page.getByLabel("Status").selectOption("resolved");
    await page.locator(".toast").getByText("Status: Resolved.").waitFor();
    expect((await read()).feedback.status).toBe("resolved");
    expect(await head(page)).toContain("Resolved");
    expect(await page.locator("#timeline").innerText()).toMatch(/changed the status: Open/);
    expect(await page.getByLabel("Your reply").inputValue()).toBe("Half a sentence");

    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await read()).feedback.status).toBe("open");
    await expect.poll(() => head(page)).toContain("Open");
  });

  it("resolves, assigns and undoes with keys, and moves into the fields for a tag and a snooze", async () => {
    const { page, read, member } = await open();
    await page.keyboard.press("m");
    await page.getByText("You are the assignee of this thread now.").first().waitFor();
    expect((await read()).assignee).toMatchObject({ userId: member.id });
    await page.keyboard.press("e");
    await page.locator(".toast").getByText("Status: Resolved.").waitFor();
    expect((await read()).feedback.status).toBe("resolved");
    await page.keyboard.press("z");
    await expect.poll(async () => (await read()).feedback.status).toBe("open");
    await page.reload();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("name"));
    await page.keyboard.press("l");
    await expect.poll(focused).toBe("addTags");
    await page.keyboard.press("Escape");
    await page.locator("h1").first().click();
    await page.keyboard.press("h");
    await expect.poll(focused).toBe("snoozeFor");
    await page.close();
  });

  it("names the sender who wrote last as the receiver, also while the page is open, but not for a typed reply (rule M10)", async () => {
    const report = (name: string) =>
      sendFeedback(service, team.app.key, { name, dedupeKey: "two-senders", message: `${name} says so.` });
    const { page } = await open({ name: "Ann", dedupeKey: "two-senders" });
    const receiver = () => page.getByLabel("To", { exact: true }).locator("option:checked").innerText();
    await report("Bob");
    await page.reload();
    expect(await receiver()).toContain("Bob");
    await report("Cid");
    await expect.poll(receiver, { timeout: 30_000 }).toContain("Cid");
    await page.getByLabel("Your reply").fill("Dear Cid");
    await report("Dan");
    await page.locator("#newer").getByText("Dan reported it again.").waitFor();
    expect(await receiver()).toContain("Cid");
    await page.close();
  });

  it("scrolls to the first new message if it is below the window, and not to one that was seen before", async () => {
    const { page, id } = await open();
    for (let at = 0; at < 4; at += 1)
      await team.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "A line\n".repeat(30) });
    await page.reload();
    await team.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "The newest" });
    for (const [path, width] of [
      [`/console/feedback/${team.app.id}/${id}`, 1280],
      [`/console/feedback/${team.app.id}?open=${id}`, 1440],
      [`/console/feedback/${team.app.id}?open=${id}`, 390],
    ] as const) {
      await team.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "A newer one" });
      await page.setViewportSize({ width, height: 800 });
      await page.goto(path);
      const seen = page.getByText("New since your last visit").last();
      await expect.poll(async () => ((await seen.boundingBox())?.y ?? 1e9) < 700).toBe(true);
      expect((await seen.boundingBox())?.y).toBeGreaterThanOrEqual(0);
      await page.goto(path);
      expect(await page.evaluate(() => scrollY)).toBe(0);
    }
  });

  it("saves a text when the person leaves its field, and several changes in sequence", async () => {
    const { page, read } = await open();
    await page.getByLabel("Subject").fill("A better subject");
    await page.getByLabel("Subject").press("Tab");
    await page.getByLabel("Type").selectOption("feature");
    await page.getByLabel("Assigned to").selectOption({ index: 1 });
    await expect.poll(async () => (await read()).assignee).not.toBeNull();
    expect((await read()).feedback).toMatchObject({ subject: "A better subject", category: "feature" });
    expect(await head(page)).toContain("A better subject");
  });

  it("shows a refusal at its field, and keeps the typed text", async () => {
    const { page, read } = await open();
    await page.getByLabel("Linked issue").fill("no address");
    await page.getByLabel("Linked issue").press("Enter");
    await page.getByText(/Linked issue must be/).waitFor();
    expect(await page.getByLabel("Linked issue").inputValue()).toBe("no address");
    expect((await read()).feedback.githubIssueUrl).toBeNull();
  });

  it("sends a reply with Ctrl+Enter, and also resolves the thread with Shift+Ctrl+Enter", async () => {
    const { page, read } = await open();
    await page.getByLabel("Your reply").fill("Thank you.");
    await page.getByLabel("Your reply").press("Control+Enter");
    await page.getByText("The reply was added to the thread").waitFor();
    expect(await read()).toMatchObject({ feedback: { status: "open" }, messages: [{ body: "Thank you." }] });

    await page.getByLabel("Your reply").fill("It is done.");
    await page.getByLabel("Your reply").press("Shift+Control+Enter");
    await expect.poll(async () => (await read()).feedback.status).toBe("resolved");
  });

  it("shows a new message while the person types a reply, and refuses the reply until the person has seen it", async () => {
    const { page, id, read } = await open();
    await page.clock.install();
    await page.reload();
    await page.getByLabel("Your reply").fill("An answer to the old message");
    await team.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "I have asked Bo." });
    await page.clock.runFor(21_000);
    await page.getByText(`${team.owner.email} added a note.`).first().waitFor();
    expect(await page.locator("#timeline").innerText()).toContain("I have asked Bo.");

    await page.getByRole("button", { name: "Send reply" }).click();
    await page.getByText("Nothing was sent.").waitFor();
    expect((await read()).messages).toHaveLength(1);
  });

  it("counts a message that arrives before the person types as seen only after the window has shown it", async () => {
    const { page, id, read } = await open();
    const write = (body: string) =>
      team.call("POST", `/feedback/${id}/messages`, { direction: "note", body });
    for (let at = 0; at < 3; at += 1) await write("A line\n".repeat(30));
    await page.reload();
    await write("I have asked Bo.");
    const line = page.locator("#newer").getByText(`${team.owner.email} added a note.`);
    await line.waitFor();
    await page.keyboard.press("r");
    await page.keyboard.type("An answer to the old messages");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Nothing was sent.").waitFor();
    expect((await read()).messages).toHaveLength(4);

    await page.getByLabel("Your reply").fill("");
    await page.goto("/console/account");
    await page.goto(`/console/feedback/${team.app.id}/${id}`);
    await write("Bo has answered.");
    await line.waitFor();
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await line.waitFor({ state: "hidden" });
    await page.getByLabel("Your reply").fill("An answer to all");
    await page.keyboard.press("Control+Enter");
    await expect.poll(async () => (await read()).messages).toHaveLength(6);
  });

  it("calls the plan of an agent a plan while the person types a reply, and in the refusal of the reply", async () => {
    const { page, id } = await open();
    await page.clock.install();
    await page.reload();
    await page.getByLabel("Your reply").fill("Half a reply");
    await propose(service, await service.makeToken(team.owner, "agent"), id);
    await page.clock.runFor(21_000);
    await page.locator("#newer").getByText("An agent proposed a plan.").waitFor();
    await page.getByRole("button", { name: "Send reply" }).click();
    const refusal = page.locator("[role=alert]").filter({ hasText: "Nothing was sent." });
    expect(await refusal.innerText()).toMatch(
      /^Nothing was sent\. An agent proposed a plan .*\. Read it first\./,
    );
    expect(await refusal.getByRole("link", { name: "Read it first." }).getAttribute("href")).toBe(
      "#proposal",
    );
  });

  it("sends the reply after the person has seen the new message", async () => {
    const { page, id, read } = await open();
    await page.clock.install();
    await page.reload();
    await page.getByLabel("Your reply").fill("An answer to both");
    await team.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "I have asked Bo." });
    await page.clock.runFor(21_000);
    await page.getByRole("link", { name: "Show", exact: true }).click();
    await page.getByRole("button", { name: "Send reply" }).click();
    await expect.poll(async () => (await read()).messages).toHaveLength(2);
  });

  it("has no accessibility faults while the note is open", async () => {
    const { page } = await open({ email: "ada@example.org", name: "Ada" });
    await page.getByRole("radio", { name: "Note" }).check();
    await page.getByLabel("Internal note").fill("Only for us");
    await loadAxe(page);
    expect(await axeFaults(page)).toEqual([]);
  });

  it("shows similar threads beside a thread when a person opens the list, and merges into one of them", async () => {
    for (let at = 0; at < 12; at += 1) await open({ message: `Please help with the account ${at}.` });
    const into = await open({ message: "Walnuts vanish from the shopping list after a sync." });
    const { page, id } = await open({ message: "The shopping list loses walnuts after each sync." });
    await page.getByText("Similar threads", { exact: true }).click();
    const part = page.locator("#similar-threads");
    await part.getByRole("link", { name: /Walnuts vanish/ }).waitFor();
    await loadAxe(page);
    expect(await axeFaults(page)).toEqual([]);
    await part.getByRole("button", { name: /^Merge into #/ }).click();
    await page.waitForURL((url) => url.pathname.endsWith(into.id));
    expect((await into.read()).merged).toMatchObject([{ id }]);
  });

  it("is printed completely: hidden parts and the values of its fields", async () => {
    const report = {
      ...{ message: "It broke.", dedupeKey: "paper", metadata: { trace: "a\n".repeat(30) } },
      images: [dataUrl(png())],
    };
    const { page, id } = await open(report);
    for (let at = 0; at < 8; at += 1)
      await sendFeedback(service, team.app.key, { ...report, metadata: { build: `build-${at}` } });
    await page.goto(`/console/feedback/${team.app.id}/${id}`);
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => page.getByText("build-4").first().isVisible()).toBe(true);
    expect(await page.getByAltText("From the sender, 1 of 1", { exact: true }).first().isVisible()).toBe(
      true,
    );
    const text = await page.locator("main").innerText();
    expect(text).toMatch(/Status\s+Open\s+Assigned to\s+Nobody/);
    for (const word of ["Send reply", "Show 2", "Block this sender", "Similar threads", "Write an FAQ entry"])
      expect(text).not.toContain(word);
  });
});
