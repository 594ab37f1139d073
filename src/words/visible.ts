import { type Piece, piecesOf } from "./hidden.ts";

/** A text without what nobody sees, and how many characters were taken out of it. */
export interface VisibleText {
  readonly text: string;
  readonly removed: number;
}

/**
 * The text with one kind of line break, and without control, invisible and direction characters. Each letter, mark and
 * emoji stays, with the joiners that its spelling needs. Unusual spaces become ordinary ones. (rule W1)
 */
export function visibleText(given: string): VisibleText {
  let text = given.replace(lineBreaks, "\n");
  let removed = 0;
  // What is taken out can leave a joiner without its neighbour, so the rest is looked at again.
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
/** Letters of no meaning to us, and marks on marks, which are seen. */
const seen = /^[\p{Co}\p{M}]$/u;
const unseen = /^\p{Default_Ignorable_Code_Point}$/u;
const ignorable = /\p{Default_Ignorable_Code_Point}/gu;

function shown(character: string): string {
  if (space.test(character) || character === "\u2800") return " ";
  return seen.test(character) && !unseen.test(character) ? character : "";
}

/** The text on one line, with white space as single spaces, and cut to so many characters. (rule W1) */
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

/** JSON of the same meaning, in which control, invisible and direction characters are escapes. (rule W4) */
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

/** Any scheme: programs follow many (`tel:`, `sms:`, `magnet:`, `ms-settings:`), and no list has them all. */
const scheme = /\b([a-z][a-z\d+.-]{1,30}):(?=[^\s:])/gi;

/** A line in which no program finds an address to follow. */
const unlinked = (line: string): string =>
  line
    .replace(/:(?=\/\/)/g, ": ")
    .replace(scheme, "$1: ")
    .replace(/\.(?=\p{L})/gu, ". ");

/**
 * The text on one line for a place that makes links and reads Markdown: nothing in it is a link, a mention, a sign or a
 * mark of form. Each letter can still be read. (rule W3)
 */
export const unmade = (given: string, most: number): string =>
  unlinked(oneLine(given, most))
    .replace(/[\\`*_~[\]|#$]/g, "\\$&")
    .replace(/:(?!\d\d?:)(?=[\w+\\-]{1,100}:)/g, ": ")
    .replace(/@(?=\S)/g, "@ ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

/** The words of the public as a part of a title, a subject or a notice that is plain text: marked, cut, no link. (rule W5) */
export const titled = (words: string, most = 80): string => quoted(unlinked(oneLine(words, most)));

/** Words in quotation marks that they cannot close. */
export const quoted = (line: string): string => `“${line.replace(/[“”„"]/g, "'")}”`;
