import type { SemVer } from "semver";
import coerce from "semver/functions/coerce.js";
import compare from "semver/functions/compare.js";
import parse from "semver/functions/parse.js";
import type { ReleaseType } from "../../../src/contract/changelog.ts";
import { comparableVersion } from "../../../src/contract/version.ts";

/**
 * The forms that a version can have. Only versions of the same form are compared: a build number is not compared with
 * `1.4.2`.
 */
export type VersionForm = "build" | "date" | "semver";

/** How versions are compared. */
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
 * Compares versions. `v1.2`, `1.2`, versions with four parts and `1.1.0 (45)` are compared as the nearest SemVer
 * version. A whole number of up to three digits can be a build number or a version. A longer number is always a build
 * number.
 */
export const versionOrder: VersionOrder = {
  formsOf: (version) => parsed(version).forms,
  compare: (a, b, form) => comparisons[form](parsed(a), parsed(b)),
};

interface ParsedVersion {
  readonly plain: string;
  readonly forms: readonly VersionForm[];
  /** The SemVer version nearest to the written version; null if there is none. */
  readonly semVer: SemVer | null;
}

const cache = new Map<string, ParsedVersion>();

const mostCached = 50_000;

/**
 * Parses a version and caches the result. To parse thousands of versions for each request would block all other
 * requests.
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
 * Returns the type of a release. It says in which part (major, minor or patch) the version differs from the greatest
 * lower version among `others`. Returns `minor` if there is no such version, or if the version is not SemVer. (rule
 * C14)
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
