import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { axeFaults, loadAxe } from "../../../support/browser/axe.ts";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import {
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../../support/worlds/app-with-owner-and-agent.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";
import { fillThreads, sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

type Options = Parameters<typeof openPage>[3];

describe("the triage desk in Chromium", () => {
  let service: Service;
  let browser: TestBrowser;
  let team: Team;
  let inbox: string;
  let headers: Record<string, string>;
  withBrowser(
    (started) => {
      ({ service, browser } = started);
    },
    { environment: { INNKEEP_RATE_LIMITS: "off" } },
  );
  beforeEach(async () => {
    team = await makeTeam(service);
    inbox = `/console/feedback/${team.app.id}`;
    headers = await service.signIn(team.owner);
  });

  const open = async (query = "", options: Options = {}): Promise<Page> => {
    const page = await openPage(browser, service, headers, {
      viewport: { width: 1440, height: 900 },
      ...options,
    });
    await page.goto(inbox + query);
    return page;
  };
  const fill = (count: number) => fillThreads(service, team.app.id, Array(count).fill({}));
  const counted = async (status: string) => {
    const { body } = await team.call(
      "GET",
      `/apps/${team.app.id}/feedback/counts?status=${status}&matching=1`,
    );
    return Object(body).matching.count;
  };
  const focusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");
  const titleOf = (page: Page) => page.locator(".pane-body h1").innerText();
  /** Presses a key that leads to another page, and waits for that page. */
  const pressAndLoad = async (page: Page, key: string) => {
    const loaded = page.waitForEvent("load");
    await page.keyboard.press(key);
    await loaded;
  };

  it("resolves 50 threads with one key for each, one request for each and one page", async () => {
    await fill(50);
    const page = await open("?open=50");
    const requests: string[] = [];
    page.on("request", (request) => {
      if (request.isNavigationRequest()) requests.push(request.method());
    });
    for (let number = 50; number >= 1; number -= 1) {
      expect(await titleOf(page)).toContain(`#${number}`);
      await pressAndLoad(page, "e");
    }
    expect(requests).toEqual(Array.from({ length: 50 }, () => ["POST", "GET"]).flat());
    expect([await counted("open"), await counted("resolved")]).toEqual([0, 50]);
    await page.close();
  });

  it("keeps the keys that a person presses during the load of the next page, and uses them on that page", async () => {
    await fill(6);
    const page = await open("?open=6");
    let letGo = () => {};
    const pressed = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route(
      "**/change",
      async (route) => {
        await pressed;
        await route.continue();
      },
      { times: 1 },
    );
    for (const key of ["e", "e", "y", "e"]) await page.keyboard.press(key);
    letGo();
    await expect.poll(() => counted("open")).toBe(2);
    expect(await counted("archived")).toBe(1);
    await expect.poll(() => titleOf(page)).toContain("#2");
    await page.close();
  });

  it("resolves 200 threads in one action and undoes it with the keyboard alone", async () => {
    await fill(200);
    const page = await open();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    expect(await page.locator("[data-chosen]").innerText()).toBe("1 selected");
    await page.getByRole("link", { name: "Select all 200" }).focus();
    await pressAndLoad(page, "Enter");
    expect(await page.locator("[data-chosen]").innerText()).toBe("200 selected");
    await pressAndLoad(page, "e");
    await page.getByText("200 threads resolved.").first().waitFor();
    expect(await counted("resolved")).toBe(200);
    await pressAndLoad(page, "z");
    await page.getByText("200 threads changed back.").first().waitFor();
    expect([await counted("resolved"), await counted("open")]).toEqual([0, 200]);
    await page.close();
  });

  it("focuses the row that an undo brings back, with and without an open thread", async () => {
    await fill(3);
    const rowInFocus = (page: Page) => page.evaluate(() => document.activeElement?.id ?? "");
    for (const query of ["", "?open=1"]) {
      const page = await open(query);
      for (const key of query === "" ? ["j", "j"] : ["j"]) await page.keyboard.press(key);
      const row = await rowInFocus(page);
      expect(row).toMatch(/^thread-/);
      await pressAndLoad(page, "e");
      await pressAndLoad(page, "z");
      await page.getByText("1 thread changed back.").first().waitFor();
      await expect.poll(() => rowInFocus(page)).toBe(row);
      await page.close();
    }
  });

  it("undoes with z on another list of the app, too", async () => {
    await fill(2);
    const page = await open("?open=2");
    await pressAndLoad(page, "y");
    await page.goto(`${inbox}?view=all`);
    await pressAndLoad(page, "z");
    await page.getByText("1 thread changed back.").first().waitFor();
    expect([await counted("open"), await counted("archived")]).toEqual([2, 0]);
    await page.close();
  });

  it("snoozes until a day with the Enter key, in the list and on the page of a thread", async () => {
    await fill(2);
    const day = new Date(service.clock.now().getTime() + 5 * 86_400_000).toISOString().slice(0, 10);
    const page = await open("?open=2");
    await page.keyboard.press("l");
    await page.keyboard.type("urgent");
    await page.keyboard.press("Escape");
    await page.keyboard.press("h");
    await page.locator("#act-snooze-day").fill(day);
    const snoozed = page.waitForEvent("load");
    await page.locator("#act-snooze-day").press("Enter");
    await snoozed;
    await page.getByText("1 thread snoozed until").first().waitFor();
    const { body } = await team.call("GET", `${team.at}/feedback?snoozed=true`);
    const [{ id, tags, snoozedUntil }] = Object(body).items;
    expect([tags, snoozedUntil.slice(0, 10)]).toEqual([[], day]);
    await team.call("PATCH", `/feedback/${id}`, { snoozedUntil: null });

    await page.goto(`${inbox}/${id}`);
    await page.getByText("Snooze until a certain day").click();
    await page.locator("#snooze-day").fill(day);
    const again = page.waitForEvent("load");
    await page.locator("#snooze-day").press("Enter");
    await again;
    await page.getByText("The thread is snoozed.").first().waitFor();
    await page.close();
  });

  it("acts with the same keys in the inbox of all apps", async () => {
    await fill(2);
    const page = await open();
    await page.goto("/console/feedback");
    await page.keyboard.press("j");
    await pressAndLoad(page, "e");
    await page.getByText("1 thread resolved.").first().waitFor();
    expect([await counted("open"), await counted("resolved")]).toEqual([1, 1]);
    await pressAndLoad(page, "z");
    await page.getByText("1 thread changed back.").first().waitFor();
    expect(await counted("open")).toBe(2);
    await loadAxe(page);
    expect(await axeFaults(page)).toEqual([]);
    await page.close();
  });

  it("deselects the thread again if the menu of an action is closed without an action", async () => {
    await fill(2);
    const page = await open();
    await page.keyboard.press("j");
    await page.keyboard.press("h");
    expect(await page.locator("#act-bar").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("#act-bar").isVisible()).toBe(false);
    await page.close();
  });

  it("leaves the reply with Escape, and returns to the inbox of all apps with u if the thread was opened there", async () => {
    await fill(1);
    const page = await open();
    await page.goto("/console/feedback");
    const opened = page.waitForEvent("load");
    await page.locator("#threads a.to").first().click();
    await opened;
    await page.keyboard.press("r");
    await page.keyboard.type("Half a sentence");
    await page.keyboard.press("Escape");
    page.on("dialog", (dialog) => dialog.accept());
    await pressAndLoad(page, "u");
    expect(new URL(page.url()).pathname).toBe("/console/feedback");
    await page.close();
  });

  it("moves, opens, selects and returns with keys, and announces each action", async () => {
    await fill(5);
    const page = await open();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    expect(await focusedText(page)).toContain("Thread 3");
    await pressAndLoad(page, "Enter");
    expect(await titleOf(page)).toContain("Thread 3");
    expect(await focusedText(page)).toContain("Thread 3");
    await pressAndLoad(page, "]");
    expect(await titleOf(page)).toContain("Thread 2");
    await pressAndLoad(page, "[");
    await page.keyboard.press("k");
    await page.keyboard.press("x");
    await page.keyboard.press("Escape");
    expect(await page.locator("#act-bar").isVisible()).toBe(false);
    await pressAndLoad(page, "u");
    expect(new URL(page.url()).searchParams.get("open")).toBeNull();
    await page.keyboard.press("j");
    await pressAndLoad(page, "e");
    await expect.poll(() => page.locator("#announced").innerText()).toBe("1 thread resolved.");
    expect(await focusedText(page)).toContain("Thread 3");
    await page.keyboard.press("x");
    await page.keyboard.press("h");
    expect(await focusedText(page)).toBe("For 4 hours");
    await pressAndLoad(page, "Enter");
    await page.getByText("1 thread snoozed until").first().waitFor();
    expect(new URL(page.url()).searchParams.has("until")).toBe(false);
    await page.keyboard.press("l");
    await page.keyboard.type("later");
    await pressAndLoad(page, "Enter");
    await page.getByText("1 thread tagged.").first().waitFor();
    await pressAndLoad(page, "m");
    await page.getByText("1 thread assigned.").first().waitFor();
    await page.keyboard.press("/");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("search");
    await page.close();
  });

  it("selects a range with Shift, and keeps the selection and the focus if the list changes", async () => {
    await fill(6);
    const page = await open();
    const boxes = page.locator("#threads .tick input");
    await boxes.nth(1).click();
    await boxes.nth(4).click({ modifiers: ["Shift"] });
    expect(await page.locator("[data-chosen]").innerText()).toBe("4 selected");
    await page.keyboard.press("k");
    const focused = await focusedText(page);
    await sendFeedback(service, team.app.key, { subject: "Just came" });
    await page.getByText("Just came").first().waitFor();
    expect(await focusedText(page)).toBe(focused);
    expect(await page.locator("#threads .tick input:checked").count()).toBe(4);
    await pressAndLoad(page, "e");
    await page.getByText("4 threads resolved.").first().waitFor();
    await page.close();
  });

  it("also offers the undo on the next pages", async () => {
    await fill(3);
    const page = await open("?open=3");
    await pressAndLoad(page, "e");
    await pressAndLoad(page, "]");
    expect(await page.locator("#acted").innerText()).toContain("1 thread resolved.");
    await pressAndLoad(page, "z");
    expect(await counted("open")).toBe(3);
    await page.close();
  });

  it("does not offer to undo an act after a later change, or on another list", async () => {
    await fill(4);
    const page = await open("?open=4");
    const isOffered = () => page.locator("#acted").isVisible();
    await pressAndLoad(page, "m");
    expect(await isOffered()).toBe(true);
    await page.goto(`${inbox}?view=all&q=thread`);
    expect(await isOffered()).toBe(false);
    await page.goto(`${inbox}?open=3`);
    expect(await isOffered()).toBe(true);
    await page.getByLabel("Your reply").fill("It is fixed.");
    const sent = page.waitForEvent("load");
    await page.keyboard.press("Control+Shift+Enter");
    await sent;
    await page.locator(".toast").getByText("is resolved, and the reply was added to it").waitFor();
    expect(await isOffered()).toBe(false);
    await pressAndLoad(page, "z");
    expect(await counted("open")).toBe(4);
    await page.goto(`${inbox}?open=2`);
    await pressAndLoad(page, "m");
    await page.locator("#fields").getByLabel("Type").selectOption("feature");
    await page.locator(".toast").getByText("Type: ").waitFor();
    expect(await isOffered()).toBe(false);
    await page.keyboard.press("z");
    await page.locator(".toast").getByText("Type: Bug").waitFor();
    const { body } = await team.call("GET", `${team.at}/feedback?assignee=me`);
    expect(Object(body).items).toHaveLength(2);
    await page.close();
  });

  it("keeps the focus at a refused reply, and Ctrl+Enter sends it again", async () => {
    await fill(3);
    const page = await open("?open=2");
    await page.getByLabel("Your reply").fill("From me");
    const ben = await team.join("maintainer");
    const { body } = await team.call("GET", `${team.at}/feedback?number=2`);
    const path = `/feedback/${Object(body).items[0].id}/messages`;
    await ben.call("POST", path, { direction: "outbound", body: "From Ben" });
    await pressAndLoad(page, "Control+Enter");
    await expect.poll(() => focusedText(page)).toContain("Nothing was sent.");
    await pressAndLoad(page, "Control+Enter");
    await page.locator(".toast").getByText("The reply was added to the thread.").waitFor();
    expect(page.context().pages()).toHaveLength(1);
    expect(await page.locator(".timeline").innerText()).toContain("From me");
    await page.close();
  });

  it("shows the message after a form in the window, also if the page opens at a message", async () => {
    await fill(1);
    const page = await open("?open=1");
    for (let count = 0; count < 6; count += 1) {
      await page.getByRole("radio", { name: "Note" }).check();
      await page.getByLabel("Internal note").fill(`Long note ${count}\n`.repeat(20));
      await pressAndLoad(page, "Control+Enter");
      const words = page.getByText("The note was added to the thread.");
      await words.waitFor();
      expect(await words.count()).toBe(1);
      const box = await words.boundingBox();
      expect([(box?.y ?? -1) >= 0, (box?.y ?? 1e9) < 900]).toEqual([true, true]);
    }
    await page.close();
  });

  it("works without scripts: the checkboxes, the actions and the link back", async () => {
    await fill(3);
    const page = await open("", { javaScriptEnabled: false });
    const boxes = page.locator("#threads .tick input");
    expect(await page.locator("#act-bar").isVisible()).toBe(false);
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page.locator("#act-bar").getByRole("button", { name: "Resolve" }).click();
    await page.getByText("2 threads resolved.").first().waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("2 threads changed back.").first().waitFor();
    await page.locator("#threads a.to").first().click();
    await page.locator(".pane-bar").getByRole("button", { name: "Resolve" }).click();
    expect(await titleOf(page)).toContain("#2");
    await page.goBack();
    expect(await titleOf(page)).toContain("#3");
    await page.close();
  });

  it("shows at least 14 rows on a screen, and begins near the top of a phone", async () => {
    await fill(40);
    const page = await open();
    const visible = await page
      .locator("#threads li")
      .evaluateAll((rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length);
    expect(visible).toBeGreaterThanOrEqual(14);
    const phone = await open("", { viewport: { width: 390, height: 844 } });
    const first = await phone.locator("#threads li").first().boundingBox();
    expect(first?.y).toBeLessThanOrEqual(150);
    await phone.locator("#threads a.to").first().click();
    expect(await titleOf(phone)).toContain("#40");
    expect(await phone.locator(".list-column").isVisible()).toBe(false);
    await phone.getByRole("link", { name: "To triage" }).click();
    expect(await phone.locator("#threads li").first().isVisible()).toBe(true);
    await phone.close();
    await page.close();
  });

  const looks: readonly [string, Options][] = [
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["a phone", { viewport: { width: 390, height: 844 } }],
    ["400 %", { viewport: { width: 320, height: 256 } }],
  ];

  it.each(looks)("has no accessibility fault and no text outside its box: %s", async (_, options) => {
    await fill(3);
    await sendFeedback(service, team.app.key, {
      subject: "مزامنة القائمة",
      name: "أميرة",
      source: "x".repeat(80),
    });
    await team.call("POST", `/apps/${team.app.id}/views`, { name: "v".repeat(60), query: { type: "bug" } });
    for (const query of ["", "?open=2", "?all=1", "?q=thread&tag=none", "?did=resolve&changed=2&undo=x"]) {
      const page = await open(query, options);
      await loadAxe(page);
      expect([query, await axeFaults(page)]).toEqual([query, []]);
      if (query === "?all=1") {
        // An open menu covers rows, which the checker takes for targets that are too small.
        await page.locator("#threads").evaluate((list) => list.style.setProperty("visibility", "hidden"));
        for (const menu of await page.locator("#act-bar summary").all()) {
          await menu.click();
          expect([query, await axeFaults(page)]).toEqual([query, []]);
        }
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([query, wide <= 0]).toEqual([query, true]);
      await page.close();
    }
  });

  it("scrolls its columns and never the window, even for a long thread at the end of the list", async () => {
    const cast = await makeAppWithAgent(service);
    await propose(service, cast, await submitFeedback(service, cast));
    await fillThreads(service, cast.appId, Array(40).fill({}));
    const page = await openPage(browser, service, cast.person, { viewport: { width: 1440, height: 600 } });
    await page.goto(`/console/feedback/${cast.appId}?open=1`);
    const height = () => page.evaluate(() => [document.documentElement.scrollHeight - innerHeight, scrollY]);
    expect(await height()).toEqual([0, 0]);
    await page.locator("#field-replyBody").focus();
    expect(await height()).toEqual([0, 0]);
    await page.close();
  });

  it("also has its columns from right to left", async () => {
    await fill(3);
    const page = await open("?open=2");
    await page.evaluate(() => document.documentElement.setAttribute("dir", "rtl"));
    const [views, list] = [
      await page.locator("#views").boundingBox(),
      await page.locator(".list-column").boundingBox(),
    ];
    expect((views?.x ?? 0) > (list?.x ?? 0)).toBe(true);
    const box = await page.locator("#threads .tick").first().boundingBox();
    const row = await page.locator("#threads li").first().boundingBox();
    expect(Math.round((box?.x ?? 0) + (box?.width ?? 0))).toBe(Math.round((row?.x ?? 0) + (row?.width ?? 0)));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide).toBeLessThanOrEqual(0);
    await page.close();
  });

  /** Whether the first letters of a row's texts are inside of the box that clips them. */
  const firstLettersShown = (page: Page, selector: string) =>
    page.locator(selector).evaluateAll((texts) =>
      texts.map((text) => {
        const range = document.createRange();
        const node = document.createTreeWalker(text, NodeFilter.SHOW_TEXT).nextNode();
        if (!node) return false;
        range.setStart(node, 0);
        range.setEnd(node, 3);
        const letters = range.getBoundingClientRect();
        const boxes = [text, text.parentElement, text.closest("li")].map((box) =>
          box?.getBoundingClientRect(),
        );
        return boxes.every(
          (box) => box !== undefined && letters.left >= box.left - 1 && letters.right <= box.right + 1,
        );
      }),
    );

  it("shortens a long text at its end, even if the text is from right to left", async () => {
    const address = `https://example.org/${"very".repeat(60)}`;
    const long = "\u0645\u0631\u062d\u0628\u0627 \u0643\u064a\u0641 \u062d\u0627\u0644\u0643 ";
    const id = await sendFeedback(service, team.app.key, {
      subject: `\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd ${address}`.slice(0, 190),
      message: long.repeat(20),
    });
    await team.call("POST", `/feedback/${id}/messages`, { direction: "note", body: long.repeat(20) });
    for (const width of [1440, 390]) {
      const page = await open("", { viewport: { width, height: 844 } });
      const shown = [
        ...(await firstLettersShown(page, "#threads .to > bdi")),
        ...(await firstLettersShown(page, "#threads .last > bdi:last-child")),
      ];
      expect([width, shown]).toEqual([width, [true, true]]);
      await page.goto(`/console/search?q=${encodeURIComponent("\u0645\u0631\u062d\u0628\u0627")}`);
      expect(await firstLettersShown(page, ".list .last > bdi")).toEqual([true]);
      await page.close();
    }
  });

  it("has rows of one height, also with tags and with the label of a found note", async () => {
    await fill(2);
    const id = await sendFeedback(service, team.app.key, { subject: "s".repeat(150) });
    await team.call("PATCH", `/feedback/${id}`, { addTags: ["urgent", "a long name of a tag"] });
    await team.call("POST", `/feedback/${id}/messages`, {
      direction: "note",
      body: "The crumbs. ".repeat(20),
    });
    for (const width of [1440, 390]) {
      const page = await open("", { viewport: { width, height: 844 } });
      const boxes = () =>
        page.locator("#threads li").evaluateAll((rows) =>
          rows.map((row) => ({
            height: Math.round(row.getBoundingClientRect().height),
            over: [...row.querySelectorAll("*")]
              .filter((part) => part.checkVisibility())
              .filter((part) => part.getBoundingClientRect().bottom > row.getBoundingClientRect().bottom + 1)
              .map(({ className, tagName, textContent }) => `${tagName} ${className} ${textContent}`),
          })),
        );
      const rows = await boxes();
      expect(rows).toHaveLength(3);
      expect([width, rows]).toEqual([width, Array(3).fill({ ...rows[2], over: [] })]);
      await page.goto(`${inbox}?q=crumbs`);
      expect([width, await boxes()]).toEqual([width, [{ ...rows[2], over: [] }]]);
      await page.close();
    }
  });

  it("shortens long tags on a phone, so that half of the row shows the sender and the last message", async () => {
    const id = await sendFeedback(service, team.app.key, { subject: "Cookies" });
    await team.call("PATCH", `/feedback/${id}`, { addTags: ["a long name of a tag", "another long name"] });
    const page = await open("", { viewport: { width: 390, height: 844 } });
    const widthOf = async (selector: string) =>
      (await page.locator(selector).first().boundingBox())?.width ?? 0;
    const [row, about] = [await widthOf("#threads .second"), await widthOf("#threads .about")];
    expect(about / row).toBeGreaterThanOrEqual(0.5);
    const isShortened = page
      .locator("#threads .tag bdi")
      .evaluateAll((names) => names.map((name) => name.scrollWidth > name.clientWidth));
    expect(await isShortened).toEqual([true, true]);
    await page.close();
  });

  it("lists the key for the undo before an action can be undone", async () => {
    await fill(2);
    const page = await open();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Undo the last action").waitFor();
    await page.close();
  });
});
