import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import { makeTeam } from "../../../support/worlds/members/team.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("a saved reply in Chromium", () => {
  let service: Service;
  let browser: TestBrowser;
  withBrowser((started) => {
    ({ service, browser } = started);
  });

  it("is inserted after the typed text without a page load, and other typed text is kept", async () => {
    const team = await makeTeam(service);
    await team.call("POST", `${team.at}/saved-replies`, { title: "Thanks", body: "Thank you, {name}." });
    const id = await sendFeedback(service, team.app.key, { name: "Ada" });
    const page = await openPage(browser, service, (await team.join("maintainer")).headers);
    await page.goto(`/console/feedback/${team.app.id}/${id}`);
    await page.getByRole("radio", { name: "Note" }).check();
    await page.locator("[name=noteBody]").fill("Ask Bo.");
    await page.getByRole("radio", { name: "Reply" }).check();
    await page.locator("[name=replyBody]").fill("Hello.");
    await page.locator("[name=savedReply]").selectOption({ label: "Thanks" });
    await page.getByRole("button", { name: "Insert" }).click();
    await expect.poll(() => page.locator("[name=replyBody]").inputValue()).toBe("Hello.\n\nThank you, Ada.");
    expect(await page.locator("[name=noteBody]").inputValue()).toBe("Ask Bo.");
    expect(page.url()).toMatch(new RegExp(`/${id}$`));
  });

  /** Two reports with addresses are merged. Returns the open page, with "Hello Boris" in the reply. */
  const insertedForBoris = async (path: (appId: string, id: string) => string) => {
    const team = await makeTeam(service);
    await team.call("POST", `${team.at}/saved-replies`, { title: "Thanks", body: "Hello {name}, thanks." });
    const report = (name: string, email: string) =>
      sendFeedback(service, team.app.key, { name, email, message: `${name} sees a black screen.` });
    const anna = await report("Anna", "anna@home.example");
    const boris = await report("Boris", "boris@home.example");
    await team.call("POST", `/feedback/${boris}/merge`, { into: anna });
    const page = await openPage(browser, service, (await team.join("maintainer")).headers);
    await page.goto(path(team.app.id, anna));
    const text = page.locator("[name=replyBody]");
    await page.keyboard.press("r");
    await page.keyboard.type("/Thanks");
    await page.keyboard.press("Enter");
    await expect.poll(() => text.inputValue()).toBe("Hello Boris, thanks.");
    return {
      ...{ page, text, boris },
      to: page.getByLabel("To", { exact: true }),
      send: page.getByRole("button", { name: "Send reply" }),
      sent: async () => {
        const { messages } = Object((await team.call("GET", `/feedback/${anna}`)).body);
        return messages.filter(({ direction }: { readonly direction: string }) => direction === "outbound");
      },
    };
  };
  const places = [
    ["page of the thread", (appId: string, id: string) => `/console/feedback/${appId}/${id}`],
    ["inbox", (appId: string, id: string) => `/console/feedback/${appId}?open=${id}`],
  ] as const;

  it.each(places)("is filled in again if another receiver is chosen, on the %s", async (_, path) => {
    const { page, text, to, boris, send, sent } = await insertedForBoris(path);
    await to.selectOption("everyone");
    await expect.poll(() => text.inputValue()).toBe("Hello, thanks.");
    await to.selectOption("");
    await expect.poll(() => text.inputValue()).toBe("Hello Anna, thanks.");
    await to.selectOption(boris);
    await expect.poll(() => text.inputValue()).toBe("Hello Boris, thanks.");
    await to.selectOption("everyone");
    await expect.poll(() => text.inputValue()).toBe("Hello, thanks.");
    await send.click();
    await page.getByText("The reply was added to the thread.").first().waitFor();
    expect(await sent()).toMatchObject([{ body: "Hello, thanks.", everyone: true }]);
  });

  it.each(places)("that was edited is refused for another receiver, on the %s", async (_, path) => {
    const { page, text, to, send, sent } = await insertedForBoris(path);
    await text.fill("Hello Boris, many thanks.");
    await to.selectOption("everyone");
    await text.press("Control+Enter");
    await page.getByText("has the name Boris, but the reply goes to everyone who reported it").waitFor();
    await to.selectOption("");
    await send.click();
    await page.getByText("has the name Boris, but the reply goes to somebody else").waitFor();
    expect(await sent()).toEqual([]);
    await send.click();
    await page.getByText("The reply was added to the thread.").first().waitFor();
  });

  it("is found if a person types a slash at the beginning of a line, and replaces the slash", async () => {
    const team = await makeTeam(service);
    for (const [title, body] of [
      ["Fixed", "It is fixed, {name}."],
      ["Thanks", "Thank you, {name}."],
      ["Très bien", "Bien."],
    ])
      await team.call("POST", `${team.at}/saved-replies`, { title, body });
    const id = await sendFeedback(service, team.app.key, { name: "Ada" });
    const page = await openPage(browser, service, (await team.join("maintainer")).headers);
    await page.goto(`/console/feedback/${team.app.id}/${id}`);
    const field = page.locator("[name=replyBody]");
    const offers = page.getByRole("listbox", { name: "Saved replies" });
    const offered = () => offers.getByRole("option").allInnerTexts();
    await field.focus();
    await page.keyboard.type("A path is a/b.\n/");
    await offers.waitFor();
    expect(await offered()).toEqual(["Fixed", "Thanks", "Très bien"]);
    await page.keyboard.type("tres");
    await expect.poll(offered).toEqual(["Très bien"]);
    await page.keyboard.press("Escape");
    await offers.waitFor({ state: "hidden" });
    expect(await field.inputValue()).toBe("A path is a/b.\n/tres");
    for (let at = 0; at < 4; at += 1) await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("/");
    await offers.waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("A path is a/b.\nThank you, Ada.");
    await page.keyboard.type(" /nothing");
    expect(await offers.isVisible()).toBe(false);
  });
});
