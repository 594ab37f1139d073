import { malformedJson } from "./upload.ts";

/** Whether a string of a JSON text that ends at `end` is a key. */
export function isKey(text: string, end: number): boolean {
  keyEnd.lastIndex = end + 1;
  return keyEnd.test(text);
}

const keyEnd = /\s*:/y;

/** Whether a JSON string, with its quotes and escapes, is the name of a field. */
export function isNamed(raw: string, field: string): boolean {
  if (!raw.includes("\\")) return raw === `"${field}"`;
  return parsed(raw) === field;
}

/** Returns the value of a JSON text. Throws `malformed_json` if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformedJson("is not valid JSON");
  }
}

/** The fault of a text with an object that has the same key twice. */
export const twoEqualKeys = () => malformedJson("has an object with the same key twice");
