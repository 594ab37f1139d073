import { describe, expect, it } from "vitest";
import { fromTerminal } from "../../src/words/visible.ts";

describe("text from a terminal, after the control sequences are removed,", () => {
  it.each([
    ["colours", "\u001b[1;31mred\u001b[0m \u009b32mgreen\u009b0m", "red green"],
    ["a link", "see \u001b]8;;https://x.example\u0007here\u001b]8;;\u0007.", "see here."],
    ["a link that ends otherwise", "\u001b]8;id=a;file:///x\u001b\\here\u001b]8;;\u001b\\", "here"],
    ["a title of the window", "\u001b]0;npm test\u0007ok", "ok"],
    ["other texts for the terminal", "\u001bPq#0\u001b\\a\u001b_x\u001b\\b", "ab"],
    ["character sets and a bell", "\u001b(B\u001b=a\u0007b", "ab"],
    ["a code that was cut", "a\u001b[31", "a"],
    ["places behind on the line", "a\u001b[3Cb", "a   b"],
    ["states of progress", " 0%\r 50%\r100%\nnext", "100%\nnext"],
    ["dots that grow", "Loading.\rLoading..\rLoading...\n", "Loading...\n"],
    ["a spinner", "|\b/\b-\bdone", "done"],
    ["letters that were written twice", "N\bNA\bAME", "NAME"],
    ["lines that were written again", "a 10%\nb 5%\n\u001b[2A\u001b[2Ka 100%\nb 100%\n", "a 100%\nb 100%\n"],
  ])("contains no %s", (_, given, shown) => {
    expect(fromTerminal(given)).toBe(shown);
  });

  it.each([
    ["line ends of Windows", "a\r\nb\r\n"],
    ["signs that look like progress", "50%\n| a | b |\n[====]\n- item\n3/4 of it"],
    ["a letter beyond ASCII", "Größe – 画面 😀"],
    ["a bracket with a number", "array[31m] and ]8;; too"],
  ])("still contains %s", (_, given) => {
    expect(fromTerminal(given)).toBe(given);
  });

  it.each([
    ["a failure that a bar follows", "FAIL a\u001b[2K\r 50%\r100% done", "FAIL a 100% done"],
    ["two sentences on one line", "one\rtwo\n", "one two\n"],
    ["the lines of an old file", "50% off\rnew\rend", "50% off\nnew\nend"],
    ["a line above that is no progress", "FAIL a\n\u001b[1A\u001b[2K 5%\n", "FAIL a\n 5%\n"],
  ])("contains all words of %s", (_, given, shown) => {
    expect(fromTerminal(given)).toBe(shown);
  });

  it.each([
    ["to the right", "\u001b[200C"],
    ["to the right on many lines", "\u001b[200C\n"],
  ])("is not much longer than the text with the movements of the cursor %s", (_, movement) => {
    const given = movement.repeat(20_000);
    expect(fromTerminal(given).length).toBeLessThan(3 * given.length + 10_000);
  });

  it("still has the columns of a long log", () => {
    const line = "Starting the service\u001b[60C[ ok ]\n";
    const shown = `Starting the service${" ".repeat(60)}[ ok ]\n`;
    expect(fromTerminal(line.repeat(1_000))).toBe(shown.repeat(1_000));
  });

  it("has no carriage returns before line ends, and keeps those behind them", () => {
    expect(fromTerminal("\u0007a\r\r\r\nb\r\nc")).toBe("a\nb\nc");
  });
});
