import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type AppWithFaqFiles,
  type FaqCheckout,
  markdown,
  withFaqFiles,
} from "../../support/worlds/app-with-faq-files.ts";

let world: AppWithFaqFiles;
let checkout: FaqCheckout;
withFaqFiles((made) => {
  world = made;
  checkout = world.checkout;
});

const id = "01a1fda4-237d-759b-ad89-7cf5663516dc";
const good = markdown({ question: "Good?" }, "So.");

/** Runs a command that is refused because of its files. It must send no request and change no file. */
async function refused(words: string) {
  const before = await checkout.all();
  checkout.sent.length = 0;
  const ran = await checkout.run(words);
  expect(ran).toMatchObject({ exit: 2, stdout: "" });
  expect(checkout.sent).toEqual([]);
  expect(await checkout.all()).toEqual(before);
  return ran.stderr;
}

describe("FAQ files with faults", () => {
  it("are refused in one answer that names each fault, and nothing is changed", async () => {
    await checkout.write("faq/a.md", markdown({ id, question: "A?" }, "So."));
    await checkout.write("faq/b.md", markdown({ id: id.toUpperCase(), question: "B?" }, "So."));
    await checkout.write("faq/c.md", good);
    await checkout.write("faq/d.md", good);
    await checkout.write("faq/e.md", "# Only a question?\n");
    await checkout.write("faq/f.md", "---\nquestion: How: why?\n---\nSo.\n");
    await checkout.write("faq/g.md", "---\nid: 7\nquestion: 42\nsortOrder: first\n---\n\n");
    await checkout.write("faq/h.md", "---\nquestion: A?\nquestion: B?\n---\nSo.\n");
    await checkout.write("faq/i.md", "---\nquestion: Open?\nSo.\n");
    await checkout.write("faq/j.md", "---\n- a list\n---\nSo.\n");
    await writeFile(
      join(checkout.line.cwd, "faq/k.md"),
      Buffer.from("---\nquestion: \xff\n---\nSo.\n", "latin1"),
    );
    for (const words of ["faq push --yes", "faq push --dry-run", "faq diff", "faq pull"]) {
      const stderr = await refused(words);
      expect(stderr.split("\n").slice(0, -1)).toEqual([
        "error: Nothing was changed. 12 things are wrong:",
        "  faq/e.md has no answer",
        expect.stringMatching(
          /^ {2}faq\/f\.md has a broken front matter: .* at line 2, column 11\. .*needs quotes$/,
        ),
        "  faq/g.md has a question that is not a text. Put it in quotes",
        "  faq/g.md has no answer",
        "  faq/g.md has an `id` that is not a valid id",
        "  faq/g.md has a `sortOrder` that is not a whole number",
        expect.stringMatching(
          /^ {2}faq\/h\.md has a broken front matter: Map keys must be unique at line 3, column 1$/,
        ),
        expect.stringMatching(/^ {2}faq\/i\.md begins with `---`, but has no second/),
        expect.stringMatching(/^ {2}faq\/j\.md has a broken front matter/),
        "  faq/k.md is not UTF-8 text",
        expect.stringMatching(/^ {2}faq\/b\.md has the same id as faq\/a\.md: delete one of them/),
        expect.stringMatching(/^ {2}faq\/d\.md asks the same question as faq\/c\.md: delete one of them/),
      ]);
    }
  });

  it("are refused with one JSON document if the flag is --json", async () => {
    await checkout.write("faq/e.md", "---\nNo end.\n");
    const ran = await checkout.run("faq push --yes --json");
    expect(ran.stdout).toBe("");
    expect(JSON.parse(ran.stderr)).toMatchObject({
      code: "usage",
      issues: [{ path: "faq/e.md" }],
      exitCode: 2,
    });
  });

  it.each([
    ["an empty folder", "faq/README.md", "Read me.\n", "faq push --yes", "faq has no FAQ entries."],
    ["no folder", "other.txt", "", "faq push --yes", "faq does not exist."],
    ["no file", "other.txt", "", "faq diff faq.yaml", "faq.yaml does not exist."],
    ["an empty list", "faq.yaml", "[]\n", "faq push faq.yaml --yes", "faq.yaml has no FAQ entries."],
    ["a file in place of a folder", "faq", "text", "faq push --yes", "faq is not a folder."],
    ["a folder in place of a file", "faq.json/a.md", good, "faq pull faq.json", "faq.json is a folder."],
    ["a name of a file for a folder", "a.md", good, "faq pull all.txt", "all.txt has the name of a file"],
    ["YAML that is no list", "faq.yaml", "question: A?\n", "faq diff faq.yaml", "must be a list of entries"],
    ["broken YAML", "faq.yaml", "- question: A: B\n", "faq diff faq.yaml", "faq.yaml is broken: "],
    [
      "a quotation mark without an end",
      "faq/a.md",
      '---\nquestion: "A?\n---\n\nB.\n',
      "faq push --yes",
      'faq/a.md has a broken front matter: a quotation mark (") without an end at line 3, column 1',
    ],
    ["broken JSON", "faq.json", "[{]", "faq diff faq.json", "faq.json is broken: "],
    [
      "a text that refers to itself without end",
      "faq.yaml",
      bomb(),
      "faq diff faq.yaml",
      "Excessive alias count",
    ],
    ["an element without texts", "faq.json", "[{}, 7]", "faq diff faq.json", "faq.json#2 has no answer"],
  ])("cause one sentence about the fault: %s", async (_, name, text, words, message) => {
    await checkout.write(name, text);
    expect(await refused(words)).toContain(message);
  });

  it("that contain conflict marks of a merge are named", async () => {
    await checkout.write("faq/a.md", good);
    await checkout.write("faq/.innkeep-faq.json", "{\n<<<<<<< HEAD\n");
    expect(await refused("faq push --yes")).toContain(".innkeep-faq.json is damaged, perhaps by a merge.");
  });

  it("that are too long for the server are named together, and nothing is changed", async () => {
    await world.create("Present?");
    await checkout.run("faq pull");
    const before = await world.list();
    await checkout.write("faq/long.md", markdown({ question: "x".repeat(501) }, "😀".repeat(20_001)));
    await checkout.write("faq/far.md", markdown({ question: "Far?", sortOrder: 2_147_483_648 }, "So."));
    expect((await checkout.run("faq push --yes")).stderr).toBe(
      "error: Nothing was changed. 3 things are wrong:\n" +
        "  faq/far.md has a sortOrder outside -2147483648 to 2147483647\n" +
        "  faq/long.md has a question of 501 characters: at most 500\n" +
        "  faq/long.md has an answer of 20001 characters: at most 20000\n",
    );
    expect(await world.list()).toEqual(before);
  });

  it("that only the server can refuse are also named by their files", async () => {
    await checkout.write("faq/a.md", good);
    await checkout.write("faq/long.md", markdown({ question: "Long?" }, "x".repeat(20_001)));
    expect(await checkout.run("faq push --yes")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("  faq/long.md answer must have at most 20000 characters\n"),
    });
    expect(await world.list()).toEqual([]);
  });
});

describe("FAQ files without faults", () => {
  it("can have a byte order mark, Windows line ends, 20,000 characters, and no line end at their end", async () => {
    const answer = "😀".repeat(10_000) + "é".repeat(10_000);
    await checkout.write("faq/a.md", `\ufeff---\r\nquestion: A?\r\n---\r\nOne.\r\n\r\nTwo.\r\n`);
    await checkout.write("faq/b.md", `---\nquestion: B?\n---\n${answer}`);
    expect((await checkout.run("faq push --yes")).exit).toBe(0);
    const [a, b] = await world.list();
    expect([a?.answer, b?.answer]).toEqual(["One.\n\nTwo.", answer]);
    expect(await checkout.read("faq/a.md")).toBe(
      `\ufeff---\r\nid: ${a?.id}\r\nquestion: A?\r\n---\r\nOne.\r\n\r\nTwo.\r\n`,
    );
    expect((await checkout.run("faq diff --exit-code")).exit).toBe(0);
  });

  it("are read, but not a README, hidden files and links to folders in the same folder", async () => {
    await checkout.write("faq/a.md", good);
    await checkout.write("faq/README.md", "Read me.\n");
    await checkout.write("faq/.draft.md", "Hidden.\n");
    await checkout.write("faq/.trash/b.md", "Hidden.\n");
    await symlink("..", join(checkout.line.cwd, "faq", "up"));
    expect((await checkout.run("faq push --yes")).exit).toBe(0);
    expect(await world.list()).toHaveLength(1);
  });
});

/** YAML that grows tenfold with each line. */
function bomb(): string {
  const lines = Array.from({ length: 9 }, (_, at) => `- &a${at + 1} [${`*a${at},`.repeat(10)}]\n`);
  return `- &a0 lol\n${lines.join("")}`;
}
