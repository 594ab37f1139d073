import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectOfForm, placeOfForm } from "../../../server/console/drafts/page.tsx";
import { createLinks } from "../../../server/console/links.ts";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
} from "../../support/browser/browser-without-scripts.ts";
import { consolePaths, proposalPaths } from "../../support/browser/console-paths.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeAccount } from "../../support/sign-in/password-accounts.ts";
import { makeProposalStates } from "../../support/worlds/agents/proposal-states.ts";
import { makeOwnerWithOneOfEach } from "../../support/worlds/owner-with-one-of-each.ts";

/** The fields of forms whose text is not kept, and why. */
const notKept: Readonly<Record<string, string>> = {
  currentPassword: "a password",
  newPassword: "a password",
  repeatedPassword: "a password",
  password: "a password",
  code: "a code",
  file: "a file",
  pictures: "a file",
  from: "a day, which only chooses what a page shows",
  to: "a day, which only chooses what a page shows",
  snoozeDay: "a day that is chosen again at once",
  tagName: "a word that is typed again at once",
  viewName: "a few words that are typed again at once",
  stormPerHour: "a number that is typed again at once",
  confirmation: "a confirmation must be typed again",
  chatWebhookUrl: "a secret: everybody who knows the address can post there",
  url: "a secret: the address of a webhook can have a token in it",
  "email of a person to erase": "after the erasure nothing here has the address",
};

const appId = "01a1fda4-237d-759b-ad89-7cf5663516dc";
const id = "01a1fda4-237d-759b-ad89-7cf5663516dd";

describe("the object of a form", () => {
  it.each(["/console", "", "/a.b(c+[d]/$*|console", `/${id}/${appId}`])(
    "is found if the console is at %j",
    (at) => {
      const links = createLinks(at);
      const expected = { kind: "faq", appId, id };
      expect(objectOfForm(links.faq(appId, id), links)).toEqual(expected);
      expect(objectOfForm(links.faq(appId, id.toUpperCase(), "delete"), links)).toEqual(expected);
      expect(objectOfForm(`${links.faq(appId, id)}?lang=de`, links)).toEqual(expected);
    },
  );

  it.each([`/faqs/${appId}/new`, `/faqs/${appId}/${id}a`, `/other/${appId}/${id}`, `/faqs/${id}`])(
    "is undefined for the form %s, which belongs to no object",
    (form) => {
      expect(objectOfForm(`/console${form}`, createLinks("/console"))).toBeUndefined();
    },
  );
});

interface Field {
  readonly name: string;
  readonly type: string;
  readonly kept: boolean;
}

/** The fields of a page for text that a person types and sends. Forms that only search have their text in the address. */
const typedFields = (html: string): Field[] =>
  [...html.matchAll(/<form\b([^>]*method="post"[^>]*)>([\s\S]*?)<\/form>/g)].flatMap(
    ([, form = "", inside = ""]) =>
      [...inside.matchAll(/<(input|textarea)\b([^>]*)>/g)].flatMap(([, tag, traits = ""]) => {
        const type = tag === "textarea" ? "textarea" : (/\btype="([^"]*)"/.exec(traits)?.[1] ?? "text");
        if (["hidden", "checkbox", "radio"].includes(type) || /\sreadonly/i.test(traits)) return [];
        const of = form.includes('action="/console/people') ? " of a person to erase" : "";
        const name = (/\bname="([^"]*)"/.exec(traits)?.[1] ?? "") + of;
        return [{ name, type, kept: /\bdata-draft="\d+"/.test(traits) }];
      }),
  );

describe("the fields of the console's forms", () => {
  let service: Service;
  let owner: BrowserWithoutScripts;
  let paths: string[];
  beforeAll(async () => {
    service = await startService();
    const world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
    paths = [
      ...consolePaths(world),
      ...proposalPaths(world, await makeProposalStates(service, world)),
      "/console/sign-in",
      "/console/recover",
    ];
  });
  afterAll(() => service.stop());

  it("keep every typed text, except a list of fields with reasons, and never keep a password, a code or a secret", async () => {
    const person = createBrowserWithoutScripts(service, await service.signIn(await makeAccount(service)));
    const pages = [
      ...(await Promise.all(paths.map((path) => owner.open(path)))),
      await person.open("/console/sign-in-methods"),
    ];
    const fields = pages.flatMap(({ text }) => typedFields(text));
    const names = (wanted: (field: Field) => boolean) =>
      [...new Set(fields.filter(wanted).map(({ name }) => name))].sort();
    expect(names(({ name, kept }) => !kept && !(name in notKept))).toEqual([]);
    expect(names(({ name, kept }) => kept && name in notKept)).toEqual([]);
    expect(names(({ type, kept }) => kept && ["password", "file"].includes(type))).toEqual([]);
    expect(names(({ kept }) => kept)).toEqual(
      expect.arrayContaining(["answer", "items.0.text", "note", "noteBody", "replyBody", "screens", "label"]),
    );
    const links = createLinks("/console");
    const withDrafts = pages.flatMap(({ text }) =>
      [...text.matchAll(/<form\b([^>]*method="post"[^>]*)>([\s\S]*?)<\/form>/g)].flatMap(
        ([, form = "", inside = ""]) =>
          /\bdata-draft="\d+"/.test(inside) ? [/\baction="([^"?#]*)/.exec(form)?.[1] ?? ""] : [],
      ),
    );
    const unnamed = withDrafts.filter(
      (form) => objectOfForm(form, links) === undefined && placeOfForm(form, links) === undefined,
    );
    expect(unnamed).toEqual([]);
    // Each reason must be about an existing field. A page with a field for a code needs an account with a second
    // factor.
    expect(names(({ kept }) => !kept)).toEqual(
      Object.keys(notKept)
        .filter((name) => name !== "code")
        .sort(),
    );
  });
});
