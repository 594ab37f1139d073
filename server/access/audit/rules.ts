import type { AuditChange } from "../../../src/contract/audit.ts";

/** Values by the names of their fields. */
type Values = Readonly<Record<string, unknown>>;

/** Longer values are cut. */
const longest = 300;

/**
 * The fields in which `after` differs from `before`. What `after` lacks was not changed. Of the fields in `unshown` only the names
 * are given: they hold secrets or long texts.
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
