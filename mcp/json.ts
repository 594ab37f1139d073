/** Reads unchecked JSON: a value of another type counts as missing. */

export const at = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

export const isText = (value: unknown): value is string => typeof value === "string";

export function textAt(value: unknown, name: string): string {
  const text = at(value, name);
  return isText(text) ? text : "";
}

export function numberAt(value: unknown, name: string): number | null {
  const number = at(value, name);
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

export function listAt(value: unknown, name: string): unknown[] {
  const list = at(value, name);
  return Array.isArray(list) ? list : [];
}

export function recordAt(value: unknown, name: string): Record<string, unknown> {
  const record = at(value, name);
  return typeof record === "object" && record !== null && !Array.isArray(record) ? { ...record } : {};
}

/** An id in lower case. */
export function idAt(value: unknown, name: string): string | null {
  const id = textAt(value, name);
  return /^[A-Za-z0-9-]{1,64}$/.test(id) ? id.toLowerCase() : null;
}

/** A word that the server chose from a list, such as a status; `unknown` for any other text. */
export function wordAt(value: unknown, name: string): string {
  const word = textAt(value, name);
  return /^[A-Za-z0-9_./+-]{1,60}$/.test(word) ? word : "unknown";
}

/** The word, if it is one of the list. */
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

/** The fields of unchecked JSON. */
export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether an object has no other fields than these. */
export const hasOnly = (fields: Fields, names: readonly string[]): boolean =>
  Object.keys(fields).every((name) => names.includes(name));

/** Whether a value can be the id of a request, or a token of progress. */
export const isId = (value: unknown): value is string | number =>
  typeof value === "string" || Number.isSafeInteger(value);
