import { randomBytes } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { send, sendOnce, startFeedbackSending } from "../../support/clients/feedback-sending.ts";
import { inputPath } from "../../support/files/inputs.ts";
import { readPdf } from "../../support/files/read-pdf.ts";
import { pdf } from "../../support/files/sample-files.ts";
import { accepts, hangsUp } from "../../support/network/recording-server.ts";

/** Sends a text file, and returns the name and the bytes that arrived. */
async function attach(name: string, content: string | Buffer) {
  const { line, bodies } = await startFeedbackSending();
  await writeFile(join(line.cwd, name), content);
  const ran = await line.run([...send, "--attach", name]);
  expect(ran).toMatchObject({ exit: 0 });
  const [attachment] = bodies()[0].attachments;
  return { name: attachment.name, bytes: bytesOf(attachment.data) };
}

const bytesOf = (dataUrl: string): Buffer => {
  expect(dataUrl).toMatch(/^data:application\/pdf;base64,/);
  return Buffer.from(dataUrl.slice(dataUrl.indexOf(",") + 1), "base64");
};

const linesOf = async (text: string) => (await readPdf((await attach("a.txt", text)).bytes)).pages.flat();

describe("the command feedback send --attach with a text file", () => {
  it.each(["test.log", "notes.TXT", "report.json", "junit.xml", "böse (1).log", "日本.txt"])(
    "sends %s as a PDF with the text, and with the file within",
    async (file) => {
      const text = 'First line\n\n  indented {"a": [1, 2]}\n<tag/>\n';
      const { name, bytes } = await attach(file, text);
      expect(name).toBe(`${file}.pdf`);
      const { pages, title, files } = await readPdf(bytes);
      expect(pages).toEqual([["First line", '  indented {"a": [1, 2]}', "<tag/>"]]);
      expect(title).toBe(file);
      expect(files).toEqual([{ name: file, bytes: Buffer.from(text) }]);
    },
  );

  it("divides a long log into pages, with each line once and in order", async () => {
    const lines = Array.from({ length: 1_000 }, (_, at) => `line ${at}`);
    const { bytes } = await attach("long.log", lines.join("\n"));
    const { pages } = await readPdf(bytes);
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.flat()).toEqual(lines);
  });

  it("creates a PDF with a correct table of its objects, which readers do not have to repair", async () => {
    const text = (await attach("a.log", "ünïcödé\n".repeat(300))).bytes.toString("latin1");
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]);
    const [, count = "", table = ""] = /^xref\n0 (\d+)\n([\s\S]*?)trailer\n/.exec(text.slice(start)) ?? [];
    const entries = table.match(/[\s\S]{20}/g) ?? [];
    expect([entries.length, entries[0]]).toEqual([Number(count), "0000000000 65535 f \n"]);
    const named = entries.slice(1).map((entry) => text.slice(Number(entry.slice(0, 10))).split("\n", 1)[0]);
    expect(named).toEqual(named.map((_, at) => `${at + 1} 0 obj`));
    const lengths = [...text.matchAll(/\/Length (\d+)>>\nstream\n/g)].map(({ 0: head, 1: length, index }) =>
      text.slice(index + head.length + Number(length)).startsWith("\nendstream"),
    );
    expect(lengths).toEqual(lengths.map(() => true));
  });

  it("divides lines that are wider than a page, and loses no text", async () => {
    const wide = Array.from({ length: 100 }, (_, at) => `<${at}>`).join("");
    const lines = await linesOf(`${wide}\nnext`);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.slice(0, -1).join("")).toBe(wide);
    expect(lines.at(-1)).toBe("next");
  });

  it("shows parentheses and backslashes unchanged", async () => {
    expect(await linesOf("f(a) { return '\\\\n)'; } ((")).toEqual(["f(a) { return '\\\\n)'; } (("]);
  });

  it("shows the characters of western Europe, and shows other characters by their number", async () => {
    expect(await linesOf("Müßiggang – “5 €” … ñ Ž")).toEqual(["Müßiggang – “5 €” … ñ Ž"]);
    expect(await linesOf("✓ ok 😀 日\u000b")).toEqual(["\\u{2713} ok \\u{1f600} \\u{65e5}\\u{b}"]);
  });

  it("leaves out control sequences of terminals, and keeps them in the file within", async () => {
    const text =
      "\u001b[31mred\u001b[0m and \u001b]8;;https://example.org\u0007link\u001b]8;;\u0007\r\n50 %\r100 %";
    const { bytes } = await attach("color.log", text);
    const { pages, files } = await readPdf(bytes);
    expect(pages).toEqual([["red and link", "100 %"]]);
    expect(files[0]?.bytes.toString()).toBe(text);
  });

  it("sets tabs at every eighth column", async () => {
    const { pages } = await readPdf((await attach("a.txt", "a\tb\n12345678\tc")).bytes);
    expect(pages).toEqual([["a       b", "12345678        c"]]);
  });

  it("keeps the PDF for a second attempt, and sends the same PDF again", async () => {
    const { line, bodies, keptId } = await startFeedbackSending(hangsUp, accepts);
    const file = join(line.cwd, "a.log");
    await writeFile(file, "It broke.");
    expect(await line.run([...sendOnce, "--attach", "a.log"])).toMatchObject({ exit: 75 });
    await writeFile(file, "Something else.");
    expect(await line.run(["feedback", "resend", await keptId()])).toMatchObject({ exit: 0 });
    const [first, second] = bodies().map(({ attachments }) => attachments[0]);
    expect(second).toEqual(first);
    expect((await readPdf(bytesOf(second.data))).pages).toEqual([["It broke."]]);
  });

  it("sends the PDF without a copy if no copy can be stored", async () => {
    const { line, bodies } = await startFeedbackSending();
    await writeFile(join(line.cwd, "a.log"), "It broke.");
    await mkdir(join(line.stateFolder, ".."), { recursive: true });
    await writeFile(line.stateFolder, "in the way");
    expect(await line.run([...send, "--attach", "a.log"])).toMatchObject({ exit: 0 });
    expect((await readPdf(bytesOf(bodies()[0].attachments[0].data))).pages).toEqual([["It broke."]]);
  });

  it("sends a PDF unchanged if its name is that of a text file", async () => {
    const { name, bytes } = await attach("report.txt", pdf().bytes);
    expect([name, bytes.equals(pdf().bytes)]).toEqual(["report.txt", true]);
  });
});

describe("the command feedback send --attach with a text of any encoding and name", () => {
  it.each([
    ["text-utf16-powershell.log", ["Build fehlgeschlagen: Größe 5 €", "zweite Zeile"]],
    ["text-utf16be.txt", ["Échec du test à 12 h"]],
    ["text-utf16-without-mark.txt", ["plain words of a tool", "line two"]],
    ["text-windows-1252.csv", ["Prénom;Prix", "André;5 €"]],
    ["text-latin1.md", ["# Fehler", "Die Größe fehlt."]],
    ["text-browser.har", [expect.stringContaining('{"log":{"version":"1.2"')]],
    ["text-without-ending", ["Kernel panic"]],
  ])("sends %s as a PDF with the text, and with the file within", async (input, lines) => {
    const content = await readFile(inputPath(input));
    const { name, bytes } = await attach(input, content);
    const { pages, files } = await readPdf(bytes);
    expect([name, pages]).toEqual([`${input}.pdf`, [expect.arrayContaining(lines)]]);
    expect(files).toEqual([{ name: input, bytes: content }]);
  });

  it.each([
    ["text-utf16-powershell.log", "Build fehlgeschlagen: Größe 5 €\r\nzweite Zeile"],
    ["text-utf16be.txt", "Échec du test à 12 h"],
    ["text-windows-1252.csv", "Prénom;Prix\nAndré;5 €"],
    ["text-shift-jis.log", "テストに失敗しました: ボタンを押すとアプリが落ちます。\n保存できません。"],
    ["text-euc-kr.csv", "테스트 실패: 버튼을 누르면 앱이 종료됩니다."],
  ])("reads %s as a message, a plan and an answer", async (input, text) => {
    const { line, bodies } = await startFeedbackSending();
    await copyFile(inputPath(input), join(line.cwd, input));
    await line.run(["feedback", "send", "--type", "bug", "--message", `@${input}`]);
    expect(bodies()[0].message).toBe(text);
    const create = ["faq", "create", "--question", "q", "--answer", `@${input}`, "--dry-run", "--json"];
    expect((await line.run(create)).json()).toMatchObject({ body: { answer: text } });
  });
});

describe("the command feedback send --attach refuses a text file", () => {
  it.each([
    [
      "has NUL bytes",
      "a.log",
      Buffer.from("a\0b"),
      "must be PDF or a text file; its bytes are of no kind that can be sent",
    ],
    [
      "has NUL bytes behind its beginning",
      "a.log",
      Buffer.from(`${"a".repeat(2_000)}\0`),
      "is not a text, because it contains bytes that no text contains",
    ],
    ["is empty", "a.log", Buffer.alloc(0), "is empty"],
  ])("that %s", async (_, name, bytes, fault) => {
    const { line, received } = await startFeedbackSending();
    await writeFile(join(line.cwd, name), bytes);
    const { exit, stderr } = await line.run([...send, "--attach", name]);
    expect([exit, received]).toEqual([2, []]);
    expect(stderr).toContain(`  --attach ${name} ${fault}\n`);
  });

  it("whose PDF is larger than 5 MB, and names both sizes", async () => {
    const { line } = await startFeedbackSending();
    await writeFile(join(line.cwd, "random.log"), randomBytes(6_000_000).toString("base64"));
    const { exit, stderr } = await line.run([...send, "--attach", "random.log"]);
    expect(exit).toBe(2);
    expect(stderr).toMatch(
      /--attach random.log must be at most 5 MB \(5242880 bytes\) as a PDF, but would have \d{8} bytes/,
    );
  });

  it("of more than 32 MB before it is read", async () => {
    const { line } = await startFeedbackSending();
    await writeFile(join(line.cwd, "huge.log"), Buffer.alloc(33_554_433, "a"));
    const { stderr } = await line.run([...send, "--attach", "huge.log"]);
    expect(stderr).toContain("--attach huge.log is too large. A text can have at most 33554432 bytes");
  });

  it.each([
    ["line feeds", "\n", 500_001],
    ["carriage returns", "\r", 500_001],
    ["both together", "\r\n", 1_000_002],
  ])("of more than 500,000 lines that end with %s", async (_, end, bytes) => {
    const { line, received } = await startFeedbackSending();
    await writeFile(join(line.cwd, "lines.log"), Buffer.alloc(bytes, end));
    const { exit, stderr } = await line.run([...send, "--attach", "lines.log"]);
    expect([exit, received]).toEqual([2, []]);
    expect(stderr).toContain("--attach lines.log has too many lines. A text can have at most 500000");
  });

  it("as an image or a video", async () => {
    const { line } = await startFeedbackSending();
    await writeFile(join(line.cwd, "a.log"), "text");
    const { exit, stderr } = await line.run([...send, "--image", "a.log"]);
    expect(exit).toBe(2);
    expect(stderr).toContain("--image a.log must be PNG, JPEG, WebP or GIF;");
  });

  it("and sends the report without it and with a warning if the flag is --best-effort", async () => {
    const { line, bodies } = await startFeedbackSending();
    await writeFile(join(line.cwd, "a.log"), Buffer.from("a\0b"));
    await line.run([...send, "--attach", "a.log", "--best-effort"]);
    expect(bodies()[0].message).toContain("- --attach a.log must be PDF or a text file");
  });
});
