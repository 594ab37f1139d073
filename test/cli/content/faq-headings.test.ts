import { describe, expect, it } from "vitest";
import { inputText } from "../../support/files/inputs.ts";
import { type AppWithFaqFiles, withFaqFiles } from "../../support/worlds/app-with-faq-files.ts";

let world: AppWithFaqFiles;
withFaqFiles((made) => {
  world = made;
});

describe.each([
  ["faq-heading-only.md", "How do I export?", "Tap Export.", "# ", "\n\nTap Export.\n"],
  [
    "faq-heading-setext-german.md",
    "Wie exportiere ich?",
    "Tippe auf *Export*.\n\nMehr\n----\n\nAls CSV.",
    "",
    "\n===================\n\nTippe auf *Export*.\n\nMehr\n----\n\nAls CSV.\n",
  ],
  [
    "faq-heading-with-front.md",
    "¿Cómo exporto mis datos?",
    "Toca «Exportar».",
    "## ",
    "\n\nToca «Exportar».\n",
  ],
  [
    "faq-heading-windows.md",
    "書き出すには？",
    "「書き出す」を押します。",
    "# ",
    "\r\n\r\n「書き出す」を押します。\r\n",
  ],
  [
    "faq-heading-after-comment.md",
    "Comment j’exporte ?",
    "Touchez « Exporter ».",
    "<!-- Relu par Ada.\n     2026-11 -->\n\n# ",
    "\n\nTouchez « Exporter ».\n",
  ],
])("an FAQ file that begins with a heading: %s", (input, question, answer, signs, rest) => {
  it("takes its question from the heading, and keeps its form after a push and a pull", async () => {
    const { checkout } = world;
    const text = await inputText(input);
    await checkout.write("faq/a.md", text);
    expect((await checkout.run("faq diff --json")).json()).toMatchObject({ created: [{ question }] });
    await checkout.run("faq push --yes");
    const [{ id, ...entry } = { id: "" }] = await world.list();
    expect(entry).toMatchObject({ question, answer });
    const pushed = await checkout.read("faq/a.md");
    expect(pushed).toContain(`id: ${id}`);
    expect(pushed.endsWith(text.replace(/^\ufeff|^---[\s\S]*?---\n/g, ""))).toBe(true);
    expect(pushed.startsWith("\ufeff")).toBe(text.startsWith("\ufeff"));
    if (input.includes("front")) expect(pushed).toContain("tags: [ export ]");
    expect((await checkout.run("faq diff --exit-code")).exit).toBe(0);
    await world.edit(id, { question: "Other?" });
    await checkout.run("faq pull");
    const pulled = await checkout.read("faq/a.md");
    expect(pulled.endsWith(`${signs}Other?${rest}`)).toBe(true);
    expect(pulled).not.toContain("question:");
    expect((await checkout.run("faq diff --exit-code")).exit).toBe(0);
    await world.edit(id, { answer: "New." });
    await checkout.run("faq pull");
    expect(await checkout.read("faq/a.md")).toMatch(/Other\?\r?\n(?:=+\n)?\r?\nNew\.\r?\n$/);
    expect((await checkout.run("faq diff --exit-code")).exit).toBe(0);
  });
});

describe("an FAQ file without a heading", () => {
  it("takes its question from its file name", async () => {
    const { checkout } = world;
    await checkout.write("faq/how-do-i_mute.md", await inputText("faq-name-only.md"));
    await checkout.run("faq push --yes");
    const [entry] = await world.list();
    expect(entry).toMatchObject({ question: "How do i mute", answer: "Tap the bell." });
    await world.edit(entry?.id ?? "", { question: "How do I mute?" });
    await checkout.run("faq pull");
    expect(await checkout.read("faq/how-do-i_mute.md")).toMatch(
      /question: How do I mute\?\n---\nTap the bell\.\n$/,
    );
    expect((await checkout.run("faq diff --exit-code")).exit).toBe(0);
  });
});

it.each(["03-how-do-i-mute.md", "3. how do I mute.md"])(
  "the number in the file name %s is not part of the question",
  async (name) => {
    const { checkout } = world;
    await checkout.write(`faq/${name}`, await inputText("faq-name-only.md"));
    await checkout.run("faq push --yes");
    expect((await world.list()).map(({ question }) => question.toLowerCase())).toEqual(["how do i mute"]);
  },
);

it.each(["CONTRIBUTING.md", "contributing.de.md", "CODE_OF_CONDUCT.md", "docs/CHANGELOG.markdown"])(
  "the project file %s is not an entry, and does not prevent a push",
  async (name) => {
    const { checkout } = world;
    await checkout.write("faq/a.md", await inputText("faq-heading-only.md"));
    await checkout.write(`faq/${name}`, await inputText("faq-not-an-entry-CONTRIBUTING.md"));
    expect(await checkout.run("faq push --yes")).toMatchObject({ exit: 0 });
    expect((await world.list()).map(({ question }) => question)).toEqual(["How do I export?"]);
  },
);
