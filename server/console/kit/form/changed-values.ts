import { ApiError } from "../../../../src/contract/errors.ts";
import { versionOf } from "./filled-form.ts";
import type { Fields } from "./read-form.ts";

/** Values of a form by the names of its fields. */
export type Values = Readonly<Record<string, string>>;

/** The hidden field that remembers which version of a value a form began with. */
export const wasName = (name: string): string => `was-${name}`;

/** Tells versions of a field apart; line ends count alike, for a form sends every line break as a line feed. */
export const fieldVersion = (value: string): string => versionOf(withLineFeeds(value));

const withLineFeeds = (value: string): string => value.replace(/\r\n?/g, "\n");

/** What a form sent for these fields. */
export const givenFor = (fields: Fields, names: Values): Values =>
  Object.fromEntries(Object.keys(names).map((name) => [name, fields.text(name)]));

/**
 * What of `given` was changed in this form. What a form shows and leaves alone is not sent on, so that it undoes
 * nothing that somebody else did meanwhile. Throws a `bad_request` at every field that both changed.
 */
export function changedValues(fields: Fields, given: Values, current: Values): Values {
  const changed = Object.entries(given).filter(
    ([name, value]) => fieldVersion(value) !== fields.text(wasName(name)),
  );
  const issues = changed
    .filter(([name, value]) => isChangedElsewhere(fields, name, current[name] ?? "", value))
    .map(([path]) => ({ path, message }));
  if (issues.length > 0) throw new ApiError("bad_request", { issues });
  return Object.fromEntries(changed);
}

const message =
  "was changed by somebody else since you opened this page. Save again to replace it with yours, or open the page anew to see it";

const isChangedElsewhere = (fields: Fields, name: string, current: string, given: string): boolean =>
  fieldVersion(current) !== fields.text(wasName(name)) && withLineFeeds(current) !== given.trim();
