import { ApiError } from "../../src/contract/errors.ts";
import { versionOf } from "./filled-form.ts";
import type { Fields } from "./form-values.tsx";

/** Values of a form by the names of its fields. */
export type Values = Readonly<Record<string, string>>;

/** The name of the hidden field that holds the version of a field's value when the form was shown. */
export const originalVersionName = (name: string): string => `was-${name}`;

/** Identifies a version of a field's value. All kinds of line breaks count as the same: a form sends each as a line feed. */
export const fieldVersion = (value: string): string => versionOf(withLineFeeds(value));

const withLineFeeds = (value: string): string => value.replace(/\r\n?/g, "\n");

/** The values that a form sent for these fields. */
export const givenFor = (fields: Fields, names: Values): Values =>
  Object.fromEntries(Object.keys(names).map((name) => [name, fields.text(name)]));

/**
 * The values of `given` that were changed in this form. Unchanged values are left out, so that they do not undo somebody
 * else's change. Throws a `bad_request` that names every field that both changed.
 */
export function changedValues(fields: Fields, given: Values, current: Values): Values {
  const changed = Object.entries(given).filter(
    ([name, value]) => fieldVersion(value) !== fields.text(originalVersionName(name)),
  );
  const issues = changed
    .filter(([name, value]) =>
      isChangedElsewhere(fields, name, { current: current[name] ?? "", given: value }),
    )
    .map(([path]) => ({ path, message }));
  if (issues.length > 0) throw new ApiError("bad_request", { issues });
  return Object.fromEntries(changed);
}

const message =
  "was changed by somebody else since you opened this page. Save again to replace it with yours, or open the page again to see it";

const isChangedElsewhere = (
  fields: Fields,
  name: string,
  { current, given }: { readonly current: string; readonly given: string },
): boolean =>
  fieldVersion(current) !== fields.text(originalVersionName(name)) && withLineFeeds(current) !== given.trim();
