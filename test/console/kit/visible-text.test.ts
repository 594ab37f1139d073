import { describe, expect, it } from "vitest";
import { piecesOf, visibleLine, withMarks } from "../../../src/words/visible.ts";
import { fc } from "../../support/property.ts";
import { rounds } from "../../support/torture.ts";

describe("a text of a person on a page", () => {
  it.each([
    ["plain words, line breaks and tabs", "a b\n\n  c\td"],
    ["letters of other scripts", "Zażółć 日本語 नमस्ते שלום العربية ไทย"],
    ["emoji with their joiners and selectors", "👨‍👩‍👧 ❤️ 🏳️‍🌈 👍🏽 🇸🇪 1️⃣"],
    ["accents made of marks", "e\u0301 a\u0323\u0302"],
  ])("is shown unchanged if it has %s", (_, text) => {
    expect(visibleLine(text)).toBe(text);
  });

  it.each([
    ["a right-to-left override", "\u202E", "U+202E"],
    ["an isolate", "\u2066", "U+2066"],
    ["a zero width space", "\u200B", "U+200B"],
    ["a zero width joiner that joins nothing", "\u200D", "U+200D"],
    ["a byte order mark", "\uFEFF", "U+FEFF"],
    ["a soft hyphen", "\u00AD", "U+00AD"],
    ["a zero width non-joiner", "\u200C", "U+200C"],
    ["a word joiner", "\u2060", "U+2060"],
    ["a thin space", "\u2009", "U+2009"],
    ["a figure space", "\u2007", "U+2007"],
    ["a Mongolian vowel separator", "\u180E", "U+180E"],
    ["a combining grapheme joiner", "\u034F", "U+034F"],
    ["a blank Braille pattern", "\u2800", "U+2800"],
    ["a Hangul filler", "\u3164", "U+3164"],
    ["a line separator", "\u2028", "U+2028"],
    ["a carriage return", "\r", "U+000D"],
    ["an escape", "\u001B", "U+001B"],
    ["a control of the second set", "\u0085", "U+0085"],
    ["a tag character", "\u{E0041}", "U+E0041"],
    ["a variation selector on a letter", "\uFE0F", "U+FE0F"],
    ["a character for private use", "\uE000", "U+E000"],
  ])("is shown with a mark for %s", (_, character, code) => {
    expect(visibleLine(`a${character}b`)).toBe(`a[${code}]b`);
  });

  it("is shown with marks for many combining characters on one letter", () => {
    expect(visibleLine(`e${"\u0301".repeat(6)}`)).toBe(`e${"\u0301".repeat(4)}[U+0301][U+0301]`);
  });
});

describe("a real text", () => {
  it.each([
    ["Persian", "می\u200Cخواهم گزارش\u200Cها را ببینم."],
    ["Persian with a Latin plural", "فایل PDF\u200Cها باز نمی\u200Cشوند."],
    ["Persian with numerals", "کاربر ۱۲\u200Cساله نمی\u200Cتواند وارد شود."],
    ["Arabic", "توقف التطبيق عن العمل سنة ١٤٤٧ ه\u200D."],
    ["Urdu", "ایپ کھولتے ہی بند ہو جاتی ہے۔"],
    ["Kurdish", "بەرنامەکە کار ناکات، تکایە چاکی بکەن."],
    ["Hindi with a joiner", "क्\u200Dष और र्\u200D की वर्तनी"],
    ["Hindi", "ऐप खुलते ही बंद हो जाता है।"],
    ["Marathi", "दुसऱ्\u200Dया पानावर माहिती दिसत नाही."],
    ["Bengali", "র\u200D্যাম কম থাকলে অ্যাপ বন্ধ হয়।"],
    ["Tamil", "பயன்பாடு திறக்கவில்லை."],
    ["Telugu with an open consonant at a word's end", "ఫేస్\u200Cబుక్\u200C ఖాతా తెరవలేను."],
    ["Kannada", "ಬ್ಯಾಂಕ್\u200C ಖಾತೆ ತೆರೆಯುವುದಿಲ್ಲ."],
    ["Malayalam with an old chillu", "അവന്\u200D പറഞ്ഞു: ആപ്പ് തുറക്കുന്നില്ല."],
    ["Sinhala", "ශ්\u200Dරී ලංකාවේ යෙදුම ක්\u200Dරියා නොකරයි."],
    ["Khmer", "កម្មវិធី\u200Bមិន\u200Bដំណើរការ\u200Bទេ។"],
    ["Thai", "แอปเปิดไม่ได้ตั้งแต่เมื่อวานนี้"],
    ["Thai with places for line breaks", "แอป\u200Bเปิด\u200Bไม่\u200Bได้"],
    ["Burmese", "အက်ပ်\u200Bမဖွင့်နိုင်ပါ။"],
    ["French", "L’appli plante\u00A0: «\u00A0erreur\u00A0500\u00A0»\u202F! Prix\u00A0: 1\u202F200\u00A0€."],
    ["German", "Die App stürzt seit z.\u00A0B. Version 2.4 ab – schade!"],
    ["Polish", "Aplikacja zawiesza się w\u00A0trybie samolotowym."],
    ["Czech", "Aplikace se\u00A0v\u00A0noci sama vypne."],
    ["Russian", "Приложение вылетает при\u00A0входе\u00A0— 3\u00A0раза подряд."],
    ["Japanese", "\u3000起動すると落ちます。\u3000再現手順：設定を開く。"],
    ["a Japanese name with its own shape", "葛\u{E0100}飾区の辻\u{E0101}です。"],
    ["Chinese", "打开应用后\u3000立即闪退。"],
    ["Korean", "앱이 실행되지 않습니다."],
    ["Hebrew with points", "הָאַפְּלִיקַצְיָה נִסְגֶּרֶת."],
    ["Vietnamese", "Ứng dụng bị treo khi mở mục “Cài đặt”."],
    ["Greek", "Η εφαρμογή κλείνει μόνη της."],
    ["English of Windows", "It broke.\r\n\r\n\tThen it broke again.\r\n"],
    ["emoji", "👩🏽\u200D🚀 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤︎ ❤️\u200D🔥 ©️ 🫱🏻\u200D🫲🏿 🐦\u200D⬛"],
  ])("is shown unchanged in %s", (_, text) => {
    expect(visibleLine(text)).toBe(text);
  });
});

describe("a text with hidden characters", () => {
  it.each([
    ["a joiner in a Latin word", "pass\u200Dword", 1],
    ["a non-joiner in a Cyrillic word", "па\u200Cроль", 1],
    ["a zero width space in a command", "rm -rf /\u200B", 1],
    ["a message in joiners after one letter", "می\u200C\u200D\u200C\u200Cخواهم", 4],
    ["a message in variation selectors after an ideograph", "葛\u{E0101}\u{E0102}\u{E0103}", 2],
    ["a message in variation selectors after an emoji", "😀\u{FE01}\u{E0102}\u{E0103}", 3],
    ["a message in tags after a flag", "🏴\u{E0061}\u{E0062}", 2],
    ["a joiner before an ordinary word", "❤️\u200D hello", 1],
    ["reversed text", "gpj.\u202Eexe", 1],
    ["reversed text in Arabic", "مرحبا\u202Eexe\u2069", 2],
    ["marks of direction in Hebrew", "שלום\u200Fעולם", 1],
    ["a bare carriage return that covers a line", "rm -rf /\rls", 1],
    ["two carriage returns", "a\r\r\nb", 1],
    ["a zero width space between Arabic letters", "مر\u200Bحبا", 1],
    ["a joiner after a space", "نمی \u200Cشود", 1],
  ])("is marked if it has %s", (_, text, marks) => {
    expect(piecesOf(text).filter(({ kind }) => kind === "hidden")).toHaveLength(marks);
  });

  it.each([
    ["a few equal characters", "a\u200b\u200b\u200bb", ["a", "<U+200B>", "<U+200B>", "<U+200B>", "b"]],
    ["many equal characters in a row", `a${"\u200b".repeat(1_200)}b`, ["a", "<U+200B × 1,200>", "b"]],
    ["two rows", "\u200b".repeat(5) + "\u{E0041}".repeat(4), ["<U+200B × 5>", "<U+E0041 × 4>"]],
  ])("has one mark for %s, with its count if there are many", (_, text, parts) => {
    const shown = withMarks(text).map((part) => (typeof part === "string" ? part : `<${part.code}>`));
    expect(shown).toEqual(parts);
  });

  it("has at most 200 marks; later characters are shown as text", () => {
    const parts = withMarks("a\u200b".repeat(1_000) + "b\u200c".repeat(2));
    expect(parts.filter((part) => typeof part !== "string")).toHaveLength(200);
    expect(parts.at(-1)).toBe(`${"[U+200B]a".repeat(799)}[U+200B]b[U+200C]b[U+200C]`);
  });

  it("is shortened in the same way if another hidden character follows", () => {
    // A text without suspicious characters is not cut at all. This character ensures that the text is cut.
    const follows = "a\u0000";
    const any = fc.string({ unit: "binary", maxLength: 12 });
    fc.assert(
      fc.property(any, (text) => {
        expect(visibleLine(text + follows)).toBe(`${visibleLine(`${text}a`)}[U+0000]`);
      }),
      { numRuns: rounds(300, 3_000) },
    );
  });
});
