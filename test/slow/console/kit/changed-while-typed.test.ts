import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import type { Service } from "../../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../../support/worlds/owner-with-one-of-each.ts";

/** A form whose field another person changes while the owner types. */
interface ChangedForm {
  readonly path: string;
  readonly field: string;
  readonly label: string;
  readonly button: string;
  readonly change: (value: string) => Promise<unknown>;
}

describe("a text that is typed while another person changes the stored text", () => {
  let service: Service;
  let browser: TestBrowser;
  let world: OwnerWithOneOfEach;
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
  });

  const make = async (path: string, body: object) => (await world.call("POST", path, body)).field("id");
  const forms: Readonly<Record<string, () => Promise<ChangedForm>>> = {
    "an entry of the FAQ": async () => {
      const id = await make(`/apps/${world.app.id}/faqs`, { question: "How?", answer: "So." });
      return {
        ...{ path: `/console/faqs/${world.app.id}/${id}`, field: "answer", label: "Answer", button: "Save" },
        change: (answer) => world.call("PATCH", `/faqs/${id}`, { answer }),
      };
    },
    "a release note": async () => {
      const note = { version: "7.1.0", title: "Seven", body: "News.", releaseType: "minor" };
      const id = await make(`/apps/${world.app.id}/changelog`, note);
      return {
        ...{ path: `/console/changelog/${world.app.id}/${id}`, field: "body", label: "Text" },
        button: "Save draft",
        change: (body) => world.call("PATCH", `/changelog/${id}`, { body }),
      };
    },
    "the list of a release note": async () => {
      const items = [{ type: "added", text: "One" }];
      const note = { version: "7.2.0", title: "Seven", bodyFormat: "items", items, releaseType: "minor" };
      const id = await make(`/apps/${world.app.id}/changelog`, note);
      return {
        ...{ path: `/console/changelog/${world.app.id}/${id}`, field: "items.0.text" },
        ...{ label: "The list of changes", button: "Save draft" },
        change: (text) => world.call("PATCH", `/changelog/${id}`, { items: [{ type: "added", text }] }),
      };
    },
    "an app": async () => ({
      ...{ path: `/console/apps/${world.app.id}`, field: "name", label: "Name", button: "Save" },
      change: (name) => world.call("PATCH", `/apps/${world.app.id}`, { name }),
    }),
  };

  const box = (page: Page, { field }: ChangedForm): Locator => page.locator(`main [name="${field}"]`).last();
  const saved = (page: Page, { label }: ChangedForm): Locator =>
    page.getByLabel(`Saved text of ${label}`, { exact: true });
  const warning = (page: Page) => page.getByText("was changed by somebody else since you opened this page");
  const open = async (form: ChangedForm) => {
    const page = await openPage(browser, service, world.headers);
    page.on("dialog", (dialog) => dialog.accept());
    await page.goto(form.path);
    return page;
  };

  it.each(Object.keys(forms))(
    "is saved in %s only after a warning that shows the stored text",
    async (name) => {
      const form = await forms[name]?.();
      if (!form) throw new Error(name);
      const save = () => page.getByRole("button", { name: form.button, exact: true }).first().click();
      const page = await open(form);
      await form.change("Theirs");
      await box(page, form).fill("Mine");
      await save();
      await warning(page).waitFor();
      expect(await saved(page, form).inputValue()).toContain("Theirs");
      expect(await box(page, form).inputValue()).toBe("Mine");

      // The page is opened afresh. It shows the draft, and says that the stored text has changed.
      await page.goto(form.path);
      await page.locator("[data-draft-note]", { hasText: "was changed since you typed this" }).waitFor();
      expect(await box(page, form).inputValue()).toBe("Mine");
      expect(await page.locator("[data-draft-note] textarea").inputValue()).toBe("Theirs");
      await save();
      await warning(page).waitFor();
      expect(await saved(page, form).inputValue()).toContain("Theirs");
      await save();
      await page
        .getByText(/(The changes are|The release note is) saved|The draft is saved/)
        .first()
        .waitFor();
      await page.goto(form.path);
      expect(await box(page, form).inputValue()).toBe("Mine");
      await page.context().close();
    },
  );

  it("is the only unsent text, and a field that was not changed always shows the stored value", async () => {
    const form = await forms["an app"]?.();
    if (!form) throw new Error("no form");
    const changeRepository = (githubRepository: string) =>
      world.call("PATCH", `/apps/${world.app.id}`, { githubRepository });
    await changeRepository("old/app");
    const page = await open(form);
    const repository = page.locator("[name=githubRepository]");
    await form.change("Their name");
    await changeRepository("theirs/app");
    await box(page, form).fill("My name");
    await page.getByRole("button", { name: "Save", exact: true }).first().click();
    await warning(page).waitFor();
    expect(await repository.inputValue()).toBe("theirs/app");
    await changeRepository("newest/app");
    await page.goto(form.path);
    await page.locator("[data-draft-note]", { hasText: "Name was changed since you typed this" }).waitFor();
    expect(await page.locator("[data-draft-note]").textContent()).not.toContain("repository");
    expect(await repository.inputValue()).toBe("newest/app");
    await page.context().close();
  });

  it("can be discarded, and then the stored text is changed without a warning", async () => {
    const form = await forms["an entry of the FAQ"]?.();
    if (!form) throw new Error("no form");
    const page = await open(form);
    await box(page, form).fill("Mine");
    await form.change("Theirs");
    await page.goto(form.path);
    await page.getByRole("button", { name: "Discard it" }).click();
    expect(await box(page, form).inputValue()).toBe("Theirs");
    await box(page, form).fill("Both");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The changes are saved.").waitFor();
    await page.context().close();
  });
});
