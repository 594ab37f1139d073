import { describe, expect, it } from "vitest";
import { threadPageOf } from "../../../mcp/thread.ts";
import { createSanitiser } from "../../../src/words/fence.ts";
import { fc } from "../../support/property.ts";

const clean = (text: string) => createSanitiser("0123456789ab").text(text);
const spice = [
  "\u200d",
  "\ufe0f",
  "\u{1f468}",
  "\u{1f3fd}",
  "1",
  "\u20e3",
  "\u0301",
  "e",
  "\r",
  "\ud800",
  "\udc00",
  "\u{e0041}",
];
const unit = fc.oneof(
  fc.constantFrom(...spice),
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
);
const unicode = fc.string({ unit, maxLength: 60 });

describe("the function that cleans a text for agents", () => {
  it.each([
    ["a family", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}"],
    ["a profession with a skin tone", "\u{1f469}\u{1f3fd}\u200d\u{1f4bb}"],
    ["a rainbow flag", "\u{1f3f3}\ufe0f\u200d\u{1f308}"],
    ["a red heart", "\u2764\ufe0f"],
    ["a keycap", "1\ufe0f\u20e3"],
    ["a flag of two letters", "\u{1f1e9}\u{1f1ea}"],
    ["tabs and line feeds", "a\tb\nc"],
    ["joiners of Persian", "می\u200cخواهم گزارش\u200cها را ببینم"],
    ["joiners of Hindi and Sinhala", "क्\u200dष ශ්\u200dරී"],
    ["a Japanese name with its own shape", "葛\u{e0100}飾区"],
    ["an ideograph of compatibility", "\uf900"],
    ["the flag of England", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
    [
      "Arabic, Hindi, Thai, Chinese and Hebrew",
      "\u0645\u0631\u062d\u0628\u0627 \u0928\u092e\u0938\u094d\u0924\u0947 \u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \u4f60\u597d \u05e9\u05dc\u05d5\u05dd",
    ],
  ])("keeps %s", (_, text) => {
    expect(clean(text)).toBe(text);
  });

  it.each([
    ["composes letters", "cafe\u0301", "caf\u00e9"],
    ["makes all line breaks the same", "a\r\nb\rc\u2028d\u2029e\u0085f", "a\nb\nc\nd\ne\nf"],
    ["makes unusual spaces ordinary", "5\u2009000\u2800km", "5 000 km"],
    ["removes its own nonce, even if it was hidden", "x0123456789ab y012345\u200b6789ab z", "x y z"],
    ["removes a nonce that forms after another removal", "x0123450123456789ab6789aby", "xy"],
    ["keeps a joiner only between emoji", "a\u200db \u200d\u{1f600}", "ab \u{1f600}"],
    ["keeps one style selector of an emoji", "\u2764\ufe0f\ufe0f\ufe0e", "\u2764\ufe0f"],
  ])("%s", (_, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it("counts each removed character", () => {
    const sanitiser = createSanitiser("0123456789ab");
    sanitiser.value({ "k\u200b": ["\u{e0041}\u{e0042}", { deep: "0123456789ab" }], n: 1, no: null });
    expect(sanitiser.removed()).toBe(15);
  });

  it("changes nothing the second time for any text", () => {
    fc.assert(
      fc.property(unicode, (text) => {
        expect(clean(clean(text))).toBe(clean(text));
      }),
      { numRuns: 500 },
    );
  });

  it("returns valid Unicode text in NFC for any text", () => {
    fc.assert(
      fc.property(unicode, (text) => {
        expect(clean(text).isWellFormed()).toBe(true);
        const rest = clean(text).replace(/[\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/gu, "");
        expect(rest.normalize("NFC")).toBe(rest);
      }),
    );
  });

  it("needs little time for a hostile text", () => {
    const hostile = ["\u{1f468}\u200d", "\u{1f468}\ufe0f", "1\ufe0f", "e\u0301", "\u200d"];
    for (const part of hostile)
      expect(clean(part.repeat(100_000)).length).toBeLessThanOrEqual(part.length * 100_000);
  });
});

describe("a page of a thread for an agent", () => {
  const message = fc.record({
    direction: fc.constant("inbound"),
    author: fc.constant("sender"),
    body: fc.string({ unit: "grapheme", maxLength: 300 }),
    createdAt: fc.constant(null),
    report: fc.option(
      fc.dictionary(fc.string({ maxLength: 20 }), fc.string({ maxLength: 200 }), { maxKeys: 3 }),
    ),
  });
  const thread = fc.record({
    message: fc.string({ unit: "grapheme", maxLength: 500 }),
    metadata: fc.dictionary(fc.string({ maxLength: 20 }), fc.string({ maxLength: 200 }), { maxKeys: 5 }),
    messages: fc.array(message, { maxLength: 12 }),
  });
  const room = fc.integer({ min: 50, max: 2_000 });

  it("is never longer than its limit, and never contains half a character", () => {
    fc.assert(
      fc.property(thread, room, (parts, maxChars) => {
        const { message: report = "", metadata = {}, messages } = threadPageOf(parts, undefined, maxChars);
        const entries = Object.entries(metadata).map((entry) => JSON.stringify(entry));
        const reports = messages.flatMap((said) => Object.entries(said.report ?? {}));
        const texts = [report, ...entries, ...messages.map(({ body }) => body)];
        const facts = reports.map((entry) => JSON.stringify(entry));
        expect([...texts, ...facts].join("").length).toBeLessThanOrEqual(maxChars);
        expect(texts.every((text) => text.isWellFormed())).toBe(true);
      }),
    );
  });

  it("belongs to pages that show each message exactly once, in order", () => {
    fc.assert(
      fc.property(thread, room, (parts, maxChars) => {
        const counts: number[] = [];
        let before: number | undefined;
        do {
          const page = threadPageOf(parts, before, maxChars);
          counts.unshift(page.messages.length);
          before = page.nextCursor === null ? undefined : Number(page.nextCursor);
        } while (before !== undefined);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(parts.messages.length);
      }),
    );
  });
});
