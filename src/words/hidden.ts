/** A piece of a text: plain text, or one character that a reader would not see or would misread. */
export type Piece =
  | { readonly kind: "plain"; readonly text: string }
  | {
      readonly kind: "hidden";
      readonly at: number;
      readonly character: string;
      readonly code: string;
      readonly name: string;
    };

const hiddenClasses = [
  "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}\\p{Zs}",
  "\\p{Default_Ignorable_Code_Point}",
  "\\u{2800}",
].join("");

const scripts = (names: string) => `[${names.replace(/\w+/g, "\\p{Script=$&}").replaceAll(" ", "")}]`;

/** Scripts whose spelling uses joiners: there, joining two letters or not makes different words. */
const joining = scripts(
  "Arab Syrc Mand Nkoo Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Tibt Mymr Khmr Bali Java Newa",
);
/** Scripts without spaces between words: there, an invisible space marks where a line may break. */
const unspaced = scripts("Khmr Laoo Mymr Thai Tibt");
const word = "[\\p{L}\\p{M}\\p{N}]";

/** Invisible characters that spelling needs. Each is allowed only in its place, and only once in a row. */
const spelling = [
  "\\r(?=\\n)",
  "[\\u{A0}\\u{202F}\\u{3000}]",
  `(?<=${joining})[\\u{200C}\\u{200D}](?=${word})`,
  `(?<=${word})[\\u{200C}\\u{200D}](?=${joining})`,
  // At the end of a word: an open consonant in scripts of India, a letter on its own in Arabic.
  `(?<=(?=\\p{M})${joining})[\\u{200C}\\u{200D}]`,
  "(?<=(?=\\p{L})\\p{Script=Arab})\\u{200D}",
  `(?<=${unspaced})\\u{200B}(?=${unspaced})`,
  "(?<=\\p{Script=Mong})[\\u{180B}-\\u{180F}]",
  "(?<=\\p{Unified_Ideograph})[\\u{FE00}-\\u{FE02}\\u{E0100}-\\u{E01EF}]",
  "(?<=\\p{Extended_Pictographic})[\\u{FE0E}\\u{FE0F}]",
  "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\u{FE0F}?)\\u{200D}(?=\\p{Extended_Pictographic})",
].join("|");

// From the fifth stacked mark on, marks cover the letters around them.
let made: RegExp | undefined;
/** Made at the first use: it is large, and most texts do not need it. */
function finder(): RegExp {
  made ??= new RegExp(
    [
      `(?<ordinary>\\p{RGI_Emoji}|${spelling})`,
      `(?<hidden>(?![ \\n\\t])[${hiddenClasses}]|(?<=\\p{M}{4})\\p{M})`,
    ].join("|"),
    "gv",
  );
  return made;
}

// Most texts have none of these. Looking for them takes a small part of the time that `finder` takes.
const suspicious = new RegExp(`(?![ \\n\\t])[${hiddenClasses}]|\\p{M}`, "v");

/**
 * Cuts a text at characters that could deceive a reader: invisible and bidirectional characters, controls, unusual
 * spaces and stacked marks become pieces of their own. Characters of ordinary spelling stay in plain pieces: line
 * breaks, tabs, spaces, no-break spaces, joiners between letters of scripts that use them, and those of emoji.
 */
export function piecesOf(text: string): Piece[] {
  if (!suspicious.test(text)) return text === "" ? [] : [{ kind: "plain", text }];
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(finder())) {
    const character = found.groups?.hidden;
    if (character === undefined) continue;
    if (found.index > from) pieces.push({ kind: "plain", text: text.slice(from, found.index) });
    pieces.push(hiddenPiece(character, found.index));
    from = found.index + character.length;
  }
  if (from < text.length) pieces.push({ kind: "plain", text: text.slice(from) });
  return pieces;
}

/** Whether a text contains a hidden character. */
export const hasHidden = (text: string): boolean => piecesOf(text).some(({ kind }) => kind === "hidden");

/** The text with each hidden character as `[U+200B]`, for titles and labels. */
export const visibleLine = (text: string): string =>
  piecesOf(text)
    .map((piece) => (piece.kind === "plain" ? piece.text : `[${piece.code}]`))
    .join("");

function hiddenPiece(character: string, at: number): Piece {
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return { kind: "hidden", at, character, code, name: names[code] ?? "hidden character" };
}

const names: Readonly<Record<string, string>> = {
  "U+0000": "null",
  "U+0008": "backspace",
  "U+000D": "carriage return",
  "U+001B": "escape",
  "U+00AD": "soft hyphen",
  "U+061C": "Arabic letter mark",
  "U+200B": "zero width space",
  "U+200C": "zero width non-joiner",
  "U+200D": "zero width joiner",
  "U+200E": "left-to-right mark",
  "U+200F": "right-to-left mark",
  "U+202A": "left-to-right embedding",
  "U+202B": "right-to-left embedding",
  "U+202C": "end of directional formatting",
  "U+202D": "left-to-right override",
  "U+202E": "right-to-left override",
  "U+2060": "word joiner",
  "U+2066": "left-to-right isolate",
  "U+2067": "right-to-left isolate",
  "U+2068": "first strong isolate",
  "U+2069": "end of isolate",
  "U+FEFF": "byte order mark",
};
