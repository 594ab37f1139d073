import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { appKey } from "../../support/clients/client-with-credentials.ts";
import { listen } from "../../support/network/recording-server.ts";
import { type FaqCheckout, makeCheckout, markdown } from "../../support/worlds/app-with-faq-files.ts";

const id = (at: number) => `01a1fda4-237d-759b-ad89-7cf5663516d${at}`;
const idOf = (at: number) => `01a1fda4-237d-759b-ad89-${String(at).padStart(12, "0")}`;
const entry = (at: number, more: object = {}) => ({
  id: id(at),
  question: `Question ${at}?`,
  answer: "So.",
  sortOrder: at,
  ...more,
});

/** A checkout of a server that answers each list in turn, the last one repeatedly. */
async function checkoutOf(...lists: readonly unknown[]) {
  const left = [...lists];
  const server = {
    /** Called before each answer. */
    onRead: async (): Promise<void> => {},
  };
  const baseUrl = await listen(async (_, response) => {
    await server.onRead();
    const list = left.length > 1 ? left.shift() : left[0];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(typeof list === "string" ? list : JSON.stringify(list));
  });
  const checkout = await makeCheckout({ INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: appKey });
  return { checkout, server };
}

const pathIn = ({ line }: FaqCheckout, name: string) => join(line.cwd, name);

describe("a hostile server cannot change files through `faq pull`", () => {
  const good = [entry(1), entry(2)];
  it.each([
    ["an object", { error: "maintenance" }],
    ["an element that is null", [null]],
    ["an element that is an object without fields", [{}]],
    ["an id that is a path", [entry(1, { id: "../../.bashrc" })]],
    ["an id that is a number", [entry(1, { id: 7 })]],
    ["the same id twice", [entry(1), entry(1, { id: id(1).toUpperCase() })]],
    ["a question that is a list", [entry(1, { question: ["a"] })]],
    ["an answer that is missing", [entry(1, { answer: undefined })]],
    ["a position that is no number", [entry(1, { sortOrder: "first" })]],
    [
      "a position without end",
      '[{"id":"01a1fda4-237d-759b-ad89-7cf5663516d1","question":"a","answer":"b","sortOrder":1e999}]',
    ],
    ["deep nesting", `${"[".repeat(200_000)}${"]".repeat(200_000)}`],
  ])("with a list that has %s", async (_, bad) => {
    const { checkout } = await checkoutOf(good, bad);
    expect((await checkout.run("faq pull")).exit).toBe(0);
    const before = await checkout.all();
    for (const words of ["faq pull", "faq diff", "faq push --yes --prune"]) {
      const ran = await checkout.run(words);
      expect(ran.exit, words).not.toBe(0);
      expect(ran.stdout).toBe("");
      expect(ran.stderr).not.toContain("    at ");
    }
    expect(await checkout.all()).toEqual(before);
  });

  it("outside the folder, with any questions", async () => {
    const questions = [
      "../../up",
      "/etc/passwd",
      "C:\\con",
      "CON",
      "a\0b",
      ".git/config",
      "é".repeat(500),
      "\u202e\u0000",
      "README",
      "a\nb",
    ];
    const { checkout } = await checkoutOf(questions.map((question, at) => entry(at, { question })));
    expect((await checkout.run("faq pull")).exit).toBe(0);
    const names = await checkout.names();
    expect(names).toHaveLength(questions.length);
    for (const name of names) expect(name).toMatch(/^faq\/[\p{L}\p{N}-]+\.md$/u);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(questions.length);
  });
});

describe("a hostile repository cannot make FAQ commands use other files", () => {
  it("through a file that is a link to a place outside the folder", async () => {
    const { checkout } = await checkoutOf([entry(1, { answer: "Other." })]);
    const secret = markdown({ id: id(1), question: "Question 1?" }, "Secret.");
    await checkout.write("outside.md", secret);
    await mkdir(pathIn(checkout, "faq"));
    await symlink("../outside.md", pathIn(checkout, "faq/a.md"));
    for (const words of ["faq pull", "faq diff", "faq push --yes"]) {
      const ran = await checkout.run(words);
      expect(ran.exit).toBe(2);
      expect(ran.stderr).toContain("faq/a.md is a link that leads out of the folder");
      expect(ran.stdout + ran.stderr).not.toContain("Secret");
    }
    expect(await readFile(pathIn(checkout, "outside.md"), "utf8")).toBe(secret);
  });

  it.each(["faq", "docs/faq", "list.yaml"])(
    "through %s as a link to a place outside the folder",
    async (path) => {
      const { checkout } = await checkoutOf([entry(1)]);
      const outside = join(checkout.line.cwd, "..", "outside");
      await mkdir(outside);
      await mkdir(pathIn(checkout, "docs"));
      if (path === "list.yaml") await writeFile(join(outside, "list.yaml"), "[]\n");
      await symlink(join(outside, path === "list.yaml" ? path : ""), pathIn(checkout, path));
      const before = await readdir(outside);
      for (const words of [`faq pull ${path}`, `faq diff ${path}`, `faq push --yes --prune ${path}`])
        expect(await checkout.run(words)).toMatchObject({
          exit: 2,
          stderr: expect.stringContaining(`${path} leads through a link to`),
        });
      expect(await readdir(outside)).toEqual(before);
      // A person may pass the folder itself as an argument, and a link to a target inside of it is followed.
      await checkout.run(`faq pull ${join(outside, "own")}`);
      expect(await readdir(join(outside, "own"))).toContain("question-1.md");
      await symlink("docs", pathIn(checkout, "inside"));
      expect((await checkout.run("faq pull inside/more")).exit).toBe(0);
    },
  );

  it("through a link to a file that does not exist yet", async () => {
    const { checkout } = await checkoutOf([entry(1)]);
    await symlink("../made-later", pathIn(checkout, "faq"));
    const ran = await checkout.run("faq pull");
    expect(ran).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("is a link to a path that does not exist"),
    });
  });

  it("through links to devices without an end, or through pipes without a writer", async () => {
    const { checkout } = await checkoutOf([]);
    await mkdir(pathIn(checkout, "faq"));
    await symlink("/dev/zero", pathIn(checkout, "faq/a.md"));
    execFileSync("mkfifo", [pathIn(checkout, "faq/b.md")]);
    await symlink("/dev/zero", pathIn(checkout, "list.yaml"));
    const ran = await checkout.run("faq diff");
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain("faq/a.md is a link that leads out of the folder");
    expect(ran.stderr).toContain("faq/b.md is not a file");
    execFileSync("mkfifo", [pathIn(checkout, "pipe.yaml")]);
    expect((await checkout.run("faq diff pipe.yaml")).stderr).toContain("pipe.yaml is not a file");
    expect((await checkout.run("faq diff list.yaml")).stderr).toContain("leads through a link to /dev/zero");
  });

  it("through a state file that is a link", async () => {
    const { checkout } = await checkoutOf([entry(1)]);
    await checkout.write("settings.json", '{"auths": {"registry": "token"}}');
    await checkout.write("faq/a.md", markdown({ id: id(1), question: "Question 1?" }, "So."));
    await symlink("../settings.json", pathIn(checkout, "faq/.innkeep-faq.json"));
    const ran = await checkout.run("faq pull");
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain(".innkeep-faq.json is a link, or is not a file");
    expect(await readFile(pathIn(checkout, "settings.json"), "utf8")).toBe(
      '{"auths": {"registry": "token"}}',
    );
  });
});

describe("the command `faq pull` while another program writes", () => {
  it("never replaces a file that was created during the pull", async () => {
    const { checkout, server } = await checkoutOf([entry(1)]);
    server.onRead = async () => {
      await mkdir(pathIn(checkout, "faq"), { recursive: true });
      await writeFile(pathIn(checkout, "faq/question-1.md"), "Mine.\n");
    };
    const ran = await checkout.run("faq pull");
    expect(ran.exit).toBe(7);
    expect(ran.stderr).toContain("was changed while this command ran");
    expect(await checkout.all()).toEqual({ "faq/question-1.md": "Mine.\n" });
  });

  it("and a second pull at the same time write each entry once", async () => {
    const { checkout } = await checkoutOf(Array.from({ length: 10 }, (_, at) => entry(at)));
    const ran = await Promise.all([1, 2, 3, 4].map(() => checkout.run("faq pull")));
    expect(ran.map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
    expect(await checkout.names()).toHaveLength(10);
    expect((await checkout.run("faq diff --exit-code")).exit).toBe(0);
  });
});

describe("the file names of `faq pull`", () => {
  it("are all different on Windows and macOS, and different from existing names", async () => {
    const questions = [
      "ΟΔΟΣ",
      "οδοσ",
      "οδος",
      "が",
      "Straße",
      "STRASSE",
      "com¹",
      "Aux.",
      "a:b",
      "A B",
      "a\\b",
    ];
    const { checkout } = await checkoutOf(
      questions.map((question, at) => ({ ...entry(0, { question }), id: idOf(at) })),
    );
    // The name of a file in the form of macOS. The server has no entry with this name.
    const own = "が".normalize("NFD");
    await checkout.write(`faq/${own}.md`, markdown({ question: "Mine?" }, "So."));
    expect((await checkout.run("faq pull")).exit).toBe(0);
    const names = (await checkout.names()).map((name) => name.replace("faq/", ""));
    expect(names).toHaveLength(questions.length + 1);
    const folded = names.map((name) => name.normalize("NFC").toUpperCase());
    expect(new Set(folded).size).toBe(names.length);
    for (const name of names.filter((one) => one !== `${own}.md`)) {
      expect(name).toMatch(/^[\p{L}\p{N}\p{M}-]+\.md$/u);
      expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)\.md$/i);
    }
  });
});
