import { describe, expect, it } from "vitest";
import { passedFailures, passedNote } from "../../../../server/feedback/failures/rules.ts";

const failing = ["b:1", "a:2", "a:1", "a", "ab"].map((dedupeKey) => ({ dedupeKey }));
const passed = (...named: Parameters<typeof passedFailures>[1]) =>
  passedFailures(failing, named).passed.map(({ dedupeKey }) => dedupeKey);

describe("the list of failures that a run passes", () => {
  it.each([
    ["nothing, if nothing is named", [], []],
    ["the failure with exactly that key", ["a"], ["a"]],
    ["no failure for a key that only begins like one", ["b"], []],
    ["all failures whose keys begin so", [{ prefix: "a:" }], ["a:1", "a:2"]],
    ["a failure whose key is the prefix itself", [{ prefix: "ab" }], ["ab"]],
    ["no failure whose key is shorter than the prefix", [{ prefix: "b:11" }], []],
    [
      "keys and prefixes of several lengths together",
      ["a", { prefix: "b" }, { prefix: "a:2" }],
      ["a", "a:2", "b:1"],
    ],
    ["each failure once", ["a:1", { prefix: "a:" }, { prefix: "a:1" }], ["a:1", "a:2"]],
  ])("contains %s", (_, named, expected) => {
    expect(passed(...named)).toEqual(expected);
  });

  it("is in the order of the keys, so that two runs lock the failures in the same order", () => {
    expect(passed({ prefix: "b" }, { prefix: "a" })).toEqual(["a", "a:1", "a:2", "ab", "b:1"]);
  });
});

describe("the note about a failure that passed", () => {
  const start = "Resolved: this failure passed in every scope that reported it, last in run";

  it.each([
    ["the run and its scope", { scope: "ci linux", run: "7" }, `${start} 7 of ci linux.`],
    ["the run alone, without a scope", { scope: "", run: "7" }, `${start} 7.`],
    [
      "the address of the run",
      { scope: "", run: "7", runUrl: "https://ci.example/7" },
      `${start} 7.\nhttps://ci.example/7`,
    ],
  ])("names %s", (_, run, text) => {
    expect(passedNote(run)).toBe(text);
  });
});
