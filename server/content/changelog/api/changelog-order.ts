import type { SemVer } from "semver";
import coerce from "semver/functions/coerce.js";
import compare from "semver/functions/compare.js";
import parse from "semver/functions/parse.js";
import type { ReleaseType } from "../../../../src/contract/changelog.ts";
import { comparableVersion } from "../../../../src/contract/version.ts";
import type { VersionForm, VersionOrder } from "../rules.ts";

/**
 * Orders versions. `v1.2`, `1.2`, four-part versions and `1.1.0 (45)` are read as the nearest SemVer. A whole number of
 * up to three digits is a build number or a version, a longer one only a build number.
 */
export const versionOrder: VersionOrder = {
  formsOf: (version) => readingOf(version).forms,
  compare: (a, b, form) => comparisons[form](readingOf(a), readingOf(b)),
};

/** The parsed form of a version. */
interface Reading {
  readonly plain: string;
  readonly forms: readonly VersionForm[];
  /** The nearest SemVer, or null. */
  readonly semVer: SemVer | null;
}

const readings = new Map<string, Reading>();
const mostReadings = 50_000;

/** Cached: parsing every version of thousands of entries again for each request would block all other requests. */
function readingOf(version: string): Reading {
  const known = readings.get(version);
  if (known) return known;
  if (readings.size >= mostReadings) readings.clear();
  const plain = comparableVersion(version);
  const semVer = nearest(plain);
  const reading = { plain, semVer, forms: formsOf(plain, semVer) };
  readings.set(version, reading);
  return reading;
}

function formsOf(plain: string, semVer: SemVer | null): readonly VersionForm[] {
  if (/^\d+$/.test(plain)) return plain.length > 3 ? ["build"] : ["build", "semver"];
  if (/^\d{4}-\d\d-\d\d$/.test(plain)) return ["date"];
  return semVer ? ["semver"] : [];
}

type Comparison = (a: Reading, b: Reading) => number;

const comparisons: Record<VersionForm, Comparison> = {
  build: ({ plain: a }, { plain: b }) => Number(BigInt(a) > BigInt(b)) - Number(BigInt(a) < BigInt(b)),
  date: ({ plain: a }, { plain: b }) => Number(a > b) - Number(a < b),
  semver: ({ semVer: a }, { semVer: b }) => (a && b ? compare(a, b) : 0),
};

/** The size of a release: its difference to the greatest earlier release among `others`. `minor` if that is unknown. */
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
  const { forms, semVer } = readingOf(version);
  return forms.includes("semver") ? semVer : null;
}

function nearest(plain: string): SemVer | null {
  const exact = parse(plain);
  if (exact) return exact;
  return /^\d+(\.\d+){0,3}([-+][\w.+-]*)?(\s.*|\(.*)?$/.test(plain)
    ? coerce(plain, { includePrerelease: true })
    : null;
}
