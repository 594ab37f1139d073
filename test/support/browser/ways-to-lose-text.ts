import type { Page } from "playwright-core";
import {
  expectNoneLost,
  openForm,
  sendForm,
  signInOn,
  signOutOn,
  type Typed,
  typeInto,
} from "./typed-text.ts";

/** Something that happens to a form with typed text. It returns the page on which the text must be. */
export type WayToLoseText = (typed: Typed) => Promise<Page>;

const elsewhere = "/console/account";

const sentNowhere =
  (status: number): WayToLoseText =>
  async (typed) => {
    const { page } = typed;
    const answer = { status, contentType: "text/html", body: `<h1>Answer ${status}</h1>` };
    await page.route("**/*", (route) =>
      route.request().isNavigationRequest() && route.request().method() === "POST"
        ? route.fulfill(answer)
        : route.continue(),
    );
    await sendForm(typed);
    await page.getByText(`Answer ${status}`).waitFor();
    await page.unroute("**/*");
    await page.goBack();
    return page;
  };

const reopened: WayToLoseText = async ({ page, path }) => {
  await page.goto(path);
  return page;
};

/** The events, by a description. */
export const waysToLoseText: Readonly<Record<string, WayToLoseText>> = {
  "the page is left for another": async (typed) => {
    await typed.page.goto(elsewhere);
    return reopened(typed);
  },
  "the page is loaded again": async ({ page }) => {
    await page.reload();
    return page;
  },
  "the person goes back and forward": async ({ page }) => {
    await page.goBack();
    await page.goForward();
    return page;
  },
  "the page crashes": async ({ page, context, path }) => {
    const crashed = new Promise<unknown>((resolve) => page.once("crash", resolve));
    const session = await context.newCDPSession(page);
    session.send("Page.crash").catch(() => undefined);
    await crashed;
    const next = await context.newPage();
    await next.goto(path);
    return next;
  },
  "another form of the page is sent": async (typed) => {
    const { page, form, path, account } = typed;
    if (form.other) {
      await form.other(page);
    } else {
      await signOutOn(page);
      await signInOn(page, account);
      await page.waitForURL("**/console");
    }
    await page.goto(path);
    return page;
  },
  "its values are refused": async (typed) => {
    const { page, form, path } = typed;
    const [name = ""] = Object.keys(typed.texts);
    const field = page.locator(`form[action="${path}${form.action}"] [name="${name}"]`);
    const most = Number(await field.getAttribute("data-draft"));
    const wrong = form.wrong ?? "x".repeat(most + 1);
    await field.fill(wrong);
    const texts = { ...typed.texts, [name]: wrong };
    await sendForm(typed);
    await page.locator("[data-unsaved]").first().waitFor({ state: "attached" });
    await expectNoneLost(page, { ...typed, texts });
    await page.goto(path);
    await expectNoneLost(page, { ...typed, texts });
    await field.fill(typed.texts[name] ?? "");
    return reopened(typed);
  },
  "somebody else was faster": async (typed) => {
    const { page, form, path } = typed;
    if (!form.conflict) return sentNowhere(409)(typed);
    await form.conflict(path);
    await sendForm(typed);
    await page.getByRole("alert").first().waitFor();
    await expectNoneLost(page, typed);
    return reopened(typed);
  },
  "the page is out of date": sentNowhere(412),
  "the session has ended": async (typed) => {
    const { page, context, form, account } = typed;
    await context.clearCookies();
    await sendForm(typed);
    await page.getByText(`Your session has ended. ${form.notDone}`).waitFor();
    await signInOn(page, account);
    if (form.hasFile) await page.waitForURL(`**${typed.path}`);
    else await page.getByText(`Your session had ended when you sent this. ${form.notDone}`).waitFor();
    await expectNoneLost(page, typed);
    return reopened(typed);
  },
  "the person signs out in another tab": async ({ page, context, account }) => {
    const other = await context.newPage();
    await other.goto(elsewhere);
    await signOutOn(other);
    await other.close();
    await page.reload();
    await signInOn(page, account);
    return page;
  },
  "the browser is offline": async (typed) => {
    const { page, context } = typed;
    await context.setOffline(true);
    await sendForm(typed);
    await page.locator(".notice", { hasText: "You are offline, so nothing was sent." }).waitFor();
    await context.setOffline(false);
    await page.reload();
    return page;
  },
  "the server is busy": sentNowhere(503),
  "there were too many requests": sentNowhere(429),
  "the form seems to come from another site": async (typed) => {
    const { page, form } = typed;
    await page.route("**/*", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      const headers = { ...(await route.request().allHeaders()), origin: "https://evil.example" };
      await route.fulfill({ response: await route.fetch({ headers }) });
    });
    await sendForm(typed);
    await page.getByText(form.notDone).waitFor();
    await page.unroute("**/*");
    await page.getByRole("link", { name: "Back to the page" }).click();
    return page;
  },
};

/** Types into a form in a fresh tab, lets something happen, and looks for the text. */
export async function tryWay(way: WayToLoseText, typed: Omit<Typed, "texts">): Promise<void> {
  const { page, form, path } = typed;
  page.on("dialog", (dialog) => dialog.accept().catch(() => undefined));
  await page.goto(elsewhere);
  await openForm(page, form, path);
  const texts = await typeInto(page, form, path);
  const after = await way({ ...typed, texts });
  await expectNoneLost(after, { form, path, texts });
}
