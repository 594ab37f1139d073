import type { SemVer } from "semver";
import coerce from "semver/functions/coerce.js";
import compare from "semver/functions/compare.js";
import parse from "semver/functions/parse.js";
import { Temporal } from "temporal-polyfill";
import type { ReleaseType } from "../../../src/contract/changelog.ts";
import { comparableVersion, isSameVersion } from "../../../src/contract/content-text.ts";

/** A release note with its main version and the versions for single platforms. */
export interface VersionedEntry {
  readonly id: string;
  readonly version: string;
  readonly versions: readonly { readonly version: string }[];
}

/**
 * Returns the entries that a user of version `since` has not seen. `entries` must be sorted newest first.
 * (rules C8 and C9)
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

/** Whether version `a` is greater than `b`, in their most specific shared form. False if they share none. */
export function isGreaterVersion(a: string, b: string, order: VersionOrder): boolean {
  const form = order.formsOf(a).find((one) => order.formsOf(b).includes(one));
  return form !== undefined && order.compare(a, b, form) > 0;
}

/** Returns the entries with this main version. If there are none, returns the entries with this platform version. */
function entriesOf<Entry extends VersionedEntry>(
  entries: readonly Entry[],
  wanted: string,
): readonly Entry[] {
  const own = entries.filter(({ version }) => isSameVersion(version, wanted));
  if (own.length > 0) return own;
  return entries.filter(({ versions }) => versions.some(({ version }) => isSameVersion(version, wanted)));
}

/**
 * Returns the entries with a version greater than `since`; all entries if `since` has no known form.
 * (rule C9)
 */
function greaterThan<Entry extends VersionedEntry>(
  entries: readonly Entry[],
  since: string,
  order: VersionOrder,
): readonly Entry[] {
  const given = order.formsOf(since);
  if (given.length === 0) return entries;
  // A short number is compared as a build number and as SemVer.
  const forms = given.filter((form) => entries.some((entry) => versionsIn(entry, form, order).length > 0));
  const isGreater = (version: string, form: VersionForm) =>
    order.compare(version, since, form) > 0 &&
    (form !== "semver" || !forms.includes("build") || order.compare(version, firstYear, form) < 0);
  const greater = forms.flatMap((form) => {
    const found = entries.filter((entry) =>
      versionsIn(entry, form, order).some((version) => isGreater(version, form)),
    );
    const oldest = found.at(-1);
    // For build numbers, all entries that are newer than `oldest` are also unseen.
    return form === "build" && oldest ? entries.slice(0, entries.indexOf(oldest) + 1) : found;
  });
  const unseen = new Set(greater);
  return entries.filter((entry) => unseen.has(entry));
}

/** If a version may be a build number, SemVer versions from this year on are not compared with it. */
const firstYear = "1000";

/** Returns the main version if it has the given form, or else the platform versions that have this form. */
function versionsIn({ version, versions }: VersionedEntry, form: VersionForm, order: VersionOrder): string[] {
  const hasForm = (one: string) => order.formsOf(one).includes(form);
  if (hasForm(version)) return [version];
  return versions.map((platform) => platform.version).filter(hasForm);
}

/** Only versions of the same form can be compared. For example, the build number 45 is not compared with `1.4.2`. */
type VersionForm = "build" | "date" | "semver";

export interface VersionOrder {
  /** Returns all possible forms of a version, the most specific form first. For `Winter`, the list is empty. */
  formsOf(version: string): readonly VersionForm[];
  /** Returns a positive number if `a` is greater than `b`. `a` and `b` must have the given form. */
  compare(a: string, b: string, form: VersionForm): number;
}

/** Compares versions. `v1.2` has the form SemVer. `1000` has the form build number. `45` has both forms. */
export const versionOrder: VersionOrder = {
  formsOf: (version) => parsed(version).forms,
  compare: (a, b, form) => comparisons[form](parsed(a), parsed(b)),
};

interface ParsedVersion {
  readonly plain: string;
  readonly forms: readonly VersionForm[];
  /** The nearest SemVer version; null if the text is not similar to a SemVer version. */
  readonly semVer: SemVer | null;
}

const cache = new Map<string, ParsedVersion>();

const mostCached = 50_000;

/**
 * Parses a version and caches the result. Without the cache, thousands of versions in one request block other requests.
 */
function parsed(version: string): ParsedVersion {
  const cached = cache.get(version);
  if (cached) return cached;
  if (cache.size >= mostCached) cache.clear();
  const plain = comparableVersion(version);
  const semVer = nearest(plain);
  const result = { plain, semVer, forms: formsOf(plain, semVer) };
  cache.set(version, result);
  return result;
}

function formsOf(plain: string, semVer: SemVer | null): readonly VersionForm[] {
  if (/^\d+$/.test(plain)) return plain.length > 3 ? ["build"] : ["build", "semver"];
  if (/^\d{4}-\d\d-\d\d$/.test(plain)) return ["date"];
  return semVer ? ["semver"] : [];
}

type Comparison = (a: ParsedVersion, b: ParsedVersion) => number;

const comparisons: Record<VersionForm, Comparison> = {
  build: ({ plain: a }, { plain: b }) => Number(BigInt(a) > BigInt(b)) - Number(BigInt(a) < BigInt(b)),
  date: ({ plain: a }, { plain: b }) => Number(a > b) - Number(a < b),
  semver: ({ semVer: a }, { semVer: b }) => (a && b ? compare(a, b) : 0),
};

/**
 * Returns the first part in which `version` differs from the highest lower version. The default is `minor`.
 * (rule C14)
 */
export function releaseTypeAfter(version: string, others: readonly string[]): ReleaseType {
  const own = semVerOf(version);
  if (!own) return "minor";
  const before = others
    .flatMap((other) => semVerOf(other) ?? [])
    .filter((other) => other.prerelease.length === 0 && other.compareMain(own) < 0)
    .reduce<SemVer | undefined>((last, one) => (last && compare(last, one) > 0 ? last : one), undefined);
  if (!before) return "minor";
  if (before.major !== own.major) return "major";
  return before.minor === own.minor ? "patch" : "minor";
}

function semVerOf(version: string): SemVer | null {
  const { forms, semVer } = parsed(version);
  return forms.includes("semver") ? semVer : null;
}

function nearest(plain: string): SemVer | null {
  const exact = parse(plain);
  if (exact) return exact;
  return /^\d+(\.\d+){0,3}([-+][\w.+-]*)?(\s.*|\(.*)?$/.test(plain)
    ? coerce(plain, { includePrerelease: true })
    : null;
}

/** The fields of a release note that an import can set. The values are stored as text. Lists are JSON. */
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
  /** The fields that, after the import, still count as changed by a person. */
  readonly edited: readonly ReleaseField[];
}

/** Decides what an import changes. Fields that a person has changed stay, unless `overwrite` is true. (rule C11) */
export function mergeImport(stored: StoredRelease, given: ReleaseValues, overwrite: boolean): Merged {
  const differing = differingFields(stored.values, given);
  const kept = overwrite ? [] : differing.filter((field) => stored.edited.includes(field));
  return {
    changed: differing.filter((field) => !kept.includes(field)),
    kept,
    // A field that now has the imported value no longer counts as changed by a person.
    edited: stored.edited.filter((field) => given[field] === undefined || kept.includes(field)),
  };
}

/** Returns the fields that a person has changed so far, including the fields of this change. */
export function markEdited(stored: StoredRelease, given: ReleaseValues): readonly ReleaseField[] {
  const differing = differingFields(stored.values, given);
  return releaseFields.filter((field) => stored.edited.includes(field) || differing.includes(field));
}

const differingFields = (values: ReleaseValues, given: ReleaseValues): readonly ReleaseField[] =>
  releaseFields.filter((field) => given[field] !== undefined && given[field] !== values[field]);

/** Whether apps can read an entry with this date. */
export const isPublished = (publishedAt: string | null, now: Date): boolean =>
  publishedAt !== null && publishedAt <= now.toISOString();

/**
 * Returns the new date of an entry that is published at `now`. Undefined if the entry is already published.
 * (rule C12)
 */
export const publicationOf = (publishedAt: string | null, now: Date): string | undefined =>
  isPublished(publishedAt, now) ? undefined : now.toISOString();

/** Converts the local time of a form field, such as `2026-11-28T14:05`, to UTC. Returns other texts unchanged. */
export function utcOf(local: string, zone: string): string {
  try {
    const { epochMilliseconds } = Temporal.PlainDateTime.from(local).toZonedDateTime(zone);
    return new Date(epochMilliseconds).toISOString().slice(0, local.length > 16 ? 19 : 16);
  } catch {
    return local;
  }
}

/**
 * Converts a UTC time, such as `2026-11-28T14:05`, to the local time for a form field. Returns an empty text unchanged.
 */
export function localOf(utc: string, zone: string): string {
  if (utc === "") return "";
  const instant = Temporal.Instant.from(`${utc}Z`);
  return instant.toZonedDateTimeISO(zone).toPlainDateTime().toString({ smallestUnit: "minute" });
}

/** Whether a text is the name of a time zone. Old names, such as `Asia/Calcutta`, are accepted too. */
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

/** The words that a person has typed to name threads: ids in lower case, numbers, and all other words. */
interface TypedThreads {
  readonly ids: readonly string[];
  readonly numbers: readonly number[];
  readonly unknown: readonly string[];
}

/**
 * Parses a list such as `#12, 13`. The list can also contain thread ids and console addresses of threads. (rule C32)
 */
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

/**
 * Shortens a mail address, such as `ann@x.org` to `a…@x.org`. Members can recognise the shortened address but cannot
 * write to it.
 */
export const maskedAddress = (address: string): string => {
  const at = address.lastIndexOf("@");
  const name = [...address.slice(0, at)];
  const shown = name.slice(0, name.length > 3 ? 2 : 1).join("");
  return `${shown}…${address.slice(at)}`;
};
