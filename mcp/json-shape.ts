/** The fields of unchecked JSON. */
export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether an object has no other fields than these. */
export const hasOnly = (fields: Fields, names: readonly string[]): boolean =>
  Object.keys(fields).every((name) => names.includes(name));

export const isEmpty = (fields: Fields): boolean => Object.keys(fields).length === 0;

/** Whether every field is an empty object. */
export const holdsEmpty = (fields: Fields): boolean =>
  Object.values(fields).every((value) => isObject(value) && isEmpty(value));

export const isFlag = (value: unknown): boolean => typeof value === "boolean";

/** Whether a value can be the id of a request, or a token of progress. */
export const isId = (value: unknown): value is string | number =>
  typeof value === "string" || Number.isSafeInteger(value);
