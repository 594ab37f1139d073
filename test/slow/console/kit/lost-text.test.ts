import { describe, expect, it } from "vitest";
import { hashPassword } from "../../../../server/secrets/passwords.ts";
import type { TestBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/browser-page.ts";
import { createBrowserWithoutScripts } from "../../../support/browser/browser-without-scripts.ts";
import { consolePaths, proposalPaths } from "../../../support/browser/console-paths.ts";
import { type TextForm, textForms } from "../../../support/browser/text-forms.ts";
import { tryWay, waysToLoseText } from "../../../support/browser/ways-to-lose-text.ts";
import { withBrowser } from "../../../support/browser/with-browser.ts";
import { runSeed } from "../../../support/random-seed.ts";
import type { Service } from "../../../support/service/service.ts";
import { rounds } from "../../../support/torture.ts";
import { makeProposalStates } from "../../../support/worlds/agents/proposal-states.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../../support/worlds/owner-with-one-of-each.ts";

const password = "correct horse battery staple";
const ways = Object.keys(waysToLoseText);

describe("a typed text", () => {
  let service: Service;
  let browser: TestBrowser;
  let world: OwnerWithOneOfEach;
  let forms: TextForm[];
  withBrowser(async (started) => {
    ({ service, browser } = started);
    world = await makeOwnerWithOneOfEach(service);
    const hash = await hashPassword(password);
    await service.deps.database.write((tx) =>
      tx.run("UPDATE users SET password_hash = ? WHERE id = ?", hash, world.owner.id),
    );
    forms = textForms(service, world);
  });

  /** The short form of the tests tries two forms for each case, in each run other ones. The long form tries all. */
  const chosen = (way: string) =>
    forms.filter((_, at) => (at + ways.indexOf(way) + runSeed) % forms.length < rounds(2, forms.length));

  it("is tested in every form of every page that keeps text", async () => {
    const owner = createBrowserWithoutScripts(service, world.headers);
    const shown = await Promise.all(
      [...consolePaths(world), ...proposalPaths(world, await makeProposalStates(service, world))].map(
        async (path) => keptFields((await owner.open(path)).text),
      ),
    );
    const tried = await Promise.all(
      forms.map(async ({ open, action, fields }) => ({ action: unnamed((await open()) + action), fields })),
    );
    const missing = shown
      .flat()
      .filter(
        ({ action, name }) =>
          !tried.some((form) => form.action === action && (form.fields?.test(name) ?? true)),
      );
    expect(shown.flat().length).toBeGreaterThan(50);
    expect(missing).toEqual([]);
  });

  it.each(ways)(
    "is not lost if %s",
    async (way) => {
      for (const form of chosen(way)) {
        const path = await form.open();
        const page = await openPage(browser, service, await service.signIn(world.owner));
        const account = { email: world.owner.email, password };
        const tried = waysToLoseText[way];
        if (tried) await tryWay(tried, { context: page.context(), page, form, path, account });
        await page.context().close();
        await service.deps.database.write((tx) => tx.run("DELETE FROM drafts"));
      }
      expect(chosen(way).length).toBeGreaterThan(0);
    },
    rounds(300_000, 1_200_000),
  );
});

/** An address without ids. */
const unnamed = (path: string): string => path.replace(/[\w-]{36}/g, ":id");

/** The fields of a page whose text is kept, with the address to which each is sent. */
const keptFields = (html: string): { readonly action: string; readonly name: string }[] =>
  [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].flatMap(([, traits = "", inside = ""]) => {
    const action = unnamed(/\baction="([^"]*)"/.exec(traits)?.[1] ?? "");
    return [...inside.matchAll(/<(?:input|textarea)\b([^>]*\bdata-draft="[^>]*)>/g)].map(
      ([, field = ""]) => ({
        action,
        name: /\bname="([^"]*)"/.exec(field)?.[1] ?? "",
      }),
    );
  });
