/** A text without invisible characters, and how many characters were removed from it. */
interface VisibleText {
  readonly text: string;
  readonly removed: number;
}

/**
 * Removes control, invisible and direction characters. Unifies line breaks and spaces. Keeps the joiners that
 * spelling needs. (rule W1)
 */
export function visibleText(given: string): VisibleText {
  let text = given.replace(lineBreaks, "\n");
  let removed = 0;
  // A removed character can leave a joiner without its neighbour, so the remaining text is checked again.
  for (let round = 0; round < mostRounds; round += 1) {
    const { text: rest, removed: more } = onceVisible(text);
    if (rest === text) return { text, removed };
    text = rest;
    removed += more;
  }
  const bare = text.replace(ignorable, "");
  return { text: bare, removed: removed + text.length - bare.length };
}

function onceVisible(given: string): VisibleText {
  let removed = 0;
  const parts = piecesOf(given).map((piece) => {
    if (piece.kind === "plain") return piece.text;
    const kept = shown(piece.character);
    if (kept === "") removed += 1;
    return kept;
  });
  return { text: parts.join(""), removed };
}

const mostRounds = 4;

const lineBreaks = /\r\n?|[\u2028\u2029\u0085]/g;

const space = /^\p{Zs}$/u;

/** Matches characters for private use, and combining marks. Readers can see these characters. */
const seen = /^[\p{Co}\p{M}]$/u;

const unseen = /^\p{Default_Ignorable_Code_Point}$/u;

const ignorable = /\p{Default_Ignorable_Code_Point}/gu;

function shown(character: string): string {
  if (space.test(character) || character === "\u2800") return " ";
  return seen.test(character) && !unseen.test(character) ? character : "";
}

/** Returns the text on one line, with single spaces, and cut to the given number of characters. (rule W1) */
export function oneLine(given: string, most = Number.POSITIVE_INFINITY): string {
  const line = visibleText(given).text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const characters = [...line];
  if (characters.length <= most) return line;
  return `${characters
    .slice(0, most - 1)
    .join("")
    .trimEnd()}…`;
}

/** Returns JSON with the same meaning, in which control, invisible and direction characters are escapes. (rule W4) */
export const escapedJson = (json: string): string =>
  piecesOf(json)
    .map((piece) =>
      piece.kind === "plain" || piece.character === "\r" ? textOf(piece) : escapes(piece.character),
    )
    .join("");

const textOf = (piece: Piece): string => (piece.kind === "plain" ? piece.text : piece.character);

const escapes = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");

/** Matches any URL scheme. Programs open many schemes (`tel:`, `magnet:`). A list would never be complete. */
const scheme = /\b([a-z][a-z\d+.-]{1,30}):(?=[^\s:])/gi;

/** Changes addresses in a line, so that no program turns them into links. */
const unlinked = (line: string): string =>
  line
    .replace(/:(?=\/\/)/g, ": ")
    .replace(scheme, "$1: ")
    .replace(/\.(?=\p{L})/gu, ". ");

/** Returns the text on one line for a place that shows links and mentions, but no Markdown. (rule W3) */
export const unlinkedLine = (given: string, most: number): string =>
  unlinked(oneLine(given, most)).replace(/@(?=\S)/g, "@ ");

/**
 * Returns one line for Markdown. No part becomes a link, mention, emoji or formatting. All letters stay
 * readable. (rule W3)
 */
export const unmade = (given: string, most: number): string =>
  unlinked(oneLine(given, most))
    .replace(/[\\`*_~[\]|#$]/g, "\\$&")
    .replace(/:(?!\d\d?:)(?=[\w+\\-]{1,100}:)/g, ": ")
    .replace(/@(?=\S)/g, "@ ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

/** Returns a stranger's text for a plain-text title: quoted, cut and without links. (rule W5) */
export const titled = (words: string, most = 80): string => quoted(unlinked(oneLine(words, most)));

/**
 * Returns a text in quotation marks. Replaces quotation marks inside the text, so that they cannot end the quotation.
 */
export const quoted = (line: string): string => `“${line.replace(/[“”„"]/g, "'")}”`;

/** A piece of a text: ordinary text, or one character that a reader would not see or would misread. */
type Piece =
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

/**
 * Scripts whose spelling uses joiners (invisible characters). A joiner between two letters can change the word.
 */
const joining = scripts(
  "Arab Syrc Mand Nkoo Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Tibt Mymr Khmr Bali Java Newa",
);

/** Scripts without spaces between words. In these scripts, an invisible space shows where a line may break. */
const unspaced = scripts("Khmr Laoo Mymr Thai Tibt");

const word = "[\\p{L}\\p{M}\\p{N}]";

/** Invisible characters that spelling needs. Each character is allowed only in its usual place and not repeated. */
const spelling = [
  "\\r(?=\\n)",
  "[\\u{A0}\\u{202F}\\u{3000}]",
  `(?<=${joining})[\\u{200C}\\u{200D}](?=${word})`,
  `(?<=${word})[\\u{200C}\\u{200D}](?=${joining})`,
  // In scripts of India and in Arabic, a joiner at a word's end changes the last letter.
  `(?<=(?=\\p{M})${joining})[\\u{200C}\\u{200D}]`,
  "(?<=(?=\\p{L})\\p{Script=Arab})\\u{200D}",
  `(?<=${unspaced})\\u{200B}(?=${unspaced})`,
  "(?<=\\p{Script=Mong})[\\u{180B}-\\u{180F}]",
  "(?<=\\p{Unified_Ideograph})[\\u{FE00}-\\u{FE02}\\u{E0100}-\\u{E01EF}]",
  "(?<=\\p{Extended_Pictographic})[\\u{FE0E}\\u{FE0F}]",
  "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\u{FE0F}?)\\u{200D}(?=\\p{Extended_Pictographic})",
].join("|");

let made: RegExp | undefined;

/**
 * Returns the pattern for hidden characters. The pattern also finds the fifth and later combining marks on a
 * letter.
 */
function finder(): RegExp {
  // The pattern is large and rarely needed, so it is created at first use.
  made ??= new RegExp(
    [
      `(?<ordinary>\\p{RGI_Emoji}|${spelling})`,
      `(?<hidden>(?![ \\n\\t])[${hiddenClasses}]|(?<=\\p{M}{4})\\p{M})`,
    ].join("|"),
    "gv",
  );
  return made;
}

// A fast search, which comes before the slow search with `finder`. Most texts contain none of these characters.
const suspicious = new RegExp(`(?![ \\n\\t])[${hiddenClasses}]|\\p{M}`, "v");

/** Splits a text at characters that could deceive a reader. Ordinary spelling stays in the plain pieces. */
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

/** A hidden character as a page shows it. `code` includes the number of repeats: `U+200B × 300`. */
interface HiddenMark {
  readonly at: number;
  readonly code: string;
  readonly name: string;
}

/** Up to this many equal hidden characters have one mark each. A longer row has one mark. */
const mostSingle = 3;

/**
 * The maximum number of marks for hidden characters in one text. Further hidden characters become text, such as
 * `[U+200B]`.
 */
const mostMarks = 200;

/**
 * Splits a text into ordinary text and marks for hidden characters. Without limits, the page could be very
 * large.
 */
export function withMarks(text: string): (string | HiddenMark)[] {
  const parts: (string | HiddenMark)[] = [];
  const rest: string[] = [];
  let marks = 0;
  for (const part of runsOf(piecesOf(text)).flatMap(marksOf)) {
    if (typeof part !== "string") marks += 1;
    if (marks <= mostMarks) parts.push(part);
    else rest.push(typeof part === "string" ? part : `[${part.code}]`);
  }
  return rest.length === 0 ? parts : [...parts, rest.join("")];
}

/** A piece of a text, and how often it is repeated in a row. */
interface Run {
  readonly piece: Piece;
  count: number;
}

function runsOf(pieces: readonly Piece[]): Run[] {
  const runs: Run[] = [];
  for (const piece of pieces) {
    const last = runs.at(-1);
    if (last !== undefined && isSame(last.piece, piece)) last.count += 1;
    else runs.push({ piece, count: 1 });
  }
  return runs;
}

const isSame = (one: Piece, other: Piece): boolean =>
  one.kind === "hidden" && other.kind === "hidden" && one.code === other.code;

function marksOf({ piece, count }: Run): (string | HiddenMark)[] {
  if (piece.kind === "plain") return [piece.text];
  const { at, character, code, name } = piece;
  if (count > mostSingle) return [{ at, code: `${code} × ${count.toLocaleString("en")}`, name }];
  return Array.from({ length: count }, (_, nth) => ({ at: at + nth * character.length, code, name }));
}

/** Whether a text contains a hidden character. */
export const hasHidden = (text: string): boolean => piecesOf(text).some(({ kind }) => kind === "hidden");

/** Returns the text with each hidden character as `[U+200B]`, for titles and labels. */
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

/**
 * Returns program output without terminal codes and without replaced progress lines. Keeps erased text that
 * shows no progress. (rule L19)
 */
export function fromTerminal(given: string): string {
  if (!isForTerminal.test(given)) return given;
  const text = withoutCodes(given).replaceAll("\u0007", "");
  const plain = text.includes("\b") ? backspaced(text) : text;
  // If the text has only carriage returns, they are line ends, as in old Macintosh files.
  const joint = plain.includes("\n") || text !== given ? " " : "\n";
  const lines: string[] = [];
  for (const line of plain.replace(/(?<!\r)\r+\n/g, "\n").split("\n")) {
    for (let ups = line.split(up).length - 1; ups > 0 && isProgress(lines.at(-1) ?? ""); ups -= 1)
      lines.pop();
    lines.push(lastStateOf(line.replaceAll(up, ""), joint));
  }
  return lines.join("\n");
}

/**
 * Returns text without codes for terminals. Does not use Node's `stripVTControlCharacters`, which takes hours
 * for some texts.
 */
export const withoutTerminalCodes = (text: string): string =>
  withoutCodes(text).replaceAll(up, "").replaceAll(erased, "");

const [esc, csi, end, bell] = ["\\u001b", "\\u009b", "\\u009c", "\\u0007"];

const isForTerminal = new RegExp(`[${bell}\b${esc}${csi}]|#x1B\\[|\\r(?!\\n)`);

const terminalCode = new RegExp(
  [
    `(?:(?:${esc}|#x1B)\\[|${csi})([0-?]*)[ -/]*(?:([@-~])|$)`,
    // Codes for links, titles and other settings. XML does not allow the bell character, so U+FFFD replaces it.
    `${esc}[\\]PX^_][^${bell}${esc}${end}\\ufffd\\n]*(?:[${bell}${end}\\ufffd]|${esc}\\\\)`,
    `${esc}[ -/]*[0-~]`,
    `[${esc}${csi}]`,
  ].join("|"),
  "g",
);

/**
 * These characters stand for the codes "erase" and "one line up". `withoutCodes` removes all other occurrences
 * of these two characters.
 */
const [erased, up] = ["\u001b", "\u009b"];

const mostColumns = 200;

const mostLines = 100;

/**
 * The maximum number of characters that cursor movements may add. Without this maximum, a short text could
 * become very long.
 */
const mostAdded = ({ length }: string): number => 10_000 + 2 * length;

function withoutCodes(text: string): string {
  let left = mostAdded(text);
  const moved = (character: string, count: number): string => {
    const times = Math.max(1, Math.min(count, left));
    left -= times;
    return character.repeat(times);
  };
  return text.replace(terminalCode, (_, given: string | undefined, final: string | undefined) => {
    const count = Number(given) || 1;
    if (final === "K" || final === "J") return erased;
    if (final === "A" || final === "F") return moved(up, Math.min(count, mostLines));
    if (final === "C") return moved(" ", Math.min(count, mostColumns));
    return final === "G" && count === 1 ? "\r" : "";
  });
}

/** Returns the text after each backspace has removed the character before it. */
function backspaced(text: string): string {
  const kept: string[] = [];
  for (const character of text) {
    if (character !== "\b") kept.push(character);
    else if (!/^[\r\n]?$/.test(kept.at(-1) ?? "")) kept.pop();
  }
  return kept.join("");
}

/**
 * Returns a line without replaced progress texts. Keeps erased text that shows no progress, because test
 * runners also erase results.
 */
function lastStateOf(line: string, joint: string): string {
  const states = line.split("\r").map((state) => ({
    text: state.replaceAll(erased, ""),
    isErased: state.trimEnd().endsWith(erased),
    erasesBefore: state.startsWith(erased),
  }));
  const kept = states.filter(({ text, isErased }, at) => {
    const next = states[at + 1];
    if (!next) return text.trim() !== "" || states.length === 1;
    if (text.trim() === "" || next.text.startsWith(text.trimEnd())) return false;
    return !(isProgress(text) && (isErased || next.erasesBefore || isProgress(next.text)));
  });
  return kept.map(({ text }, at) => (at === 0 ? text : text.trimStart())).join(joint);
}

const progress =
  /\d ?%|\b\d{1,9} ?(?:\/|of) ?\d{1,9}\b|[█▓▒░━▏▎▍▌▋▊▉■□●○]{2}|[=#]{4}|^\s{0,20}[-|/\\◐◓◑◒\u2800-\u28ff](?:\s|$)/;

const isProgress = (text: string): boolean => progress.test(text);

/** Returns an address without its user name and password, for messages. */
export const shownAddress = (given: string): string =>
  given.trim().replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, "$1");

const linkableProtocols: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** Returns the address if a page may link to it. Undefined for others, such as `javascript:` addresses. */
export function safeAddress(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url && linkableProtocols.has(url.protocol) ? url.href : undefined;
}
