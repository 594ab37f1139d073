import { coerce, compare, parse, type SemVer } from "semver";
import type { ReleaseType } from "../../src/contract/changelog.ts";
import { plainVersion } from "../../src/contract/version.ts";
import type { VersionForm, VersionOrder } from "../domain/changelog.ts";

/**
 * The order of versions. `v1.2`, `1.2`, four-part versions and `1.1.0 (45)` are read as the nearest SemVer; a whole
 * number of up to three digits is a build number or a version, a longer one a build number only.
 */
export const versionOrder: VersionOrder = {
  formsOf(version) {
    const plain = plainVersion(version);
    if (/^\d+$/.test(plain)) return plain.length > 3 ? ["build"] : ["build", "semver"];
    if (/^\d{4}-\d\d-\d\d$/.test(plain)) return ["date"];
    return nearest(plain) ? ["semver"] : [];
  },
  compare: (a, b, form) => comparisons[form](plainVersion(a), plainVersion(b)),
};

type Comparison = (a: string, b: string) => number;

const comparisons: Record<VersionForm, Comparison> = {
  build: (a, b) => Number(BigInt(a) > BigInt(b)) - Number(BigInt(a) < BigInt(b)),
  date: (a, b) => Number(a > b) - Number(a < b),
  semver: compareSemVer,
};

function compareSemVer(a: string, b: string): number {
  const [left, right] = [nearest(a), nearest(b)];
  return left && right ? compare(left, right) : 0;
}

/** How big a release is: its distance to the greatest release before it, of `others`; `minor` where that is unknown. */
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

const semVerOf = (version: string): SemVer | null =>
  versionOrder.formsOf(version).includes("semver") ? nearest(version) : null;

function nearest(version: string): SemVer | null {
  const plain = plainVersion(version);
  const exact = parse(plain);
  if (exact) return exact;
  return /^\d+(\.\d+){0,3}([-+][\w.+-]*)?(\s.*|\(.*)?$/.test(plain)
    ? coerce(plain, { includePrerelease: true })
    : null;
}
