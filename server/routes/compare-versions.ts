import { coerce, compare, parse, type SemVer } from "semver";

/** SemVer order; `v1.2`, `1.2` and four-part versions are read as the nearest SemVer. */
export function compareVersions(a: string, b: string): number | undefined {
  const [left, right] = [nearest(a), nearest(b)];
  return left && right ? compare(left, right) : undefined;
}

function nearest(version: string): SemVer | null {
  const exact = parse(version.replace(/^v/i, ""));
  if (exact) return exact;
  return /^v?\d+(\.\d+){0,3}([-+][\w.+-]*)?$/i.test(version)
    ? coerce(version, { includePrerelease: true })
    : null;
}
