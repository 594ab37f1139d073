import { describe, expect, it } from "vitest";
import type { Service } from "../../support/service/service.ts";
import {
  type AppWithFaqFiles,
  type FaqCheckout,
  makeCheckout,
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

const push = (flags = "") => checkout.run(`faq push --yes${flags}`);
const questions = async () => (await world.list()).map(({ question }) => question);

describe("the command faq pull", () => {
  it("writes a Markdown file for each entry", async () => {
    const sync = await world.create("How do I sync: now?", "Tap *Sync*.  \n\n    code\n\n---\nDone.");
    const sizes = await world.create("Tailles & prix, où\u202f?", "Là.", { sortOrder: 7 });
    expect(await checkout.run("faq pull")).toMatchObject({
      exit: 0,
      stderr: "",
      stdout:
        'added     faq/how-do-i-sync-now.md  "How do I sync: now?"\n' +
        'added     faq/tailles-prix-ou.md  "Tailles & prix, où ?"\n' +
        "2 added, 0 changed, 0 deleted, 0 the same.\n",
    });
    expect(await checkout.names()).toEqual(["faq/how-do-i-sync-now.md", "faq/tailles-prix-ou.md"]);
    expect(await checkout.read("faq/how-do-i-sync-now.md")).toBe(
      `---\nid: ${sync}\nquestion: "How do I sync: now?"\nsortOrder: 1\n---\nTap *Sync*.  \n\n    code\n\n---\nDone.\n`,
    );
    expect(await checkout.read("faq/tailles-prix-ou.md")).toContain(`id: ${sizes}\n`);
  });

  it("writes a separate file for each entry with any question", async () => {
    for (const question of [
      "Why?",
      "Why!",
      "CON",
      "なぜ?",
      "???",
      "../../etc/passwd",
      "README",
      "Changelog?",
    ])
      await world.create(question);
    await checkout.run("faq pull");
    expect(await checkout.names()).toEqual(
      ["changelog", "con-entry", "entry", "etc-passwd", "readme-entry", "why-2", "why", "なぜ"].map(
        (name) => `faq/${name}.md`,
      ),
    );
    expect((await checkout.run("faq diff --exit-code")).exit).toBe(0);
  });

  it("applies changes of the server, and keeps local changes and all other content of a file", async () => {
    const [a, b] = [await world.create("A?"), await world.create("B?")];
    await checkout.run("faq pull");
    await checkout.write(
      "faq/a.md",
      `\ufeff---\r\n# Ask Ada first.\r\nid: ${a}\r\ntags: [x]\r\nquestion: 'A?'\r\n---\r\nMine.\r\n`,
    );
    await checkout.write("faq/b.md", `---\n# Keep.\nid: ${b}\nquestion: 'B?'\ntags: [x,y]\n---\nSo.\n`);
    await world.edit(b, { answer: "Theirs.\r\nTwo lines.", sortOrder: 9 });
    const ran = await checkout.run("faq pull");
    expect(ran.stdout).toContain("kept      faq/a.md");
    expect(ran.stdout).toContain("changed   faq/b.md");
    expect(await checkout.read("faq/b.md")).toBe(
      `---\n# Keep.\nid: ${b}\nquestion: 'B?'\ntags: [ x, y ]\n---\nTheirs.\nTwo lines.\n`,
    );
    await push();
    expect(await world.list()).toMatchObject([{ answer: "Mine." }, { answer: "Theirs.\r\nTwo lines." }]);
    await world.edit(a, { question: "A now?", answer: "Theirs." });
    await checkout.run("faq pull");
    expect(await checkout.read("faq/a.md")).toBe(
      `\ufeff---\r\n# Ask Ada first.\r\nid: ${a}\r\ntags: [ x ]\r\nquestion: 'A now?'\r\n---\r\nTheirs.\r\n`,
    );
  });

  it("deletes the file of a deleted entry, and does not restore a file that was deleted locally", async () => {
    const [a] = [await world.create("A?"), await world.create("B?")];
    await checkout.run("faq pull");
    await world.remove(a);
    const { rm } = await import("node:fs/promises");
    await checkout.write("faq/c.md", markdown({ question: "C?" }, "Local."));
    await rm(`${checkout.line.cwd}/faq/b.md`);
    const ran = await checkout.run("faq pull --json");
    expect(ran.json()).toMatchObject({
      pulled: true,
      added: [],
      deleted: [{ file: "faq/a.md" }],
      kept: [{ question: "C?" }, { question: "B?" }],
    });
    expect(await checkout.names()).toEqual(["faq/c.md"]);
    await rm(`${checkout.line.cwd}/faq/c.md`);
    await checkout.run("faq pull");
    expect(await checkout.names()).toEqual(["faq/b.md"]);
  });

  it("writes nothing with --dry-run", async () => {
    await world.create("A?");
    expect((await checkout.run("faq pull --dry-run --json")).json()).toMatchObject({
      dryRun: true,
      pulled: false,
    });
    expect(await checkout.all()).toEqual({});
  });
});

describe("the command faq push", () => {
  it("creates, changes and moves entries with one read and one write, and writes the ids into the files", async () => {
    const [a, b] = [await world.create("A?"), await world.create("B?")];
    await checkout.run("faq pull");
    await checkout.write("faq/a.md", markdown({ id: a, question: "A new?", sortOrder: 1 }, "New."));
    await checkout.write("faq/b.md", markdown({ id: b, question: "B?", sortOrder: 5 }, "So."));
    await checkout.write("faq/deep/c.md", markdown({ question: "C?" }, "\n  Indented *first* line.\n"));
    checkout.sent.length = 0;
    const ran = await push();
    expect(checkout.sent).toEqual(["GET", "PUT"]);
    expect(ran).toMatchObject({ exit: 0, stderr: "" });
    expect(ran.stdout).toBe(
      'create    faq/deep/c.md  "C?"\n'.replace("create    ", "create    ") +
        `change    faq/a.md  ${a}  "A new?"\n` +
        "    -A?\n    +A new?\n     \n    -So.\n    +New.\n" +
        `move      faq/b.md  ${b}  "B?": from position 2 to 5\n` +
        "1 to create, 1 to change, 1 to move, 0 the same.\n" +
        "Pushed 3 of 3.\n",
    );
    const [, , c] = await world.list();
    expect(await world.list()).toMatchObject([
      { id: a, question: "A new?", answer: "New.", sortOrder: 1 },
      { id: b, sortOrder: 5 },
      { question: "C?", answer: "Indented *first* line.", sortOrder: 6 },
    ]);
    expect(await checkout.read("faq/deep/c.md")).toBe(
      `---\nid: ${c?.id}\nquestion: C?\n---\n\n  Indented *first* line.\n\n`,
    );
    checkout.sent.length = 0;
    expect(await push()).toMatchObject({ exit: 0, stdout: "Nothing to push, 3 the same.\n" });
    expect(checkout.sent).toEqual(["GET"]);
  });

  it("is one read if nothing differs, on any machine, and changes no file", async () => {
    await checkout.write("faq/a.md", markdown({ question: "A?" }, "So."));
    await push();
    const before = await checkout.all();
    checkout.sent.length = 0;
    expect((await push(" --json")).json()).toMatchObject({ pushed: false, unchanged: 1 });
    expect(checkout.sent).toEqual(["GET"]);
    expect(await checkout.all()).toEqual(before);
  });

  it("deletes entries only with --prune, and only entries that were pulled before", async () => {
    await world.create("A?");
    await world.create("B?");
    await checkout.run("faq pull");
    await world.create("Never pulled?");
    const { rm } = await import("node:fs/promises");
    await rm(`${checkout.line.cwd}/faq/b.md`);
    expect((await push()).stdout).toContain("`--prune` deletes the entry");
    expect(await questions()).toEqual(["A?", "B?", "Never pulled?"]);
    expect((await push(" --prune --json")).json()).toMatchObject({
      pushed: true,
      deleted: [{ question: "B?" }],
      onlyOnServer: [{ question: "Never pulled?", pulled: false }],
    });
    expect(await questions()).toEqual(["A?", "Never pulled?"]);
  });

  it("shows the same plan as faq diff with --dry-run, and sends no change", async () => {
    const id = await world.create("A?");
    await checkout.run("faq pull");
    await checkout.write("faq/a.md", markdown({ id, question: "A?" }, "New."));
    await checkout.write("faq/b.md", markdown({ question: "B?" }, "So."));
    const before = await checkout.all();
    checkout.sent.length = 0;
    const diff = await checkout.run("faq diff");
    expect(diff.stdout).toContain("1 to create, 1 to change");
    expect((await checkout.run("faq push --dry-run")).stdout).toBe(diff.stdout);
    expect((await checkout.run("faq diff --exit-code")).exit).toBe(3);
    expect((await checkout.run("faq push --dry-run --json")).json()).toMatchObject({
      dryRun: true,
      pushed: false,
    });
    expect((await checkout.run("faq diff --json")).json()).toMatchObject({
      changed: [{ id, fields: ["answer"] }],
    });
    expect(new Set(checkout.sent)).toEqual(new Set(["GET"]));
    expect(await checkout.all()).toEqual(before);
  });

  it("needs --yes without a terminal, and asks on a terminal after it has shown the plan", async () => {
    await checkout.write("faq/a.md", markdown({ question: "A?" }, "So."));
    expect(await checkout.run("faq push")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("Add --yes to continue without a question."),
    });
    const no = await checkout.run("faq push", { terminal: true, typed: () => "n" });
    expect(no.exit).toBe(2);
    expect(no.stderr).toContain('create    faq/a.md  "A?"\n');
    expect(await questions()).toEqual([]);
    expect(await checkout.run("faq push", { terminal: true, typed: () => "y" })).toMatchObject({
      exit: 0,
      stdout: "Pushed 1 of 1.\n",
    });
    expect(await questions()).toEqual(["A?"]);
  });

  it("also works for a maintainer with --app, in one transaction, and for two apps of one server", async () => {
    const token = await service.makeToken(world.owner, "maintainer", { scopes: ["faqs:write", "apps:read"] });
    const own = await makeCheckout({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token });
    const other = await service.makeApp(world.owner, { name: "Other" });
    await world.create("A?");
    expect((await own.run(`faq pull --app ${world.app.id}`)).exit).toBe(0);
    await own.write("faq/b.md", markdown({ question: "B?" }, "So."));
    own.sent.length = 0;
    expect((await own.run(`faq push --yes --app ${world.app.id}`)).exit).toBe(0);
    expect(own.sent).toEqual(["GET", "PUT"]);
    expect(await questions()).toEqual(["A?", "B?"]);
    const files = await own.read("faq/b.md");
    expect((await own.run(`faq push --yes --app ${other.id} --json`)).json()).toMatchObject({
      created: [{ question: "A?" }, { question: "B?" }],
    });
    expect(await own.read("faq/b.md")).toBe(files);
    for (const id of [world.app.id, other.id])
      expect((await own.run(`faq diff --exit-code --app ${id}`)).stdout).toBe(
        "Nothing to push, 2 the same.\n",
      );
  });

  it("accepts 500 files at once", async () => {
    for (let at = 0; at < 500; at += 1)
      await checkout.write(
        `faq/q${at}.md`,
        markdown({ question: `Question ${at}?` }, `Answer ${at}.\n`.repeat(20)),
      );
    checkout.sent.length = 0;
    expect((await push()).stdout).toContain("Pushed 500 of 500.\n");
    expect(checkout.sent).toEqual(["GET", "PUT"]);
    expect(await world.list()).toHaveLength(500);
    expect((await push()).stdout).toBe("Nothing to push, 500 the same.\n");
  });
});
