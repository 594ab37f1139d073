import { describe, expect, it } from "vitest";
import { defineForm, definePage, type SignedInVisit } from "../../../server/console/definitions.ts";
import { createLinks } from "../../../server/console/links.ts";
import { changed, changesNotSaved, noticesOf } from "../../../server/console/notices.ts";
import { goTo } from "../../../server/console/respond.tsx";
import { forms, pages, uploadForms } from "../../../server/console/routes.ts";

const here = { at: () => "/here", page: "any" } as const;
const act = async ({ links }: SignedInVisit) => goTo(links.home, "changed");

describe("the definitions of the console's pages and forms", () => {
  it("exist once for each address", () => {
    const links = createLinks("/console");
    for (const list of [pages, [...forms, ...uploadForms]]) {
      const addresses = list.map(({ at }) => at(links));
      expect(addresses).toEqual([...new Set(addresses)]);
    }
  });

  it("do not compile without their sentences", () => {
    defineForm({ ...here, act, done: changed, ...changesNotSaved });
    // @ts-expect-error What is said if it was not done?
    defineForm({ ...here, act, done: changed, word: "change" });
    // @ts-expect-error What does the word "changed" say?
    defineForm({ ...here, act, done: {}, ...changesNotSaved });
    // @ts-expect-error The form never puts "made" into the address.
    defineForm({ ...here, act, done: { ...changed, made: "It is made." }, ...changesNotSaved });
    // @ts-expect-error A page does nothing that a notice could be about.
    definePage({ at: () => "/here", needs: "viewer", show: act });
  });

  it("use one text for each word", () => {
    const says = (notDone: string) => ({ word: "change", notDone, done: changed });
    expect(() => noticesOf([says("Not saved."), says("Not kept.")], [])).toThrow("not-done-change");
    const other = { ...changesNotSaved, done: { changed: "Something else." } };
    expect(() => noticesOf([says(changesNotSaved.notDone), other], [])).toThrow('"changed" has two notices');
  });
});
