import { describe, expect, it } from "vitest";
import { visibleLine } from "../../server/console/visible-text.ts";

describe("what somebody wrote", () => {
  it.each([
    ["plain words, line breaks and tabs", "a b\n\n  c\td"],
    ["letters of other scripts", "Zażółć 日本語 नमस्ते שלום العربية ไทย"],
    ["emoji with their joiners and selectors", "👨‍👩‍👧 ❤️ 🏳️‍🌈 👍🏽 🇸🇪 1️⃣"],
    ["accents made of marks", "e\u0301 a\u0323\u0302"],
  ])("is shown as it is: %s", (_, text) => {
    expect(visibleLine(text)).toBe(text);
  });

  it.each([
    ["a right-to-left override", "\u202E", "U+202E"],
    ["an isolate", "\u2066", "U+2066"],
    ["a zero width space", "\u200B", "U+200B"],
    ["a zero width joiner that joins nothing", "\u200D", "U+200D"],
    ["a byte order mark", "\uFEFF", "U+FEFF"],
    ["a soft hyphen", "\u00AD", "U+00AD"],
    ["a no-break space", "\u00A0", "U+00A0"],
    ["an ideographic space", "\u3000", "U+3000"],
    ["a blank Braille pattern", "\u2800", "U+2800"],
    ["a Hangul filler", "\u3164", "U+3164"],
    ["a line separator", "\u2028", "U+2028"],
    ["a carriage return", "\r", "U+000D"],
    ["an escape", "\u001B", "U+001B"],
    ["a control of the second set", "\u0085", "U+0085"],
    ["a tag character", "\u{E0041}", "U+E0041"],
    ["a variation selector on a letter", "\uFE0F", "U+FE0F"],
    ["a character for private use", "\uE000", "U+E000"],
  ])("has %s made visible", (_, character, code) => {
    expect(visibleLine(`a${character}b`)).toBe(`a[${code}]b`);
  });

  it("has marks made visible that would pile up over its neighbours", () => {
    expect(visibleLine(`e${"\u0301".repeat(6)}`)).toBe(`e${"\u0301".repeat(4)}[U+0301][U+0301]`);
  });
});
