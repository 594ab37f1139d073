import { malformedJson } from "./upload-failure.ts";

/** The index of the quote that ends a JSON string, searched from inside the string; -1 if there is none. */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/**
 * The index of an escape that `text`, a part of a JSON string, does not complete; the length of `text` if there is none.
 */
export function incompleteEscapeAt(text: string): number {
  const at = text.lastIndexOf("\\");
  const begun = text.length - at;
  if (at === -1 || begun >= longestEscape || isEscaped(text, at)) return text.length;
  return begun === 1 || text[at + 1] === "u" ? at : text.length;
}

/**
 * Replaces the escapes in a part of a JSON string. An escaped character that is neither printable ASCII nor a line break
 * becomes DEL. Throws `malformed_json` for a wrong escape.
 */
export function unescapeToAscii(text: string): string {
  if (!text.includes("\\")) return text;
  // Many encoders escape every slash, or break lines. If no backslash is itself escaped, `ease` does most of the work.
  const eased = text.includes("\\\\") ? text : unescapeCommon(text);
  return eased.replace(/\\(u[0-9a-fA-F]{4}|["\\/bfnrt])?/g, (_, escaped?: string) => characterOf(escaped));
}

const unescapeCommon = (text: string): string =>
  text.replaceAll("\\/", "/").replaceAll("\\n", "\n").replaceAll("\\r", "\r");

const longestEscape = 6;
const unprintable = "\u007f";

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text[start - 1] === "\\") start--;
  return (at - start) % 2 === 1;
}

function characterOf(escaped: string | undefined): string {
  if (escaped === undefined) throw malformedJson("has a wrong escape in a string");
  if ('"\\/'.includes(escaped)) return escaped;
  if (escaped === "n" || escaped === "r") return escaped === "n" ? "\n" : "\r";
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return /^[ -~\n\r]$/.test(character) ? character : unprintable;
}
