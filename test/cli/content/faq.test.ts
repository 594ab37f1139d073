import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { png } from "../../support/files/sample-files.ts";
import { type Service, startService } from "../../support/service/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** An app with an empty FAQ, and a command line with its key. */
async function newApp() {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner, { name: "Pocket Atlas" });
  const server = { INNKEEP_BASE_URL: service.baseUrl };
  const line = await createCommandLine({ ...server, INNKEEP_API_KEY: app.key });
  const create = async (question: string, ...flags: string[]) => {
    const argv = ["faq", "create", "--question", question, "--answer", "So.", "--fields", "id", ...flags];
    return (await line.run(argv)).stdout.trim();
  };
  const token = await service.makeToken(owner, "maintainer", { scopes: ["faqs:write", "apps:read"] });
  const maintainer = await createCommandLine({ ...server, INNKEEP_TOKEN: token });
  return { app, owner, line, create, maintainer };
}

describe("the command faq list", () => {
  it("prints complete tab-separated values in their order in a pipe, without headings", async () => {
    const { line, create } = await newApp();
    const second = await create("Second?", "--sort-order", "2");
    const first = await create("First?\nReally?", "--sort-order", "1");
    expect((await line.run(["faq", "list"])).stdout).toBe(
      `${first}\t1\tFirst?\\nReally?\tSo.\n${second}\t2\tSecond?\tSo.\n`,
    );
  });

  it("prints a table on a terminal that is not wider than the terminal", async () => {
    const { line, create } = await newApp();
    await create("Why? ".repeat(40));
    const { stdout } = await line.run(["faq", "list", "--no-color"], { terminal: true });
    const [heading, ...rows] = stdout.trimEnd().split("\n");
    expect(heading).toMatch(/^ID +ORDER +QUESTION +ANSWER$/);
    expect(rows.every((row) => row.length <= 80)).toBe(true);
  });

  it("says on a terminal that there are no entries", async () => {
    const { line } = await newApp();
    expect(await line.run(["faq", "list"], { terminal: true })).toMatchObject({
      stdout: "",
      stderr: "Nothing to list.\n",
    });
  });

  it("prints one object with --json", async () => {
    const { line, create } = await newApp();
    const id = await create("How?");
    const ran = await line.run(["faq", "list", "--json", "--fields", "id,question"]);
    expect(ran.json()).toEqual({ items: [{ id, question: "How?" }] });
  });

  it.each(["faqs list", "faq ls", "faqs ls"])("can also be called as %s", async (words) => {
    const { line, create } = await newApp();
    const id = await create("How?");
    expect((await line.run([...words.split(" "), "--fields", "id"])).stdout).toBe(`${id}\n`);
  });
});

describe("the command faq view", () => {
  it("shows one entry", async () => {
    const { line, create } = await newApp();
    const id = await create("How?");
    const { stdout } = await line.run(["faq", "view", id.toUpperCase()]);
    expect(stdout).toContain(`id         ${id}\nquestion   How?\nanswer     So.\n`);
  });

  it("ends with exit code 6 for an unknown entry, and names a useful command", async () => {
    const { line } = await newApp();
    expect(await line.run(["faq", "show", "nobody"])).toMatchObject({
      exit: 6,
      stdout: "",
      stderr: "error: There is no FAQ entry nobody.\n`innkeep faq list` lists all.\n",
    });
  });
});

describe("the command faq create", () => {
  it("prints the whole entry with --json, and nothing else", async () => {
    const { line } = await newApp();
    const argv = ["faq", "create", "--question", "How?", "--answer", "So.", "--sort-order", "-7", "--json"];
    const ran = await line.run(argv);
    expect(ran.json()).toEqual({ id: expect.any(String), question: "How?", answer: "So.", sortOrder: -7 });
    expect(ran.stderr).toBe("");
  });

  it("reads text from standard input and from a file", async () => {
    const { line } = await newApp();
    await writeFile(join(line.cwd, "answer.md"), "From a *file*.\n");
    const argv = ["faq", "create", "--question", "-", "--answer", "@answer.md", "--json"];
    const ran = await line.run(argv, { stdin: "From a pipe?\n" });
    expect(ran.json()).toMatchObject({ question: "From a pipe?", answer: "From a *file*." });
  });

  it("reads @@ at the beginning as a text that begins with @", async () => {
    const { line } = await newApp();
    const argv = ["faq", "create", "--question", "@@you?", "--answer", "So.", "--fields", "question"];
    expect((await line.run(argv)).stdout).toBe("@you?\n");
  });

  it("names the flag of a file that it cannot read", async () => {
    const { line } = await newApp();
    expect(await line.run(["faq", "create", "--question", "@gone.txt", "--answer", "So."])).toMatchObject({
      exit: 2,
      stderr: "error: --question: the file gone.txt cannot be read (it does not exist).\n",
    });
  });

  it("names every fault that the server reports", async () => {
    const { line } = await newApp();
    const ran = await line.run(["faq", "create", "--question", "", "--answer", " "]);
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain("  --question must not be empty\n  --answer must not be empty\n");
  });

  it("names the flag of a missing value", async () => {
    const { line } = await newApp();
    expect(await line.run(["faq", "create", "--question", "How?"], { terminal: true })).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("--answer is missing"),
    });
  });
});

describe("the command faq edit", () => {
  it("changes only the given fields", async () => {
    const { line, create } = await newApp();
    const id = await create("How?");
    const ran = await line.run(["faq", "edit", id, "--answer", "Otherwise.", "--json"]);
    expect(ran.json()).toMatchObject({ id, question: "How?", answer: "Otherwise." });
  });

  it("is refused if it has no change", async () => {
    const { line, create } = await newApp();
    expect(await line.run(["faq", "edit", await create("How?")])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("Give --question, --answer or --sort-order."),
    });
  });
});

describe("the command faq delete", () => {
  it("needs --yes without a terminal, and otherwise deletes nothing", async () => {
    const { line, create } = await newApp();
    const id = await create("How?");
    expect(await line.run(["faq", "delete", id])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("Add --yes to continue without a question."),
    });
    expect((await line.run(["faq", "list"])).stdout).toContain(id);
  });

  it("deletes an entry with --yes", async () => {
    const { line, create } = await newApp();
    const id = await create("How?");
    expect((await line.run(["faq", "rm", id, "--yes", "--json"])).json()).toEqual({ success: true, id });
    expect((await line.run(["faq", "list"])).stdout).toBe("");
  });

  it.each([
    ["y", 0, ""],
    ["n", 2, "error: Nothing was changed.\n"],
    ["", 2, "error: Nothing was changed.\n"],
  ])("asks on a terminal, and respects the answer %j", async (answer, exit, stderr) => {
    const { line, create } = await newApp();
    const id = await create("How?");
    const questions: string[] = [];
    const typed = (question: string) => {
      questions.push(question);
      return answer;
    };
    const ran = await line.run(["faq", "delete", id, "--no-color"], { terminal: true, typed });
    expect(ran.exit).toBe(exit);
    expect(ran.stderr).toContain(stderr);
    expect(questions).toEqual([`Delete FAQ entry ${id} permanently? [y/N] `]);
  });
});

describe("the FAQ commands with a maintainer token", () => {
  it("have access to the FAQ of the token's only app", async () => {
    const { maintainer, create } = await newApp();
    const id = await create("How?");
    expect((await maintainer.run(["faq", "list", "--fields", "id"])).stdout).toBe(`${id}\n`);
  });

  it("need the name of the app if there are several, and list the apps", async () => {
    const { maintainer, owner, app } = await newApp();
    await service.makeApp(owner, { name: "Second" });
    const ran = await maintainer.run(["faq", "list"]);
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain(`${app.id}  Pocket Atlas`);
    expect((await maintainer.run(["faq", "list", "--app", app.id])).exit).toBe(0);
    expect((await maintainer.run(["faq", "list"], { env: { INNKEEP_APP: "Second" } })).exit).toBe(0);
  });

  it("can also write", async () => {
    const { maintainer } = await newApp();
    const made = await maintainer.run([
      "faq",
      "create",
      "--question",
      "How?",
      "--answer",
      "So.",
      "--fields",
      "id",
    ]);
    const id = made.stdout.trim();
    expect((await maintainer.run(["faq", "edit", id, "--question", "Why?"])).exit).toBe(0);
    expect((await maintainer.run(["faq", "delete", id, "--yes"])).exit).toBe(0);
  });

  it.each(["Nowhere", "00000000-0000-4000-8000-000000000000"])("do not find the app %s", async (app) => {
    const { maintainer } = await newApp();
    expect((await maintainer.run(["faq", "list", "--app", app])).exit).toBeOneOf([2, 6]);
  });
});

describe("the command faq picture", () => {
  it("prints the Markdown of each stored picture", async () => {
    const { app, maintainer } = await newApp();
    await writeFile(join(maintainer.cwd, "screen.png"), png().bytes);
    const argv = ["faq", "picture", "screen.png", "--app", app.id];
    const { stdout, exit } = await maintainer.run([...argv, "--fields", "markdown"]);
    expect(exit).toBe(0);
    const [, url = ""] = /^!\[screen\]\((.*)\)\n$/.exec(stdout) ?? [];
    expect((await fetch(url)).status).toBe(200);
  });

  it("refuses a file that is not a picture before anything is sent", async () => {
    const { app, maintainer } = await newApp();
    await writeFile(join(maintainer.cwd, "notes.txt"), "Hello.");
    const answer = await maintainer.run(["faq", "picture", "notes.txt", "--app", app.id]);
    expect(answer).toMatchObject({ exit: 2, stderr: expect.stringContaining("must be PNG") });
  });
});

describe("the command faq drafts", () => {
  it("writes, lists, publishes and restores drafts", async () => {
    const { app, line, create, maintainer } = await newApp();
    const run = (...argv: string[]) => maintainer.run(["faq", ...argv, "--app", app.id, "--fields", "id"]);
    const id = (await run("create", "--question", "How?", "--answer", "A.", "--draft")).stdout.trim();
    expect((await line.run(["faq", "list"])).stdout).toBe("");
    expect((await run("list", "--drafts")).stdout).toBe(`${id}\n`);
    expect((await run("publish", id.slice(0, 13))).exit).toBe(0);
    expect((await line.run(["faq", "list", "--fields", "answer"])).stdout).toBe("A.\n");
    await run("edit", id, "--answer", "B.", "--draft");
    expect((await line.run(["faq", "list", "--fields", "answer"])).stdout).toBe("A.\n");
    await run("publish", id);
    const version = (await run("history", id)).stdout.trim();
    expect((await run("restore", id, "--to", version)).exit).toBe(0);
    expect((await run("discard", id)).exit).toBe(0);
    expect((await run("list", "--drafts")).stdout).toBe("");
    expect(await create("Other?")).not.toBe("");
  });
});
