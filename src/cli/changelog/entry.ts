import type * as z from "zod/mini";
import type { ReleaseImport } from "../../contract/changelog.ts";
import { limits } from "../../contract/limits.ts";
import { usageError } from "../core/cli-error.ts";
import { type DescribedRelease, unreleased } from "./described-release.ts";

/** A release note as it is sent: the version in the address, and the fields. */
export interface ReleaseEntry {
  readonly version: string;
  readonly body: z.input<typeof ReleaseImport>;
  /** Why it stays a draft; undefined if it is published. */
  readonly draftReason?: string;
}

/** What the command line says for all releases. */
export interface EntryFlags {
  readonly title?: string;
  readonly draft?: boolean;
  readonly preReleases?: boolean;
  readonly publishedAt?: string;
  readonly overwrite?: boolean;
  readonly platformVersion?: { platform: string; version: string }[];
}

/** The fields of a release without its date (rule L32). */
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
      // What was withdrawn disappears from the apps, too.
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
  if (notes.isHidden) return "nothing in it is for an app's users";
  return isPreRelease && !preReleases ? "it is a pre-release, and --pre-releases is not given" : undefined;
}

/** Throws a usage error that names each text that is too long, with its place. */
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
  return length > most ? `${what} has ${length} characters, and may have ${most}` : undefined;
}
