import type { BrowserContext, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { TestAccount } from "../sign-in/password-accounts.ts";
import type { TextForm } from "./text-forms.ts";

/** A form of an open page with text that was not sent. */
export interface Typed {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly form: TextForm;
  readonly path: string;
  /** The texts by their fields. */
  readonly texts: Readonly<Record<string, string>>;
  readonly account: Pick<TestAccount, "email" | "password">;
}

const formIn = (page: Page, form: TextForm, path: string): Locator =>
  page.locator(`form[action="${path}${form.action}"]`);

/** Opens the page of a form. All collapsed parts are opened, and every question of the browser is answered with yes. */
export async function openForm(page: Page, form: TextForm, path: string): Promise<void> {
  await page.goto(path);
  await unfold(page);
  await form.prepare?.(page);
}

/** Types a text into each field of a form. Returns the texts. */
export async function typeInto(page: Page, form: TextForm, path: string): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const field of await formIn(page, form, path).locator("[data-draft]").all()) {
    const name = (await field.getAttribute("name")) ?? "";
    if (!(form.fields?.test(name) ?? (await field.isVisible()))) continue;
    const text = textFor(name, await field.getAttribute("type"));
    await field.fill(text);
    texts[name] = text;
  }
  expect(Object.keys(texts)).not.toEqual([]);
  return texts;
}

function textFor(name: string, type: string | null): string {
  const typed: Readonly<Record<string, string>> = {
    url: `https://typed.example/${name}`,
    email: "typed@example.org",
    number: "7",
    date: "2041-05-06",
    "datetime-local": "2041-05-06T07:08",
  };
  return typed[type ?? ""] ?? `Typed in ${name}: “é”, <b> & ünsent`;
}

const unfold = (page: Page) =>
  page.evaluate(() => {
    for (const part of document.querySelectorAll("main details")) part.setAttribute("open", "");
  });

/** Sends the form with its button, without the checks of the browser. */
export async function sendForm({ page, form, path }: Pick<Typed, "page" | "form" | "path">): Promise<void> {
  const found = formIn(page, form, path);
  await found.evaluate((element) => element.setAttribute("novalidate", ""));
  await found.getByRole("button", { name: form.button, exact: true }).first().click({ noWaitAfter: true });
}

/** Signs in on the sign-in page. */
export async function signInOn(page: Page, { email, password }: Typed["account"]): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

export async function signOutOn(page: Page): Promise<void> {
  await page.locator("summary", { hasText: /^Account/ }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("You are signed out.").waitFor();
}

/**
 * Returns the texts that are neither in their fields, nor shown beside them, nor offered. There must be none as soon as
 * the page is ready.
 */
export async function expectNoneLost(
  page: Page,
  { form, path, texts }: Pick<Typed, "form" | "path" | "texts">,
) {
  const lost = async () => {
    const offer = page.getByRole("button", { name: "Restore the text" }).first();
    if (await offer.isVisible().catch(() => false)) await offer.click();
    const here = await page.evaluate(() => ({
      fields: [...document.querySelectorAll<HTMLInputElement>("[data-draft]")].map((field) => ({
        action: field.form?.getAttribute("action") ?? "",
        name: field.name,
        value: field.value,
      })),
      shown: [...document.querySelectorAll<HTMLTextAreaElement>("[data-draft-note] textarea")].map(
        ({ value }) => value,
      ),
    }));
    return Object.entries(texts).filter(
      ([name, text]) =>
        !here.shown.includes(text) &&
        !here.fields.some(
          (field) => field.action === path + form.action && field.name === name && field.value === text,
        ),
    );
  };
  await expect.poll(lost, { message: form.name, timeout: 20_000 }).toEqual([]);
}
