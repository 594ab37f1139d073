import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import type { Service } from "../../support/service/service.ts";
import {
  type AppWithFaqFiles,
  cloneOf,
  type FaqCheckout,
  markdown,
  withFaqFiles,
} from "../../support/worlds/app-with-faq-files.ts";

let service: Service;
let world: AppWithFaqFiles;
let checkout: FaqCheckout;
withFaqFiles((made, started) => {
  world = made;
  service = started;
  checkout = world.checkout;
});

const push = (flags = "", from = checkout) => from.run(`faq push --yes${flags}`);
const inGerman = async () => {
  const answer = await service.request("GET", "/api/v1/faqs/remote?lang=de", {
    headers: { "x-api-key": world.app.key },
  });
  return [answer.body].flat().map((faq) => [Object(faq).question, Object(faq).answer]);
};
const de = markdown({ question: "Wie?" }, "So geht es.");

describe("translations in FAQ files (rule C36)", () => {
  it("are pushed with their entries, and a second push sends nothing and changes no file", async () => {
    await checkout.write("faq/how.md", markdown({ question: "How?" }, "Like this."));
    await checkout.write("faq/de/how.md", de);
    await checkout.write("faq/deep/why.md", markdown({ question: "Why?" }, "So."));
    await checkout.write("faq/de/deep/why.md", "# Warum?\n\nDarum.\n");
    expect((await push()).exit).toBe(0);
    expect((await inGerman()).sort()).toEqual([
      ["Warum?", "Darum."],
      ["Wie?", "So geht es."],
    ]);
    const files = await checkout.all();
    checkout.sent.length = 0;
    const again = await push();
    expect(again).toMatchObject({ exit: 0, stdout: "Nothing to push, 2 the same.\n" });
    expect(checkout.sent).toEqual(["GET"]);
    expect(await checkout.all()).toEqual(files);
    expect(await checkout.read("faq/de/how.md")).toBe(de);
    expect((await checkout.run("faq diff --exit-code")).exit).toBe(0);
  });

  it("are written by a pull, and a second pull changes nothing", async () => {
    const id = await world.create("How?", "Like this.");
    const translations = {
      de: { question: "Wie?", answer: "So geht es." },
      "pt-BR": { question: "Como?", answer: "Assim." },
    };
    await world.edit(id, { translations });
    await checkout.run("faq pull");
    expect(await checkout.names()).toEqual(["faq/de/how.md", "faq/how.md", "faq/pt-BR/how.md"]);
    expect(await checkout.read("faq/de/how.md")).toBe(de);
    const files = await checkout.all();
    expect((await checkout.run("faq pull")).stdout).toBe("0 added, 0 changed, 0 deleted, 1 the same.\n");
    expect(await checkout.all()).toEqual(files);
    checkout.sent.length = 0;
    await push();
    expect(checkout.sent).toEqual(["GET"]);
  });

  it("are compared separately from the default text, and both sides keep their changes", async () => {
    const id = await world.create("How?", "Like this.");
    await world.edit(id, { translations: { de: { question: "Wie?", answer: "So geht es." } } });
    await checkout.run("faq pull");
    await checkout.write("faq/how.md", markdown({ id, question: "How?", sortOrder: 1 }, "Like that."));
    await world.edit(id, { translations: { de: { question: "Wie?", answer: "Im Browser." } } });
    expect((await push()).stdout).toContain("de: not pushed, changed on the server");
    expect((await world.list())[0]).toMatchObject({ answer: "Like that." });
    expect(await inGerman()).toEqual([["Wie?", "Im Browser."]]);
    await checkout.run("faq pull");
    expect(await checkout.read("faq/de/how.md")).toBe(markdown({ question: "Wie?" }, "Im Browser."));
  });

  it("prevent a push if both sides changed the same language, unless a flag chooses a side", async () => {
    const id = await world.create("How?", "Like this.");
    await world.edit(id, { translations: { de: { question: "Wie?", answer: "So geht es." } } });
    await checkout.run("faq pull");
    await checkout.write("faq/de/how.md", markdown({ question: "Wie?" }, "Meine."));
    await world.edit(id, { translations: { de: { question: "Wie?", answer: "Ihre." } } });
    const stopped = await push();
    expect(stopped.exit).toBe(7);
    expect(stopped.stdout).toContain("its translation into de was changed here and on the server");
    expect(stopped.stdout).toMatch(/-Ihre\.\n\s+\+Meine\./);
    const clone = await cloneOf(checkout, world.env);
    expect((await push(` --take theirs ${id}`, clone)).exit).toBe(0);
    expect(await clone.read("faq/de/how.md")).toBe(markdown({ question: "Wie?" }, "Ihre."));
    expect((await push(` --take mine ${id}`)).exit).toBe(0);
    expect(await inGerman()).toEqual([["Wie?", "Meine."]]);
  });

  it("are deleted on the server only with --prune, and in the files by a pull", async () => {
    const id = await world.create("How?", "Like this.");
    await world.edit(id, { translations: { de: { question: "Wie?", answer: "So geht es." } } });
    await checkout.run("faq pull");
    const clone = await cloneOf(checkout, world.env);
    await rm(join(checkout.line.cwd, "faq/de/how.md"));
    await push();
    expect(await inGerman()).toEqual([["Wie?", "So geht es."]]);
    expect((await push(" --prune")).exit).toBe(0);
    expect(await inGerman()).toEqual([["How?", "Like this."]]);
    await clone.run("faq pull");
    expect(await clone.names()).toEqual(["faq/how.md"]);
  });

  it("of a CI job replace the texts on the server after an earlier push, as entries do", async () => {
    await checkout.write("faq/how.md", markdown({ question: "How?" }, "Like this."));
    await checkout.write("faq/de/how.md", de);
    await push();
    const job = await cloneOf(checkout, { ...world.env, CI: "true" });
    await job.write("faq/de/how.md", markdown({ question: "Wie?" }, "Neu."));
    expect((await push("", job)).exit).toBe(0);
    const next = await cloneOf(checkout, { ...world.env, CI: "true" });
    await next.write("faq/de/how.md", markdown({ question: "Wie?" }, "Noch neuer."));
    expect((await push("", next)).exit).toBe(0);
    expect(await inGerman()).toEqual([["Wie?", "Noch neuer."]]);
  });

  it("need the path of an entry, and a folder with the name of a language can contain normal entries", async () => {
    await checkout.write("faq/how.md", markdown({ question: "How?" }, "Like this."));
    await checkout.write("faq/it/printer.md", markdown({ question: "Does it print?" }, "Yes."));
    await push();
    expect((await world.list()).map(({ question }) => question)).toEqual(["How?", "Does it print?"]);
    await checkout.write("faq/de/how.md", de);
    await checkout.write("faq/de/other.md", de);
    const refused = await push();
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain("faq/de/other.md is a translation, but there is no entry faq/other.md");
  });

  it("can also be in a list file", async () => {
    await checkout.write(
      "faq.yaml",
      "- question: How?\n  answer: Like this.\n  translations:\n    de:\n      question: Wie?\n      answer: So geht es.\n",
    );
    expect((await checkout.run("faq push faq.yaml --yes")).exit).toBe(0);
    expect(await inGerman()).toEqual([["Wie?", "So geht es."]]);
    const [{ id = "" } = {}] = await world.list();
    await world.edit(id, { translations: { de: null, fr: { question: "Comment ?", answer: "Ainsi." } } });
    expect((await checkout.run("faq pull faq.yaml")).exit).toBe(0);
    expect(await checkout.read("faq.yaml")).toContain("fr:\n      question: Comment ?\n      answer: Ainsi.");
    expect(await checkout.read("faq.yaml")).not.toContain("Wie?");
    await checkout.write("faq.json", '[{"question":"A?","answer":"A.","translations":{"../x":{}}}]');
    const refused = await checkout.run("faq push faq.json --yes");
    expect(refused.stderr).toContain("is not a language tag");
  });

  it("are not written through a link to a place outside the folder", async () => {
    const outside = await temporaryFolder();
    const id = await world.create("How?", "Like this.");
    await checkout.run("faq pull");
    await symlink(outside, join(checkout.line.cwd, "faq", "de"));
    await world.edit(id, { translations: { de: { question: "Wie?", answer: "So geht es." } } });
    const ran = await checkout.run("faq pull");
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain("is a link that leads out of the folder");
  });

  it("can be changed and read by commands", async () => {
    const id = await world.create("How?", "Like this.");
    const edit = (...words: string[]) => checkout.line.run(["faq", "edit", id, "--lang", "de", ...words]);
    expect((await edit("--question", "Wie?")).stderr).toContain("There is no translation into de yet.");
    expect((await edit("--question", "Wie?", "--answer", "So.")).exit).toBe(0);
    expect((await edit("--answer", "Anders.")).exit).toBe(0);
    expect((await checkout.run("faq list --lang de-AT --fields question,answer")).stdout).toContain(
      "Wie?\tAnders.",
    );
    expect((await edit("--delete-translation")).exit).toBe(0);
    expect(await inGerman()).toEqual([["How?", "Like this."]]);
    expect((await checkout.run(`faq edit ${id} --lang german`)).stderr).toContain("must be a language tag");
  });
});
