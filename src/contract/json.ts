/** Functions that read JSON of unknown structure. They treat a field of an unexpected type as missing. */

export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields => isObjectOrList(value) && !Array.isArray(value);

export const isObjectOrList = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

export const isText = (value: unknown): value is string => typeof value === "string";

/** Returns the fields of an object. Returns an empty object for any other value. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** Returns the value at a path of field names; undefined if there is none. Inherited fields do not count. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (!isObjectOrList(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/** Returns the text at a path; `""` if there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const text = valueAt(value, ...path);
  return isText(text) ? text : "";
}

export function numberAt(value: unknown, ...path: readonly string[]): number | null {
  const number = valueAt(value, ...path);
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

export function listAt(value: unknown, ...path: readonly string[]): unknown[] {
  const list = valueAt(value, ...path);
  return Array.isArray(list) ? list : [];
}

/** Returns the value of a JSON text; undefined if the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const [quote, backslash] = [0x22, 0x5c];

/**
 * Whether lists and objects of a JSON text are nested deeper than `most` levels. JSON.parse needs seconds for a
 * megabyte of brackets, and the result would overflow the stack of recursive functions.
 */
export function isNestedDeeperThan(json: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      at = endOfString(json, at + 1);
      if (at === -1) return false;
    } else if (code === 0x5b || code === 0x7b) depth++;
    else if (code === 0x5d || code === 0x7d) depth--;
    if (depth > most) return true;
  }
  return false;
}

/**
 * Returns the index of the quote that ends a JSON string; -1 if there is none. `from` is the index after the opening
 * quote.
 */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** Whether an odd number of backslashes is in front of an index. */
export function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (text.charCodeAt(start - 1) === backslash) start--;
  return (index - start) % 2 === 1;
}
