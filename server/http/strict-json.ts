import { isUtf8 } from "node:buffer";
import { endOfString } from "./json-escapes.ts";
import { malformedJson } from "./malformed-json.ts";

/** How many objects and arrays may lie within one another. */
export const deepestNesting = 32;

/**
 * Parses UTF-8 JSON text, and refuses what JSON.parse lets through although readers differ on it: duplicate keys,
 * `__proto__`, and nesting deeper than 32. Throws `malformed_json`.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformedJson("is not valid UTF-8");
  const text = bytes.toString("utf8");
  const value = parse(text);
  // The text is well-formed here, so every colon outside a string belongs to a key. Fewer keys than colons: one came twice.
  if (countKeys(value, 0) !== countColons(text)) throw malformedJson("has an object with the same key twice");
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformedJson("is not valid JSON");
  }
}

function countKeys(value: unknown, depth: number): number {
  if (!isHolder(value)) return 0;
  if (depth === deepestNesting) throw malformedJson(`nests deeper than ${deepestNesting} levels`);
  let keys = 0;
  if (Array.isArray(value)) {
    for (const element of value) keys += countKeys(element, depth + 1);
    return keys;
  }
  // What JSON.parse makes inherits nothing enumerable, and lists of keys or entries cost twice as much.
  for (const key in value) {
    if (key === "__proto__") throw malformedJson("has a key named __proto__");
    keys += 1 + countKeys(value[key], depth + 1);
  }
  return keys;
}

const isHolder = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const quote = 0x22;
const colon = 0x3a;

function countColons(text: string): number {
  let colons = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at + 1);
    else if (character === colon) colons++;
  }
  return colons;
}
