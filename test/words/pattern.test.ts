import { describe, expect, it } from "vitest";
import { patternOfText } from "../../src/words/pattern.ts";

const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const texts = [...ascii, ascii.join(""), "\\d+", "(?:a", "a{2}", "--", "&&", "é", "😀", "\ud800", ""];

describe("the pattern of a text", () => {
  it.each(["", "i", "u", "iu", "v"])("matches this text and only this text, with the flags %j", (flags) => {
    const wrong = texts.filter((text) => {
      const pattern = new RegExp(`^(?:${patternOfText(text)})$`, flags);
      return !pattern.test(text) || pattern.test(`${text}a`) || (text !== "" && pattern.test("§"));
    });
    expect(wrong).toEqual([]);
  });
});
