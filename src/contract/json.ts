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

/** Returns the text at a path, trimmed and cut to 500 characters; `""` if there is none. */
export const shortTextAt = (value: unknown, ...path: readonly string[]): string =>
  textAt(value, ...path)
    .trim()
    .slice(0, mostCharacters);

const mostCharacters = 500;

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
 * Whether JSON is nested deeper than `most` levels. For many levels, JSON.parse takes seconds and recursive
 * functions fail.
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

/** Returns the index of the quote that ends a JSON string, or -1. `from` is after the opening quote. */
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

/**
 * Returns the text in a Unicode normal form. The built-in `normalize` needs minutes for long rows of combining
 * marks.
 */
export const normalised = (text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string =>
  text
    .split(manyMarks)
    .map((part) => part.normalize(form))
    .join("");

/** Matches 30 combining marks in a row (UAX 15). U+FF9E and U+FF9F become combining marks in NFKC and NFKD. */
const manyMarks = /([\p{M}\uff9e\uff9f]{30})/u;

/** Returns the field `name` in lower case if it has the form of an id; otherwise null. */
export function idAt(value: unknown, name: string): string | null {
  const id = textAt(value, name);
  return /^[A-Za-z0-9-]{1,64}$/.test(id) ? id.toLowerCase() : null;
}

/** Returns the UUID in the field `name`, in lower case. Returns null for any other value. */
export function uuidAt(value: unknown, name: string): string | null {
  const id = textAt(value, name).toLowerCase();
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : null;
}

/** Returns the field `name` if it is one word, such as a status. Returns `unknown` for any other text. */
export function wordAt(value: unknown, name: string): string {
  const word = textAt(value, name);
  return /^[A-Za-z0-9_./+-]{1,60}$/.test(word) ? word : "unknown";
}

/** Returns the word if the list contains it; otherwise null. */
export const oneOf = <Word extends string>(words: readonly Word[], given: string): Word | null =>
  words.find((word) => word === given) ?? null;

export function instantAt(value: unknown, name: string): string | null {
  const instant = textAt(value, name);
  return /^\d{4}-\d\d-\d\dT[\d:.]{4,20}(Z|[+-]\d\d:\d\d)$/.test(instant) ? instant : null;
}

export function linkAt(value: unknown, name: string): string | null {
  const link = textAt(value, name);
  if (!/^https?:\/\/[!-~]{1,1000}$/i.test(link) || !URL.canParse(link)) return null;
  return new URL(link).href;
}

/** Whether an object has no fields except those in `names`. */
export const hasOnly = (fields: Fields, names: readonly string[]): boolean =>
  Object.keys(fields).every((name) => names.includes(name));

/** Whether a value can be the id of a request or a progress token. */
export const isId = (value: unknown): value is string | number =>
  typeof value === "string" || Number.isSafeInteger(value);
