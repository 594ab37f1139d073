import { describe, expect, it } from "vitest";
import { tagKeyOf, tagNamesIn } from "../../../../server/feedback/tags/rules.ts";

describe("the key that identifies a tag by its name", () => {
  it.each([
    ["Crash", "crash"],
    ["CAF\u00c9", "cafe\u0301"],
    [" dark  mode ", "Dark mode"],
    ["be\u200dta", "beta"],
    ["\u0130stanbul", "i\u0307stanbul"],
    ["\u{1f600}\ufe0f", "\u{1f600}"],
  ])("is equal for %j and %j", (one, other) => {
    expect(tagKeyOf(one)).toBe(tagKeyOf(other));
  });

  it.each([
    ["crash", "crashes"],
    ["dark mode", "darkmode"],
    ["\u0645\u06cc", "\u0645"],
  ])("is different for %j and %j", (one, other) => {
    expect(tagKeyOf(one)).not.toBe(tagKeyOf(other));
  });
});

describe("the names in a list", () => {
  it("are separated by commas, and empty names are ignored", () => {
    expect(tagNamesIn("a,b c, ,")).toEqual(["a", "b c"]);
    expect(tagNamesIn("")).toEqual([]);
  });
});
