import { type Fields, textAt } from "../src/contract/json.ts";

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

/** Whether an object has no other fields than these. */
export const hasOnly = (fields: Fields, names: readonly string[]): boolean =>
  Object.keys(fields).every((name) => names.includes(name));

/** Whether a value can be the id of a request or a progress token. */
export const isId = (value: unknown): value is string | number =>
  typeof value === "string" || Number.isSafeInteger(value);
