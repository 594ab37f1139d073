import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type AppWithFaqFiles, withFaqFiles } from "../../support/worlds/app-with-faq-files.ts";

let world: AppWithFaqFiles;
let id: string;
withFaqFiles(async (made) => {
  world = made;
  id = await world.create("How?", "So.");
});

/** Runs `faq edit` on a terminal with an editor that makes this change. */
async function edit(
  change: (text: string) => string | Promise<string>,
  options: { env?: Readonly<Record<string, string>>; status?: number; words?: string } = {},
) {
  const { env = { EDITOR: "nano -w" }, status = 0, words = `faq edit ${id.slice(0, 13)}` } = options;
  const opened: { command: string; file: string; text: string }[] = [];
  const openEditor = async (command: string, file: string) => {
    const text = await readFile(file, "utf8");
    opened.push({ command, file, text });
    await writeFile(file, await change(text));
    return status;
  };
  const ran = await world.checkout.run(words, { terminal: true, env, world: { openEditor } });
  return { ran, opened };
}

describe("the command faq edit without flags", () => {
  it("opens the entry as one document in the editor, and saves the changes", async () => {
    const { ran, opened } = await edit((text) =>
      text.replace("So.", "Like *this*.").replace("How?", "How now?"),
    );
    expect(opened).toEqual([
      {
        command: "nano -w",
        file: expect.stringMatching(/how\.md$/),
        text: "---\nquestion: How?\nsortOrder: 1\n---\nSo.\n",
      },
    ]);
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toContain(`Changed FAQ entry ${id}.`);
    expect(await world.list()).toEqual([{ id, question: "How now?", answer: "Like *this*.", sortOrder: 1 }]);
    await expect(readFile(opened[0]?.file ?? "")).rejects.toThrow("ENOENT");
  });

  it.each([
    [{ VISUAL: "code --wait", EDITOR: "nano" }, "code --wait"],
    [{ VISUAL: "", EDITOR: "nano" }, "nano"],
    [{}, "vi"],
  ])("uses the editor of the variables %j: %s", async (env, command) => {
    const { opened } = await edit((text) => text, { env });
    expect(opened).toMatchObject([{ command }]);
  });

  it("sends nothing if the text was not changed, and can print JSON", async () => {
    world.checkout.sent.length = 0;
    const { ran } = await edit((text) => text, { words: `faq edit ${id} --json` });
    expect(ran.exit).toBe(0);
    expect(ran.json()).toMatchObject({ id, question: "How?" });
    expect(world.checkout.sent).toEqual(["GET"]);
  });

  it("changes nothing if the editor fails", async () => {
    const { ran } = await edit((text) => text.replace("So.", "No."), { status: 1 });
    expect(ran).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("The editor `nano -w` ended with status 1."),
    });
    expect(await world.list()).toMatchObject([{ answer: "So." }]);
  });

  it.each([
    ["a broken front matter", (text: string) => text.replace("question: How?", "question: How: why?"), 2],
    ["an empty answer", (text: string) => text.replace("So.", ""), 2],
    ["a text that the server refuses", (text: string) => text.replace("So.", "x".repeat(20_001)), 2],
    [
      "an entry that a colleague changed meanwhile",
      async (text: string) => {
        await world.edit(id, { answer: "Theirs." });
        return text.replace("So.", "Mine.");
      },
      7,
    ],
    [
      "an entry that a colleague deleted meanwhile",
      async (text: string) => {
        await world.remove(id);
        return text.replace("So.", "Mine.");
      },
      6,
    ],
  ])("keeps the text in a file, and names the file, for %s", async (_, change, exit) => {
    let written = "";
    const { ran } = await edit(async (text) => {
      written = await change(text);
      return written;
    });
    expect(ran.exit).toBe(exit);
    const [, file = ""] = /^Your text is in (.*)$/m.exec(ran.stderr) ?? [];
    expect(file).toContain(world.checkout.line.stateFolder);
    expect(await readFile(file, "utf8")).toBe(written);
    expect((await world.list()).map(({ answer }) => answer)).not.toContain("Mine.");
  });

  it("prints the text if it cannot be stored anywhere", async () => {
    await world.checkout.write("file", "");
    const env = { EDITOR: "vi", INNKEEP_STATE_DIR: `${world.checkout.line.cwd}/file` };
    const { ran } = await edit((text) => text.replace("So.", `Precious. ${"x".repeat(20_000)}`), { env });
    expect(ran).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("Your text:\n---\nquestion: How?\n"),
    });
    expect(ran.stderr).toContain("Precious.");
  });

  it("opens no editor without a terminal, in CI, and with --no-input", async () => {
    const openEditor = () => expect.unreachable("An editor was opened.");
    for (const options of [{}, { terminal: true, env: { CI: "1" } }])
      expect(await world.checkout.run(`faq edit ${id}`, { ...options, world: { openEditor } })).toMatchObject(
        {
          exit: 2,
          stderr: expect.stringContaining(
            "Without these flags, the command opens your editor, but only on a terminal.",
          ),
        },
      );
    const ran = await world.checkout.run(`faq edit ${id} --no-input`, {
      terminal: true,
      world: { openEditor },
    });
    expect(ran.exit).toBe(2);
  });
});

describe("the command faq reorder", () => {
  const questions = async () => (await world.list()).map(({ question }) => question).join(" ");

  it("moves entries in the given order to the top, or after another entry, with few changes", async () => {
    const [b, c, d] = [await world.create("B?"), await world.create("C?"), await world.create("D?")];
    expect(await questions()).toBe("How? B? C? D?");
    world.checkout.sent.length = 0;
    expect((await world.checkout.run(`faq reorder ${c} ${b}`)).exit).toBe(0);
    expect(await questions()).toBe("C? B? How? D?");
    expect(world.checkout.sent).toEqual(["GET", "PATCH", "PATCH"]);
    expect((await world.checkout.run(`faq reorder ${c} --after ${d} --json`)).json()).toMatchObject({
      items: [{ question: "B?" }, { question: "How?" }, { question: "D?" }, { id: c }],
    });
    expect(await questions()).toBe("B? How? D? C?");
    world.checkout.sent.length = 0;
    await world.checkout.run(`faq reorder ${b}`);
    expect(world.checkout.sent).toEqual(["GET"]);
  });

  it("changes only the necessary positions, also in files", async () => {
    const ids: string[] = [];
    for (const question of ["B?", "C?", "D?", "E?", "F?"]) ids.push(String(await world.create(question)));
    await world.checkout.run("faq pull");
    world.checkout.sent.length = 0;
    await world.checkout.run(`faq reorder ${ids[4]}`);
    expect(await questions()).toBe("F? How? B? C? D? E?");
    expect(world.checkout.sent).toEqual(["GET", "PATCH"]);
    expect((await world.checkout.run("faq pull --json")).json()).toMatchObject({
      changed: [{ question: "F?" }],
      unchanged: 5,
    });
    world.checkout.sent.length = 0;
    await world.checkout.run(`faq reorder ${ids[0]} --after ${ids[3]}`);
    expect(await questions()).toBe("F? How? C? D? E? B?");
    expect(world.checkout.sent).toEqual(["GET", "PATCH"]);
    await world.checkout.run(`faq reorder ${ids[0]} --after ${ids[4]}`);
    expect(await questions()).toBe("F? B? How? C? D? E?");
  });

  it("orders entries that have the same position", async () => {
    const b = await world.create("B?", "So.", { sortOrder: 1 });
    await world.create("C?", "So.", { sortOrder: 1 });
    await world.checkout.run(`faq reorder ${b}`);
    expect(await questions()).toBe("B? How? C?");
  });

  it.each([
    [() => `${id} ${id}`, "An entry is named twice."],
    [() => `${id} --after ${id}`, "--after names an entry that is moved itself."],
  ])("refuses a list that is not a valid order", async (words, message) => {
    const ran = await world.checkout.run(`faq reorder ${words()}`);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining(message) });
  });

  it.each([
    ["moved", "00000000-0000-4000-8000-000000000000"],
    ["moved, by the start of its id,", "00000000"],
    ["named by --after", "ID --after 00000000-0000-4000-8000-000000000000"],
  ])("ends with exit code 6 if an entry that is %s does not exist", async (_, words) => {
    const ran = await world.checkout.run(`faq reorder ${words.replace("ID", id)}`);
    expect(ran).toMatchObject({ exit: 6, stderr: expect.stringContaining("FAQ entry") });
  });
});
