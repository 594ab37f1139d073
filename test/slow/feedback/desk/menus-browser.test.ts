import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import { dataUrl, png } from "../../../support/files/sample-files.ts";
import type { Service } from "../../../support/service/service.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";
import { fillThreads, sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

type Options = Parameters<typeof openPage>[3];

describe("the menus of the console in Chromium", () => {
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

  const open = async (path: string, options: Options = {}): Promise<Page> => {
    const page = await openPage(browser, service, headers, {
      viewport: { width: 1280, height: 800 },
      ...options,
    });
    await page.goto(path);
    return page;
  };
  const fill = (count: number) => fillThreads(service, team.app.id, Array(count).fill({}));
  const joinAs = async (name: string) => {
    const member = await team.join("maintainer");
    await member.call("PATCH", "/me", { name });
    return member;
  };
  const threads = async () => Object((await team.call("GET", `${team.at}/feedback`)).body).items;
  const focusedText = (page: Page) =>
    page.evaluate(() => document.activeElement?.textContent?.replace(/\s+/g, " ").trim() ?? "");
  const isOpen = (page: Page, key: string) => page.locator(`[data-act-menu=${key}]`).getAttribute("open");
  /** Presses a key that leads to another page, and waits for that page. */
  const pressAndLoad = async (page: Page, key: string) => {
    const loaded = page.waitForEvent("load");
    await page.keyboard.press(key);
    await loaded;
  };

  const places: readonly [string, string][] = [
    ["list", ""],
    ["list with an open thread", "?open=2"],
  ];

  it.each(places)(
    "chooses a member by the first letters of the name, and does nothing else: %s",
    async (_, query) => {
      const [bea] = [await joinAs("Bea Novak"), await joinAs("Ben Adam"), await joinAs("Éva")];
      await fill(2);
      const page = await open(inbox + query);
      if (query === "") await page.keyboard.press("j");
      await page.keyboard.press("a");
      expect(await focusedText(page)).toBe("To me m");
      await page.keyboard.type("ben");
      expect(await focusedText(page)).toBe("Ben Adam");
      await page.keyboard.press("End");
      await page.keyboard.type("e");
      expect(await focusedText(page)).toBe("Éva");
      await page.keyboard.press("End");
      await page.keyboard.type("bea n");
      expect(await focusedText(page)).toBe("Bea Novak");
      await pressAndLoad(page, "Enter");
      await page.getByText("1 thread assigned.").first().waitFor();
      expect(await threads()).toMatchObject([
        { status: "open", assignee: { userId: bea.id } },
        { status: "open", assignee: null },
      ]);
      await page.close();
    },
  );

  it.each([
    ["list", ""],
    ["inbox of all apps", "/console/feedback"],
  ])(
    "moves through a menu with arrow keys, and closes it with Escape at the row from which it was opened: %s",
    async (_, path) => {
      await fill(2);
      const page = await open(path || inbox);
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      const row = await focusedText(page);
      await page.keyboard.press("h");
      const first = await focusedText(page);
      for (const key of ["y", "e", "m", "j", "z", "x", "o", "/", "?"]) await page.keyboard.press(key);
      expect([await isOpen(page, "h"), await page.locator("dialog").count()]).toEqual(["", 0]);
      await page.keyboard.press("Home");
      expect(await focusedText(page)).toBe(first);
      await page.keyboard.press("ArrowDown");
      expect(await focusedText(page)).not.toBe(first);
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      expect(await focusedText(page)).toBe("End the snooze");
      await page.keyboard.press("ArrowDown");
      expect(await focusedText(page)).toBe(first);
      await page.keyboard.press("End");
      expect(await focusedText(page)).toBe("End the snooze");
      await page.keyboard.press("Escape");
      expect([await isOpen(page, "h"), await focusedText(page)]).toEqual([null, row]);
      await page.keyboard.press("k");
      expect(await focusedText(page)).not.toBe(row);
      expect(await threads()).toMatchObject([{ status: "open" }, { status: "open" }]);
      await page.close();
    },
  );

  it("closes a menu that was opened with the mouse at its button, and keeps the selection", async () => {
    await fill(2);
    const page = await open(inbox);
    await page.locator("#threads .tick input").first().click();
    await page.locator("#act-bar summary").filter({ hasText: "Snooze" }).click();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    expect(await focusedText(page)).toBe("Snooze h");
    expect(await page.locator("[data-chosen]").innerText()).toBe("1 selected");
    await page.close();
  });

  it("moves into the fields of the thread with the keys for menus if a narrow window shows only the thread", async () => {
    await fill(1);
    const page = await open(`${inbox}?open=1`, { viewport: { width: 1000, height: 800 } });
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("name"));
    for (const [key, name] of [
      ["a", "assignee"],
      ["l", "addTags"],
      ["h", "snoozeFor"],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(name);
      await page.evaluate(
        () => document.activeElement instanceof HTMLElement && document.activeElement.blur(),
      );
    }
    await pressAndLoad(page, "e");
    await page.getByText("1 thread resolved.").first().waitFor();
    await page.close();
  });

  it("closes a menu when the focus leaves it, so that the keys act again", async () => {
    await fill(2);
    const page = await open(inbox);
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.keyboard.press("a");
    await page.keyboard.press("Control+k");
    await page.locator("dialog.palette").waitFor();
    expect(await isOpen(page, "a")).toBeNull();
    await page.close();
  });

  it("gives the keys that a person presses during the load of the next page to the menu or the field that they open", async () => {
    const bea = await joinAs("Bea");
    await fill(3);
    const page = await open(`${inbox}?open=3`);
    const during = async (keys: readonly string[]) => {
      let letGo = () => {};
      const pressed = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route("**/change", async (route) => pressed.then(() => route.continue()), { times: 1 });
      const loaded = page.waitForEvent("load");
      for (const key of keys) await page.keyboard.press(key);
      letGo();
      await loaded;
    };
    await during(["e", "a", "b", "e", "a"]);
    await expect.poll(() => focusedText(page)).toBe("Bea");
    await pressAndLoad(page, "Enter");
    await page.getByText("1 thread assigned.").first().waitFor();
    expect(await threads()).toMatchObject([
      { status: "resolved" },
      { status: "open", assignee: { userId: bea.id } },
      { status: "open", assignee: null },
    ]);
    await page.goto(`${inbox}?open=2`);
    await during(["e", "r", "h", "e", "y"]);
    await expect.poll(() => page.getByLabel("Your reply").inputValue()).toBe("hey");
    expect(await threads()).toMatchObject([
      { status: "resolved" },
      { status: "resolved" },
      { status: "open" },
    ]);
    await page.close();
  });

  it("does not act behind the account menu, on each page with keys", async () => {
    await fill(2);
    const [{ id }] = await threads();
    const page = await open(inbox);
    for (const path of [
      `${inbox}?open=2`,
      `${inbox}/${id}`,
      "/console/feedback",
      "/console",
      `/console/testing/${team.app.id}`,
    ]) {
      await page.goto(path);
      await page.locator(".bar .menu.right > summary").focus();
      await page.keyboard.press("Enter");
      const { href } = new URL(page.url());
      for (const key of ["e", "y", "m", "j", "h", "r", "u", "g", "i"]) await page.keyboard.press(key);
      expect(await page.locator(".bar .menu.right").getAttribute("open")).toBe("");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.type("tok");
      expect([path, await focusedText(page), page.url()]).toEqual([path, "Tokens", href]);
      await page.keyboard.press("Escape");
      expect(await focusedText(page)).toContain("Account ");
    }
    expect(await threads()).toMatchObject([
      { status: "open", assignee: null },
      { status: "open", assignee: null },
    ]);
    await page.close();
  });

  it("does not act behind a dialog or an image whose text was clicked", async () => {
    const id = await sendFeedback(service, team.app.key, { images: [dataUrl(png())] });
    const page = await open(`${inbox}?open=${id}`);
    await page.keyboard.press("?");
    await page.locator("dialog.keys h3").first().click();
    await page.keyboard.press("e");
    await page.keyboard.press("Escape");
    await page.locator("button.thumb").first().click();
    await page
      .locator(".lightbox:popover-open .place, .lightbox:popover-open .view")
      .first()
      .click({ position: { x: 2, y: 2 } });
    await page.keyboard.press("e");
    await page.keyboard.press("y");
    await page.keyboard.press("Escape");
    expect(await threads()).toMatchObject([{ status: "open" }]);
    await page.close();
  });

  const windows: readonly [width: number, height: number][] = [
    [1280, 800],
    [1280, 520],
    [390, 844],
  ];

  it.each(
    windows.flatMap(([width, height]) => [true, false].map((scripts) => [width, height, scripts] as const)),
  )(
    "opens each menu of the selected threads inside of the window: %i x %i, scripts: %s",
    async (width, height, javaScriptEnabled) => {
      const page = await open("/console", { viewport: { width, height }, javaScriptEnabled });
      for (const count of [1, 30]) {
        await fill(count);
        for (const path of [inbox, "/console/feedback"]) {
          await page.goto(path);
          await page.locator("#threads .tick input").first().check();
          for (const menu of await page.locator("#act-bar .menu").all()) {
            await menu.locator("summary").click();
            const box = await menu.locator(".panel").boundingBox();
            const [top, bottom] = [box?.y ?? -1, (box?.y ?? 0) + (box?.height ?? 1e9)];
            const words = await menu.locator("summary").innerText();
            expect([path, count, words, top >= 0, bottom <= height]).toEqual([
              path,
              count,
              words,
              true,
              true,
            ]);
            // A click needs an item that nothing covers.
            await menu.locator(".panel :is(button, input)").first().click({ trial: true });
            await menu.locator(".panel button").last().click({ trial: true });
            await menu.locator("summary").click();
          }
        }
      }
      await page.close();
    },
  );
});
