import { describe, expect, it } from "vitest";
import { readText, readTree, treeWithout } from "../support/sources/tree.ts";

const index = readText("docs/decisions/README.md");
const pages = [...treeWithout(readTree(["docs/decisions"], [".md"]), "docs/decisions/README.md")].map(
  ([path, text]) => ({ file: path.slice("docs/decisions/".length), text }),
);
const numbers = pages.map(({ file }) => file.slice(0, 2));

describe("docs/decisions", () => {
  it("has pages with numbers from 01 without a gap", () => {
    expect(numbers).toEqual(pages.map((_, place) => String(place + 1).padStart(2, "0")));
  });

  it.each(pages)("has the sections of a decision on one short page: $file", ({ file, text }) => {
    expect(text).toMatch(new RegExp(`^# ${file.slice(0, 2)} \\S`));
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(["Context", "Decision", "Alternatives", "Consequences"]);
    expect(text.split(/\s+/).length).toBeLessThan(600);
  });

  it("lists each page with its title", () => {
    const rows = pages.map(({ file, text }) => {
      const [, number, title] = /^# (\d\d) (.*)$/m.exec(text) ?? [];
      return `| [${number}](${file}) | ${title} |`;
    });
    expect(index.split("\n").filter((line) => line.startsWith("| ["))).toEqual(rows);
  });

  it("has every decision that code, tests and pages cite", () => {
    const files = [
      ...readTree(["bin", "src", "server", "mcp", "build", "test"], [".ts", ".tsx", ".mjs"]),
      ...readTree(["docs"], [".md"]),
    ];
    const cited = files.flatMap(([path, text]) =>
      [...text.matchAll(/\b[Dd]ecision (\d+)(?![\w-])/g)].map(([, number = ""]) => ({ path, number })),
    );
    expect(cited.length).toBeGreaterThan(3);
    expect(cited.filter(({ number }) => !numbers.includes(number))).toEqual([]);
  });
});
