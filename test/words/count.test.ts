import { describe, expect, it } from "vitest";
import { countOf } from "../../src/words/phrases.ts";

describe("a number with its noun", () => {
  it.each([
    [countOf(1, "thread"), "1 thread"],
    [countOf(0, "thread"), "0 threads"],
    [countOf(1_200, "entry", "entries"), "1,200 entries"],
  ])("%s has the form for its number", (text, expected) => {
    expect(text).toBe(expected);
  });
});
