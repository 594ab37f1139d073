import { isUtf8 } from "node:buffer";
import { endOfString } from "./json-string.ts";
import { tameJson } from "./tame-json.ts";
import { malformedJson } from "./upload.ts";

/** How deep objects and arrays may be nested. */
export const deepestNesting = 32;

/** How many elements a list of a request may have. */
const mostElements = 10_000;

/** The field of a body whose value may be any JSON value; `anything` if the whole text is that value. */
export type Free = string | typeof anything;
export const anything: unique symbol = Symbol("anything");

/**
 * Parses UTF-8 JSON text. Refuses what JSON.parse accepts although readers disagree on it: duplicate keys, `__proto__`,
 * nesting deeper than 32, and lists longer than any limit. Throws `malformed_json`. Inside `free` only duplicate keys
 * are refused: see `tameJson`.
 */
export function parseStrictJson(bytes: Buffer, free?: Free): unknown {
  if (!isUtf8(bytes)) throw malformedJson("is not valid UTF-8");
  const given = bytes.toString("utf8", hasByteOrderMark(bytes) ? 3 : 0);
  const text = free === undefined ? given : tameJson(given, free === anything ? undefined : free);
  // Checked before parsing: JSON.parse takes seconds for a megabyte of brackets, and walking its value overflows the
  // stack.
  const colons = countColons(text);
  const value = parse(text);
  // The text is well-formed here, so every colon outside a string belongs to a key. Fewer keys than colons mean that a
  // key came twice.
  if (countKeys(value, free) !== colons) throw malformedJson("has an object with the same key twice");
  return value;
}

/** Some programs write it before UTF-8. It is not a part of the JSON. */
const hasByteOrderMark = (bytes: Buffer): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformedJson("is not valid JSON");
  }
}

function countKeys(value: unknown, free?: Free): number {
  if (!isHolder(value)) return 0;
  const inner = free === anything ? anything : undefined;
  let keys = 0;
  if (Array.isArray(value)) {
    if (value.length > mostElements && inner === undefined)
      throw malformedJson(`has a list of over ${mostElements} elements`);
    for (const element of value) keys += countKeys(element, inner);
    return keys;
  }
  // Objects of JSON.parse inherit nothing enumerable, and lists of keys or entries take twice as long.
  for (const key in value) {
    if (key === "__proto__" && inner === undefined) throw malformedJson("has a key named __proto__");
    keys += 1 + countKeys(value[key], key === free ? anything : inner);
  }
  return keys;
}

const isHolder = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const quote = 0x22;
const colon = 0x3a;
const isOpening = (character: number) => character === 0x5b || character === 0x7b;
const isClosing = (character: number) => character === 0x5d || character === 0x7d;

/**
 * Counts the colons outside strings. Throws if the text is nested too deep. The count has no meaning for text that is
 * not JSON.
 */
function countColons(text: string): number {
  let colons = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      at = endOfString(text, at + 1);
      if (at === -1) break;
    } else if (character === colon) colons++;
    else if (isOpening(character)) depth++;
    else if (isClosing(character)) depth--;
    if (depth > deepestNesting) throw malformedJson(`nests deeper than ${deepestNesting} levels`);
  }
  return colons;
}
