import { describe, expect, it } from "vitest";
import { citationsIn, foreignCitationsIn, ruleNumbersIn } from "../support/sources/rule-citations.ts";
import { readTree, treeWithout } from "../support/sources/tree.ts";

const numbers = ruleNumbersIn([...readTree(["docs/rules"], [".md"]).values()].join("\n"));
// This file is excluded, because its patterns look like citations.
const code = treeWithout(
  readTree(["bin", "src", "server", "mcp", "build", "test"], [".ts", ".tsx", ".mjs"]),
  "test/support/sources/rule-citations.ts",
);

describe("docs/rules", () => {
  it("has each rule number once", () => {
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

  it("is cited by comments, and comments cite no document outside the repository", () => {
    expect(foreignCitationsIn(code)).toEqual([]);
  });
});
