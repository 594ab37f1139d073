import { describe, expect, it } from "vitest";
import { citationsIn, foreignCitationsIn, ruleNumbersIn } from "../support/sources/rule-citations.ts";
import { readText, readTree } from "../support/sources/tree.ts";

const numbers = ruleNumbersIn(readText("docs/rules.md"));
// This test and its support quote wrong citations.
const code = new Map(
  [...readTree(["bin", "src", "server", "mcp", "build", "test"], [".ts", ".tsx", ".mjs"])].filter(
    ([path]) => !/^test\/(docs\/rules|support\/sources\/rule-citations)/.test(path),
  ),
);

describe("docs/rules.md", () => {
  it("gives each number once", () => {
    expect(numbers.length).toBeGreaterThan(100);
    expect(numbers).toEqual([...new Set(numbers)]);
  });

  it("lists the rules of each area in the order of their numbers", () => {
    for (const area of new Set(numbers.map((number) => number.charAt(0)))) {
      const given = numbers
        .filter((number) => number.startsWith(area))
        .map((number) => Number(number.slice(1)));
      expect(given).toEqual(given.toSorted((a, b) => a - b));
    }
  });

  it("has every rule that code and tests cite", () => {
    const cited = citationsIn(code);
    expect(cited.length).toBeGreaterThan(20);
    expect(cited.filter(({ number }) => !numbers.includes(number))).toEqual([]);
  });

  it("is what comments cite, not a document that is not here", () => {
    expect(foreignCitationsIn(code)).toEqual([]);
  });
});

describe("the search for citations", () => {
  const tree = new Map([
    ["server/a.ts", "/** Good. (rule T12) */\n/** Old. (spec: Limits) */"],
    ["server/b.ts", "// (RFC 9745; rule X99)\n// (decisions 4: Words)\n// See docs/decisions/004."],
  ]);

  it("finds the rules that a made-up tree cites", () => {
    expect(citationsIn(tree)).toEqual([
      { at: "server/a.ts:1", number: "T12" },
      { at: "server/b.ts:1", number: "X99" },
    ]);
  });

  it("finds citations of documents that are not here", () => {
    expect(foreignCitationsIn(tree)).toEqual(["server/a.ts:2", "server/b.ts:2"]);
  });

  it("finds a number that a page gives twice", () => {
    expect(ruleNumbersIn("- **T1** One.\n- **T1** Two.\ntext **T2** text")).toEqual(["T1", "T1"]);
  });
});
