import { plainVersion } from "../../contract/version.ts";
import type { Notes } from "./notes/release-notes.ts";

/** The version of the one draft for notes that have no version yet. */
export const unreleased = "Unreleased";

/** A version as a source describes it: a file, commits, or a release of GitHub. */
export interface DescribedRelease {
  /** Undefined for notes that have no version yet. */
  readonly version?: string;
  /** Where it stands, such as `CHANGELOG.md:12`. */
  readonly place: string;
  /** Undefined if the source names only the version. */
  readonly title?: string;
  /** A day (`2026-11-22`) or an instant. */
  readonly date?: string;
  readonly releaseType?: "major" | "minor" | "patch";
  /** Why a person must publish it, such as `it is yanked`. */
  readonly draftReason?: string;
  /** Whether it was withdrawn after it had been published. */
  readonly isYanked?: boolean;
  readonly isPreRelease: boolean;
  readonly notes: Notes;
}

/** The releases of a source, the oldest first, and what the person should know of them. */
export interface Described {
  readonly releases: readonly DescribedRelease[];
  readonly remarks: readonly string[];
}

/** Whether a version is one before a release, such as `2.0.0-rc.1`. */
export function isPreRelease(version: string): boolean {
  const plain = plainVersion(version);
  if (/^\d{4}-\d\d-\d\d$/.test(plain)) return false;
  return /^\d+(?:\.\d+)*-[0-9A-Za-z]|^\d+\.[\d.]*\d\.?(?:a|b|c|rc|alpha|beta|dev|pre)\d*\b/i.test(plain);
}
