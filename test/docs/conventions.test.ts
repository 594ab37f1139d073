import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readText } from "../support/sources/tree.ts";

const [kept = "", leftOut = ""] = readText("docs/conventions.md").split("\n## Left out\n");

/** The rows of a page's table, as the texts of their cells. */
const rowsOf = (text: string): string[][] =>
  text
    .split("\n")
    .filter((line) => /^\| \d+ \|/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const rows = rowsOf(kept).map(([number = "", name = "", how = "", tests = ""]) => ({
  number: Number(number),
  name,
  how,
  tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
}));

describe("docs/conventions.md", () => {
  it("keeps at least 42 of the 46 conventions, and gives a reason for each other one", () => {
    const others = rowsOf(leftOut);
    expect(rows.length).toBeGreaterThanOrEqual(42);
    expect(others.filter(([, , reason = ""]) => reason.length < 40)).toEqual([]);
    const numbers = [...rows.map(({ number }) => number), ...others.map(([number]) => Number(number))];
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 46 }, (_, at) => at + 1));
  });

  it.each(rows)("$number, $name, names a test that exists", ({ how, tests }) => {
    expect(how).not.toBe("");
    expect(tests.length).toBeGreaterThan(0);
    for (const path of tests) {
      expect(path).toMatch(/^test\/.*\.test\.tsx?$/);
      expect(existsSync(path), path).toBe(true);
      expect(readText(path)).toMatch(/\bit(?:\.each)?\(|\bit\.each</);
    }
  });
});
