import { Temporal } from "temporal-polyfill";
import { isSameVersion } from "../../../src/contract/version.ts";

/** The versions of a release note. */
export interface VersionedEntry {
  readonly id: string;
  readonly version: string;
  readonly versions: readonly { readonly version: string }[];
}

/**
 * The forms that a version can have. Only versions of the same form are compared: a build number is not compared with
 * `1.4.2`.
 */
export type VersionForm = "build" | "date" | "semver";

export interface VersionOrder {
  /**
   * Returns all forms that a version can have, the most specific one first. The list is empty for a text such as
   * `Winter`.
   */
  formsOf(version: string): readonly VersionForm[];
  /** Returns a positive number if `a` is greater than `b`. Both must have the given form. */
  compare(a: string, b: string, form: VersionForm): number;
}

/**
 * Returns the entries that a user of version `since` has not seen. `entries` must be newest first. If one or more
 * entries have that version, returns all entries that were published after the oldest of them, and all with a greater
 * version. If no entry has it, returns all entries with a greater version. If the version has no known form, returns
 * all entries. (rules C8 and C9)
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

/** Whether `a` is greater than `b`. They are compared in the most specific form that both have. */
export function isGreaterVersion(a: string, b: string, order: VersionOrder): boolean {
  const form = order.formsOf(a).find((one) => order.formsOf(b).includes(one));
  return form !== undefined && order.compare(a, b, form) > 0;
}

/**
 * Returns the entries with a version. If there are none, returns the entries that have the version for one platform.
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

/** The fields of a release note that an import can set. Lists are JSON. */
export const releaseFields = [
  "title",
  "versions",
  "releaseType",
  "bodyFormat",
  "body",
  "items",
  "publishedAt",
  "translations",
] as const;

export type ReleaseField = (typeof releaseFields)[number];

export type ReleaseValues = Readonly<Partial<Record<ReleaseField, string | null | undefined>>>;

export interface StoredRelease {
  readonly values: ReleaseValues;
  /** The fields that a person has changed since the last import. */
  readonly edited: readonly ReleaseField[];
}

interface Merged {
  readonly changed: readonly ReleaseField[];
  /** The fields that the import does not change, because a person has changed them. */
  readonly kept: readonly ReleaseField[];
  /** The fields that count as changed by a person from now on. */
  readonly edited: readonly ReleaseField[];
}

/**
 * Decides what an import changes in an entry. It does not change a field that a person has changed, unless `overwrite`
 * is true. (rule C11)
 */
export function mergeImport(stored: StoredRelease, given: ReleaseValues, overwrite: boolean): Merged {
  const differing = differingFields(stored.values, given);
  const kept = overwrite ? [] : differing.filter((field) => stored.edited.includes(field));
  return {
    changed: differing.filter((field) => !kept.includes(field)),
    kept,
    // If a field has the imported value, it no longer counts as changed by a person.
    edited: stored.edited.filter((field) => given[field] === undefined || kept.includes(field)),
  };
}

/** Returns the fields that count as changed by a person after a person has made this change. */
export function markEdited(stored: StoredRelease, given: ReleaseValues): readonly ReleaseField[] {
  const differing = differingFields(stored.values, given);
  return releaseFields.filter((field) => stored.edited.includes(field) || differing.includes(field));
}

const differingFields = (values: ReleaseValues, given: ReleaseValues): readonly ReleaseField[] =>
  releaseFields.filter((field) => given[field] !== undefined && given[field] !== values[field]);

/** The parts of the text with which a person names threads: ids in lower case, numbers, and words that are neither. */
export interface TypedThreads {
  readonly ids: readonly string[];
  readonly numbers: readonly number[];
  readonly unknown: readonly string[];
}

/** Reads `#12, 13`, ids of threads and addresses of threads in the console. (rule C32) */
export function typedThreads(text: string): TypedThreads {
  const words = [...new Set(text.split(/[\s,;]+/).filter((word) => word !== ""))];
  const numbers = words.flatMap((word) => {
    const [, digits] = /^(?:#|https?:\/\/\S+\/t\/[\da-f-]{36}\/)?([1-9]\d{0,8})$/i.exec(word) ?? [];
    return digits === undefined ? [] : [{ word, number: Number(digits) }];
  });
  const ids = words.flatMap((word) => {
    const [, id] =
      /^(?:https?:\/\/\S+\/feedback\/[\da-f-]{36}\/)?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:[?#].*)?$/i.exec(
        word,
      ) ?? [];
    return id === undefined ? [] : [{ word, id: id.toLowerCase() }];
  });
  const read = new Set([...numbers, ...ids].map(({ word }) => word));
  return {
    ids: [...new Set(ids.map(({ id }) => id))],
    numbers: [...new Set(numbers.map(({ number }) => number))],
    unknown: words.filter((word) => !read.has(word)),
  };
}

/** Shortens an address for a list of receivers, so that one can recognise the person but not write to them. */
export const maskedAddress = (address: string): string => {
  const at = address.lastIndexOf("@");
  const name = [...address.slice(0, at)];
  const shown = name.slice(0, name.length > 3 ? 2 : 1).join("");
  return `${shown}…${address.slice(at)}`;
};

/** Returns a local time of a form field, such as `2026-11-28T14:05`, in UTC and in the same form. Another text stays. */
export function utcOf(local: string, zone: string): string {
  try {
    const { epochMilliseconds } = Temporal.PlainDateTime.from(local).toZonedDateTime(zone);
    return new Date(epochMilliseconds).toISOString().slice(0, local.length > 16 ? 19 : 16);
  } catch {
    return local;
  }
}

/** Returns a time in UTC as the value of a form field in a time zone. An empty text stays. */
export function localOf(utc: string, zone: string): string {
  if (utc === "") return "";
  const instant = Temporal.Instant.from(`${utc}Z`);
  return instant.toZonedDateTimeISO(zone).toPlainDateTime().toString({ smallestUnit: "minute" });
}

/** Whether a text is the name of a time zone. Browsers and servers may use different names for one zone. */
export function isZone(name: string): boolean {
  try {
    return (
      name !== "" &&
      name.length <= 64 &&
      Temporal.Instant.from("2000-01-01T00Z").toZonedDateTimeISO(name) !== undefined
    );
  } catch {
    return false;
  }
}

/** Whether a release note has all words of a search in its texts. The words are in lower case. */
export const hasWords = (texts: readonly string[], words: readonly string[]): boolean => {
  const text = texts.join("\n").toLowerCase().normalize("NFC");
  return words.every((word) => text.includes(word));
};

/** Returns the words of a search, each once. */
export const wordsOf = (query: string): readonly string[] => [
  ...new Set(
    query
      .toLowerCase()
      .normalize("NFC")
      .split(/\s+/)
      .filter((word) => word !== ""),
  ),
];
