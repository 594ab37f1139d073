import { describe, expect, it } from "vitest";
import { bodyText, headerText } from "../../../../server/mail/outgoing/rules.ts";

describe("a text in a header", () => {
  it.each([
    ["Crash", "Crash"],
    ["  Crash \t now ", "Crash now"],
    ["A\r\nBcc: eve", "A Bcc: eve"],
    ["A\u2028\u2029\u0085B", "A B"],
    ["A\u0000B", "AB"],
    ["\u202eabc\u2066\u200f", "abc"],
    ["a\u{E0041}b\u{E007F}", "ab"],
    ["می\u200cخواهم", "می\u200cخواهم"],
  ])("is one line without hidden characters: %j", (text, wanted) => {
    expect(headerText(text, 100)).toBe(wanted);
  });

  it("is shortened to complete characters", () => {
    expect(headerText("abcde", 5)).toBe("abcde");
    expect(headerText("abcdef", 5)).toBe("abcd…");
    expect(headerText("abc def", 5)).toBe("abc…");
    expect(headerText("😀😀😀", 2)).toBe("😀…");
  });
});

describe("the text of a mail", () => {
  it("can have line feeds and tabs, and no other control characters", () => {
    expect(bodyText(" a\r\nb\rc\td\u0000\u001be\u202ef\n\n")).toBe("a\nb\nc\tdef\n");
  });
});
