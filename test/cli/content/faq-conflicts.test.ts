import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { rounds } from "../../support/torture.ts";
import {
  type AppWithFaqFiles,
  cloneOf,
  type FaqCheckout,
  markdown,
  withFaqFiles,
} from "../../support/worlds/app-with-faq-files.ts";

let world: AppWithFaqFiles;
let checkout: FaqCheckout;
let id: string;
withFaqFiles(async (made) => {
  world = made;
  checkout = world.checkout;
  id = await world.create("A?", "First.");
  await checkout.run("faq pull");
});

const file = (answer: string, more: Record<string, string | number> = {}) =>
  markdown({ id, question: "A?", sortOrder: 1, ...more }, answer);
const answers = async () => (await world.list()).map(({ answer }) => answer);
const deleteFile = () => rm(join(checkout.line.cwd, "faq/a.md"));

describe("an FAQ entry that changed in the file and on the server", () => {
  beforeEach(async () => {
    await checkout.write("faq/a.md", file("Mine."));
    await checkout.write("faq/new.md", markdown({ question: "New?" }, "New."));
    await world.edit(id, { answer: "Theirs." });
  });

  it("is a conflict: exit 7, a diff of both texts, and nothing is pushed", async () => {
    const before = await checkout.all();
    checkout.sent.length = 0;
    const ran = await checkout.run("faq push --yes");
    expect(ran.exit).toBe(7);
    expect(ran.stdout).toContain(
      `conflict  faq/a.md  ${id}  "A?": it was changed here and on the server\n     A?\n     \n    -Theirs.\n    +Mine.\n`,
    );
    expect(ran.stderr).toContain("Nothing was pushed, because of the conflicts.");
    expect(checkout.sent).toEqual(["GET"]);
    expect(await answers()).toEqual(["Theirs."]);
    expect(await checkout.all()).toEqual(before);
    expect((await checkout.run("faq push --dry-run")).exit).toBe(7);
    expect((await checkout.run("faq diff")).exit).toBe(0);
    expect((await checkout.run("faq diff --exit-code")).exit).toBe(7);
  });

  it("is shown as one JSON document with both texts", async () => {
    const ran = await checkout.run("faq push --yes --json");
    expect(ran).toMatchObject({ exit: 7, stderr: "" });
    expect(ran.json()).toMatchObject({
      pushed: false,
      conflicts: [{ id, file: "faq/a.md", mine: { answer: "Mine." }, theirs: { answer: "Theirs." } }],
    });
  });

  it("is no conflict if both texts are equal", async () => {
    await world.edit(id, { answer: "Mine." });
    expect((await checkout.run("faq push --yes")).exit).toBe(0);
    expect(await answers()).toEqual(["Mine.", "New."]);
  });

  it("gets the text of the file with --take mine, and the text of the server with --take theirs", async () => {
    expect((await checkout.run(`faq push --yes --take mine ${id.slice(0, 13)}`)).exit).toBe(0);
    expect(await answers()).toEqual(["Mine.", "New."]);
    await checkout.write("faq/a.md", file("Mine again."));
    await world.edit(id, { answer: "Theirs again." });
    expect((await checkout.run(`faq push --yes --take theirs ${id}`)).exit).toBe(0);
    expect(await answers()).toEqual(["Theirs again.", "New."]);
    expect(await checkout.read("faq/a.md")).toBe(file("Theirs again."));
    expect((await checkout.run("faq diff --exit-code")).exit).toBe(0);
  });

  it("also stops a pull, which writes nothing, and --take also works with a pull", async () => {
    const before = await checkout.all();
    expect(await checkout.run("faq pull")).toMatchObject({
      exit: 7,
      stdout: expect.stringContaining("    -Theirs.\n    +Mine.\n"),
    });
    expect(await checkout.all()).toEqual(before);
    expect((await checkout.run(`faq pull --take mine ${id}`)).exit).toBe(0);
    expect(await checkout.read("faq/a.md")).toBe(file("Mine."));
    expect((await checkout.run("faq push --yes")).exit).toBe(0);
    expect(await answers()).toEqual(["Mine.", "New."]);
  });

  it.each([
    ["--take mine", "--take needs `mine` or `theirs`, and the ids of entries."],
    ["--take 01a1fda4", "--take needs `mine` or `theirs`, and the ids of entries."],
    ["--take mine 00000000", "--take: no entry has the id 00000000."],
    ["--take mine faq", "--take: no entry has the id faq."],
  ])("refuses %s", async (flag, message) => {
    expect(await checkout.run(`faq push --yes ${flag}`)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(message),
    });
  });
});

describe("no edit of a person is lost", () => {
  it("if a file is edited during the request of the push", async () => {
    await checkout.write("faq/b.md", markdown({ question: "B?" }, "B."));
    const typed = async () => {
      await checkout.write("faq/b.md", markdown({ question: "B?" }, "B, better."));
      return "y";
    };
    const ran = await checkout.run("faq push", { terminal: true, typed });
    expect(ran).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining("was changed while this command ran"),
    });
    expect(await checkout.read("faq/b.md")).toBe(markdown({ question: "B?" }, "B, better."));
    expect((await checkout.run("faq push --yes")).exit).toBe(0);
    expect(await answers()).toEqual(["First.", "B, better."]);
  });

  it("if the file is unchanged, because it stays unchanged until a pull", async () => {
    await world.edit(id, { answer: "Theirs." });
    const ran = await checkout.run("faq push --yes");
    expect(ran).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining("`innkeep faq pull` writes the change"),
    });
    expect(await answers()).toEqual(["Theirs."]);
  });

  it("if the file has a new text and the server a new position, because both changes are kept", async () => {
    await checkout.write("faq/a.md", file("Mine."));
    await world.edit(id, { sortOrder: 9 });
    expect((await checkout.run("faq push --yes")).exit).toBe(0);
    expect(await world.list()).toMatchObject([{ answer: "Mine.", sortOrder: 9 }]);
    // The position that a person has set is not treated as one that was pushed.
    const ci = await cloneOf(checkout, { ...world.env, CI: "true" });
    expect((await ci.run("faq push --yes")).exit).toBe(0);
    expect(await world.list()).toMatchObject([{ sortOrder: 9 }]);
  });

  it("if both sides moved an entry", async () => {
    await checkout.write("faq/a.md", file("First.", { sortOrder: 4 }));
    await world.edit(id, { sortOrder: 9 });
    expect(await checkout.run("faq push --yes")).toMatchObject({
      exit: 7,
      stdout: expect.stringContaining("    - position 9\n    + position 4\n"),
    });
  });

  it("if a file was deleted and its entry was edited on the server", async () => {
    await checkout.write("faq/b.md", markdown({ question: "B?" }, "So."));
    await checkout.run("faq push --yes");
    await deleteFile();
    await world.edit(id, { answer: "Theirs." });
    expect((await checkout.run("faq push --prune --yes")).exit).toBe(7);
    expect(await answers()).toContain("Theirs.");
    expect((await checkout.run(`faq push --prune --yes --take mine ${id}`)).exit).toBe(0);
    expect(await answers()).toEqual(["So."]);
  });

  it("if the entry was deleted on the server and its file was edited", async () => {
    await checkout.write("faq/a.md", file("Mine."));
    await world.remove(id);
    expect(await checkout.run("faq push --yes")).toMatchObject({
      exit: 7,
      stdout: expect.stringContaining("it was changed here and deleted on the server"),
    });
    expect((await checkout.run(`faq push --yes --take mine ${id}`)).exit).toBe(0);
    const [made] = await world.list();
    expect(made).toMatchObject({ answer: "Mine." });
    expect(await checkout.read("faq/a.md")).toContain(`id: ${made?.id}\n`);
    expect((await checkout.run("faq diff --exit-code")).exit).toBe(0);
  });

  it("if the entry was deleted on the server and its file was not edited, because the entry is not created again", async () => {
    await world.remove(id);
    expect((await checkout.run("faq push --yes")).stdout).toContain("deleted on the server");
    expect(await answers()).toEqual([]);
  });

  it("in many pushes at the same time as edits", async () => {
    await checkout.write("faq/b.md", markdown({ question: "B?" }, "B."));
    await checkout.run("faq push --yes");
    const exits = new Set<number>();
    for (let round = 0; round < rounds(40, 1_000); round += 1) {
      const isSame = round % 3 === 0;
      if (isSame)
        await checkout.write(
          "faq/a.md",
          (await checkout.read("faq/a.md")).replace(/\n[^\n]*\n$/, `\npush ${round}\n`),
        );
      await checkout.write(
        "faq/b.md",
        (await checkout.read("faq/b.md")).replace(/\n[^\n]*\n$/, `\npush ${round}\n`),
      );
      const early = round % 2 === 0 ? world.edit(id, { answer: `person ${round}` }) : undefined;
      const [ran] = await Promise.all([
        checkout.run("faq push --yes"),
        early ?? world.edit(id, { answer: `person ${round}` }),
      ]);
      exits.add(ran.exit);
      expect([0, 7]).toContain(ran.exit);
      const [a, b] = await answers();
      expect(a).toBe(`person ${round}`);
      expect(b === `push ${round}`).toBe(ran.exit === 0);
      await checkout.run(`faq pull --take theirs ${id}`);
    }
    expect([...exits].sort()).toEqual([0, 7]);
  }, 300_000);
});
