import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { startFeedbackSending } from "../../support/clients/feedback-sending.ts";
import { inputPath, inputText } from "../../support/files/inputs.ts";
import { readPdf } from "../../support/files/read-pdf.ts";

const logs = [
  ["log-ansi.log", ["FAIL test a 100% done link"]],
  [
    "log-ansi-pytest-japanese.log",
    ["============ test session starts ============", "F.  [ 50%]", "E   AssertionError: 画面が空です"],
  ],
  ["log-ansi-npm-spinner.log", ["npm error Größe falsch"]],
  ["log-ansi-docker-cursor-up.log", ["#1 pull layer 100%", "#2 pull layer 100%", "job 1 failed"]],
  ["log-progress-bar-windows.log", ["Downloading [==========] 100%", "C:\\app>     error CS0103"]],
] as const;

const feedback = ["feedback", "send", "--type", "bug", "--subject", "s"];

async function sentWith(flags: readonly string[], input: string, stdin = "") {
  const { line, bodies } = await startFeedbackSending();
  await copyFile(inputPath(input), join(line.cwd, input));
  expect(await line.run([...feedback, ...flags], { stdin })).toMatchObject({ exit: 0 });
  return bodies()[0];
}

describe.each(logs)("the log %s, as a terminal shows it,", (input, lines) => {
  const text = lines.join("\n");

  it("is the message if it comes from a file, from standard input or as a value", async () => {
    const log = await inputText(input);
    const given = [
      await sentWith(["--message", `@${input}`], input),
      await sentWith(["--message", "-"], input, log),
      await sentWith(["--message", log], input),
    ];
    expect(given.map(({ message }) => message)).toEqual([text, text, text]);
  });

  it("is on the pages of an attachment, with the unchanged file within", async () => {
    const { attachments } = await sentWith(["--message", "m", "--attach", input], input);
    const bytes = Buffer.from(attachments[0].data.replace(/^.*?,/, ""), "base64");
    const { pages, files } = await readPdf(bytes);
    const shown = lines.map((line) =>
      line.replace(/[^ -~ß-ÿ]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`).trimEnd(),
    );
    expect(pages).toEqual([shown]);
    expect(files[0]?.bytes.toString()).toBe(await inputText(input));
  });
});

describe("a text with control sequences for a terminal", () => {
  const id = "0197b3a0-0000-7000-8000-00000000000a";

  it.each([
    ["a proposal", ["agent", "propose", id, "--summary", "@log", "--plan", "p"], "summary"],
    ["its plan", ["agent", "propose", id, "--summary", "s", "--plan", "@log"], "plan"],
    ["a note", ["feedback", "note", id, "--body", "@log"], "body"],
    ["a reply", ["feedback", "reply", id, "--body", "@log"], "body"],
    ["a release note", ["changelog", "create", "--title", "t", "--version", "1", "--body", "@log"], "body"],
    ["an answer of the FAQ", ["faq", "create", "--question", "q", "--answer", "@log"], "answer"],
  ])("is stored as a terminal shows it in %s", async (_, command, field) => {
    const line = await createCommandLine({
      INNKEEP_BASE_URL: "http://127.0.0.1:9",
      INNKEEP_APP: id,
      INNKEEP_TOKEN: "sdm_x",
      INNKEEP_AGENT_TOKEN: "sda_x",
    });
    await copyFile(inputPath("log-ansi.log"), join(line.cwd, "log"));
    const ran = await line.run([...command, "--dry-run", "--json"]);
    expect(ran.json()).toMatchObject({ body: { [field]: "FAIL test a 100% done link" } });
  });

  it("is stored as a terminal shows it in the notes of a release", async () => {
    const line = await createCommandLine({
      INNKEEP_BASE_URL: "http://127.0.0.1:9",
      INNKEEP_APP: id,
      INNKEEP_TOKEN: "sdm_x",
    });
    await copyFile(inputPath("log-ansi.log"), join(line.cwd, "log"));
    const ran = await line.run("changelog release --version 1.0.0 --notes @log --dry-run --json".split(" "));
    expect(ran.stdout).toContain("FAIL test a 100% done link");
  });
});
