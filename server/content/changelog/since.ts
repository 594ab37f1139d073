import { isSameVersion } from "../../../src/contract/version.ts";
import type { VersionForm, VersionOrder } from "./rules.ts";

/** The versions of a release note. */
export interface VersionedEntry {
  readonly id: string;
  readonly version: string;
  readonly versions: readonly { readonly version: string }[];
}

/**
 * Returns the entries that a user of version `since` has not seen. `entries` must be newest first. If one or more
 * entries have that version, returns all entries that were published after the oldest of these, and all entries with a
 * greater version. If no entry has that version, returns all entries with a greater version. If the version has no
 * known form, returns all entries. (rules C8 and C9)
 */
export function unseenSince<Entry extends VersionedEntry>(
  entries: readonly Entry[],
  since: string,
  order: VersionOrder,
): readonly Entry[] {
  const seen = entriesOf(entries, since);
  const oldest = seen.at(-1);
  if (!oldest) return greaterThan(entries, since, order);
  const at = entries.indexOf(oldest);
  const known = new Set(seen);
  return entries.filter(
    (entry, index) =>
      !known.has(entry) && (index < at || isGreaterVersion(entry.version, oldest.version, order)),
  );
}

/** Whether `a` is greater than `b`. The versions are compared in the most specific form that both have. */
export function isGreaterVersion(a: string, b: string, order: VersionOrder): boolean {
  const form = order.formsOf(a).find((one) => order.formsOf(b).includes(one));
  return form !== undefined && order.compare(a, b, form) > 0;
}

/**
 * Returns the entries with this version. If there are none, returns the entries that have this version for one of their
 * platforms.
 */
function entriesOf<Entry extends VersionedEntry>(
  entries: readonly Entry[],
  wanted: string,
): readonly Entry[] {
  const own = entries.filter(({ version }) => isSameVersion(version, wanted));
  if (own.length > 0) return own;
  return entries.filter(({ versions }) => versions.some(({ version }) => isSameVersion(version, wanted)));
}

function greaterThan<Entry extends VersionedEntry>(
  entries: readonly Entry[],
  since: string,
  order: VersionOrder,
): readonly Entry[] {
  const forms = order.formsOf(since);
  if (forms.length === 0) return entries;
  const form = forms.find((one) => entries.some((entry) => versionsIn(entry, one, order).length > 0));
  if (form === undefined) return [];
  return entries.filter((entry) =>
    versionsIn(entry, form, order).some((version) => order.compare(version, since, form) > 0),
  );
}

/**
 * Returns the versions of an entry that have a form. It uses the entry's own version if that has the form, otherwise
 * the versions of its platforms.
 */
function versionsIn({ version, versions }: VersionedEntry, form: VersionForm, order: VersionOrder): string[] {
  const hasForm = (one: string) => order.formsOf(one).includes(form);
  if (hasForm(version)) return [version];
  return versions.map((platform) => platform.version).filter(hasForm);
}
