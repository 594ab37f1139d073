import { describe, expect, it } from "vitest";
import { normalised } from "../../src/contract/json.ts";

describe("a text in a normal form", () => {
  it.each(["NFC", "NFD", "NFKC", "NFKD"] as const)("has the form %s if it has few marks in a row", (form) => {
    const text = `Gru\u0308\u00dfe \ufb01 a\u0323\u0301 \u1112\u1161\u11ab ${"e\u0301".repeat(100)}`;
    expect(normalised(text, form)).toBe(text.normalize(form));
  });

  it("keeps all marks of a long row", () => {
    const text = `a${"\u0301\u0323".repeat(1_000)}b`;
    expect(normalised(text, "NFD")).toHaveLength(text.length);
  });
});
