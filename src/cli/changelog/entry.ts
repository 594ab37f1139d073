import type * as z from "zod/mini";
import type { ReleaseImport } from "../../contract/changelog.ts";
import { isSameVersion, plainVersion } from "../../contract/content-text.ts";
import { limits } from "../../contract/limits.ts";
import { usageError } from "../core/cli-error.ts";
import type { Notes } from "./notes/release-notes.ts";

/** The request for a release note. The version is part of its URL. */
export interface ReleaseEntry {
  readonly version: string;
  readonly body: z.input<typeof ReleaseImport>;
  /** Why the release note is kept as a draft. Undefined if it is published. */
  readonly draftReason?: string;
}

/** The flags that apply to all releases. */
export interface EntryFlags {
  readonly title?: string;
  readonly draft?: boolean;
  readonly preReleases?: boolean;
  readonly publishedAt?: string;
  readonly overwrite?: boolean;
  readonly platformVersion?: { platform: string; version: string }[];
}

/** Returns the request for a release, without its date of publication. (rule L32) */
export function entryOf(release: DescribedRelease, flags: EntryFlags): ReleaseEntry {
  const { version = unreleased, notes, isYanked, releaseType } = release;
  const draftReason = reasonFor(release, flags);
  const usual = release.version === undefined ? unreleased : `Version ${version}`;
  return {
    version,
    body: {
      title: flags.title ?? release.title ?? usual,
      ...(releaseType && { releaseType }),
      bodyFormat: notes.isList ? "items" : "markdown",
      body: notes.body,
      items: notes.items.map(({ type, text }) => ({ type, text })),
      ...(flags.platformVersion && { versions: flags.platformVersion }),
      // Unpublishes a withdrawn release, so that apps no longer show it.
      ...(isYanked && { publishedAt: null }),
      ...(flags.overwrite && { overwrite: true }),
    },
    ...(draftReason !== undefined && { draftReason }),
  };
}

function reasonFor(
  { draftReason, isPreRelease, notes }: DescribedRelease,
  { draft, preReleases }: EntryFlags,
): string | undefined {
  if (draft) return "--draft leaves publishing to a person";
  if (draftReason !== undefined) return draftReason;
  if (notes.isHidden) return "nothing in it concerns an app's users";
  return isPreRelease && !preReleases ? "it is a pre-release, and --pre-releases is not given" : undefined;
}

/** Throws a usage error if texts are too long. The error names all of them with their places in the source. */
export function assertFits(releases: readonly DescribedRelease[], entries: readonly ReleaseEntry[]): void {
  const issues = entries.flatMap(({ version, body }, at) =>
    [
      tooLong("the title", body.title ?? "", limits.changelogTitle),
      tooLong("the text", body.body ?? "", limits.changelogBody),
      tooLong("the version", version, limits.version),
    ].flatMap((message) => (message ? [{ path: releases[at]?.place ?? version, message }] : [])),
  );
  if (issues.length > 0) throw usageError("These release notes are too long:", undefined, { issues });
}

function tooLong(what: string, text: string, most: number): string | undefined {
  const { length } = [...text];
  return length > most ? `${what} has ${length} characters, but may have at most ${most}` : undefined;
}

/** The version under which the server stores the draft of unreleased notes. */
export const unreleased = "Unreleased";

/** A version that was read from a source, such as a file, commits, or a GitHub release. */
export interface DescribedRelease {
  /** The version. Undefined for unreleased notes. */
  readonly version?: string;
  /** Where the version is in the source, such as `CHANGELOG.md:12`. */
  readonly place: string;
  /** The title. Undefined if the source has only the version. */
  readonly title?: string;
  /** A date, such as `2026-11-22`, with or without a time. */
  readonly date?: string;
  readonly releaseType?: "major" | "minor" | "patch";
  /** Why the release is not published automatically, such as `it is yanked`. */
  readonly draftReason?: string;
  /** Whether the release was withdrawn after its publication. */
  readonly isYanked?: boolean;
  readonly isPreRelease: boolean;
  readonly notes: Notes;
}

/** The releases of a source, the oldest first, and remarks that are printed for the person. */
export interface Described {
  readonly releases: readonly DescribedRelease[];
  readonly remarks: readonly string[];
}

/** Whether a version is a pre-release, such as `2.0.0-rc.1`. */
export function isPreRelease(version: string): boolean {
  const plain = plainVersion(version);
  if (/^\d{4}-\d\d-\d\d$/.test(plain)) return false;
  return /^\d+(?:\.\d+)*-[0-9A-Za-z]|^\d+\.[\d.]*\d\.?(?:a|b|c|rc|alpha|beta|dev|pre)\d*\b/i.test(plain);
}

/**
 * Returns 2.4.0 for `v2.4.0`, `app@2.4.0`, `release-2.4.0` or `android/v2.4.0`. Returns any other tag unchanged.
 */
export function versionOfTag(tag: string): string {
  const plain = plainVersion(tag.replace(/^refs\/tags\//, ""));
  if (/^\d/.test(plain)) return plain;
  return /(?:^|[/@_-])v?(\d+(?:\.\d+)+[0-9A-Za-z.+-]*)$/i.exec(plain)?.[1] ?? plain;
}

/** Whether a tag or version that a person or a CI job named means this version. */
export const means = (wanted: string, version: string): boolean =>
  isSameVersion(wanted, version) || isSameVersion(versionOfTag(wanted), version);
