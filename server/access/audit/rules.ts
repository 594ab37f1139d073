import { Temporal } from "temporal-polyfill";
import type { AuditChange } from "../../../src/contract/audit.ts";

/** The values of an object's fields, by the names of the fields. */
type Values = Readonly<Record<string, unknown>>;

/** How many characters of a value the audit stores. Longer values are shortened. */
const longest = 300;

/**
 * Returns the fields that differ. A field that `after` does not contain has not changed. For fields in
 * `unshown`, the result has no values.
 */
export const changesBetween = (
  before: Values,
  after: Values,
  unshown: readonly string[] = [],
): readonly AuditChange[] =>
  Object.entries(after)
    .filter(([field, to]) => to !== undefined && textOf(before[field]) !== textOf(to))
    .map(([field, to]) =>
      unshown.includes(field) ? { field } : { field, from: cut(textOf(before[field])), to: cut(textOf(to)) },
    );

function textOf(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

const cut = (text: string | null): string | null =>
  text === null || text.length <= longest ? text : `${[...text].slice(0, longest - 1).join("")}…`;

/** Returns the first instant of a calendar day (YYYY-MM-DD) in UTC; undefined for other text. (rule O4) */
export const startOfDay = (text: string): string | undefined => startOf(dayOf(text));

/** Returns the first instant after a calendar day (YYYY-MM-DD) in UTC; undefined for other text. (rule O4) */
export const endOfDay = (text: string): string | undefined => startOf(dayOf(text)?.add({ days: 1 }));

const startOf = (day: Temporal.PlainDate | undefined): string | undefined => day && `${day}T00:00:00.000Z`;

function dayOf(text: string): Temporal.PlainDate | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  try {
    return Temporal.PlainDate.from(text);
  } catch {
    return undefined;
  }
}
