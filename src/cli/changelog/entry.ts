import type * as z from "zod/mini";
import { ServerError } from "../../client/errors.ts";
import type {
  EditedChangelogEntry,
  ImportedChangelogEntry,
  ReleaseImport,
} from "../../contract/changelog.ts";
import { feedbackIdsIn, isSameVersion, plainVersion } from "../../contract/content-text.ts";
import { limits } from "../../contract/limits.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { appIdOf } from "../core/ids.ts";
import { lacksConsole } from "../core/missing-endpoints.ts";
import { details, note, printList, printOne } from "../core/output.ts";
import { allWritten } from "./find.ts";
import type { Notes } from "./notes/release-notes.ts";

/** The release notes of an app on the server. */
export interface WrittenReleases {
  readonly appId: string;
  readonly entries: readonly EditedChangelogEntry[];
}

/**
 * Reads all release notes. Throws a CliError if the server has no endpoints that write release notes. (rule L33)
 */
export async function readWritten(invocation: Invocation): Promise<WrittenReleases> {
  try {
    return { appId: await appIdOf(invocation), entries: await allWritten(invocation) };
  } catch (error) {
    throw (await lacksConsole(invocation, error)) ? noWriteEndpoint() : error;
  }
}

const noWriteEndpoint = (): CliError =>
  new CliError({
    exit: "notFound",
    code: "no_write_endpoint",
    message: "This server cannot accept release notes, because it has only endpoints that read them.",
  });

/** Returns the note of a version. Returns undefined if there is none or more than one. */
export function writtenOf({ entries }: WrittenReleases, version: string): EditedChangelogEntry | undefined {
  const [entry, ...others] = entries.filter((one) => isSameVersion(one.version, version));
  return others.length === 0 ? entry : undefined;
}

/**
 * Writes one release note. With `adopts`, the draft `Unreleased` gets the version if the version is new and the
 * greatest.
 */
export async function writeRelease(
  invocation: Invocation,
  written: WrittenReleases,
  { entry: { version, body }, adopts }: { readonly entry: ReleaseEntry; readonly adopts: boolean },
): Promise<ImportedChangelogEntry> {
  const { consoleChangelog } = invocation.client();
  const isNew = !writtenOf(written, version) && isNewer(version, written);
  const draft = adopts && isNew ? writtenOf(written, unreleased) : undefined;
  if (draft?.publishedAt === null) await adopt(invocation, draft.id, version);
  const answer = await consoleChangelog.put({ params: { appId: written.appId, version }, body });
  tellKept(invocation, answer);
  tellUnknownFeedback(invocation, answer);
  return answer;
}

/** Whether `version` is the newest on the server. A release of an older branch is not the newest. */
const isNewer = (version: string, { entries }: WrittenReleases): boolean =>
  entries.every(
    (entry) => entry.version === unreleased || isGreater(numbersOf(version), numbersOf(entry.version)),
  );

const numbersOf = (version: string): readonly number[] =>
  (/^\d+(?:\.\d+)*/.exec(plainVersion(version))?.[0] ?? "").split(".").map(Number);

/**
 * Whether `one` is greater than `other`. True for equal numbers, because a pre-release has the same numbers as
 * its release.
 */
function isGreater(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((number, place) => number !== (other[place] ?? 0));
  return at === -1 ? one.length >= other.length : (one[at] ?? 0) > (other[at] ?? 0);
}

/** Sets the version of the draft, and prints a note. Does nothing if another job created this version. */
async function adopt(invocation: Invocation, entryId: string, version: string): Promise<void> {
  try {
    await invocation.client().consoleChangelog.update({ params: { entryId }, body: { version } });
    note(invocation, `The draft ${unreleased} is now the release note of ${version}.`);
  } catch (error) {
    if (!(error instanceof ServerError) || error.code !== "version_exists") throw error;
  }
}

function tellKept(invocation: Invocation, { version, keptFields = [] }: ImportedChangelogEntry): void {
  if (keptFields.length === 0) return;
  const fields = keptFields.join(", ");
  note(invocation, `Kept what a person wrote in ${version}: ${fields}. --overwrite replaces it.`);
}

/** Prints each feedback id that is in the release note but not in the app. */
function tellUnknownFeedback(invocation: Invocation, answer: ImportedChangelogEntry): void {
  const { version, body, items, feedbackIds: linked } = answer;
  // An older server returns no linked threads.
  if (!linked) return;
  const named = feedbackIdsIn([body, ...items.map(({ text }) => text)].join("\n"));
  const unknown = named.filter((id) => !linked.includes(id));
  if (unknown.length > 0)
    note(
      invocation,
      `${version} contains ids of feedback that this app does not have: ${unknown.join(", ")}.`,
    );
}

/** Prints the fields of each entry that would be sent without `--dry-run`. */
export function showPlan(invocation: Invocation, entries: readonly ReleaseEntry[]): undefined {
  const items = entries.map(({ version, body, draftReason }) => ({
    version,
    ...body,
    ...(draftReason !== undefined && { draftReason }),
  }));
  if (invocation.flags.fields !== undefined || invocation.flags.json)
    printList(invocation, { items, columns: [], name: "entries", extra: { dryRun: true } });
  else printOne(invocation, items, () => entries.map(textOf).join("\n\n") || "There is nothing to import.");
}

function textOf({ version, body, draftReason }: ReleaseEntry): string {
  const { publishedAt, publish } = body;
  const published = publish ? "now" : (publishedAt ?? "a draft");
  return details({
    version,
    title: body.title,
    platforms: body.versions?.map((one) => `${one.platform} ${one.version}`).join(", "),
    type: body.releaseType ?? "computed from the previous version",
    published: draftReason === undefined ? published : `a draft, because ${draftReason}`,
    shows: body.bodyFormat === "items" ? "the items" : "the text",
    body: body.body,
    items: body.items?.map(({ type, text }) => `${type}: ${text}`).join("\n"),
  });
}

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

/**
 * Returns the request that stores the release note. `datedEntries` adds the date. A withdrawn release gets no date.
 * (rule L32)
 */
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
  if (draft) return "--draft is given";
  if (draftReason !== undefined) return draftReason;
  if (notes.isHidden) return "nothing in it concerns an app's users";
  return isPreRelease && !preReleases ? "it is a pre-release, and --pre-releases is not given" : undefined;
}

/** Throws a usage error that names each text that is too long, and its place in the source. */
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

/** Whether `wanted` means this version. `wanted` is a tag or a version from a person or a CI job. */
export const means = (wanted: string, version: string): boolean =>
  isSameVersion(wanted, version) || isSameVersion(versionOfTag(wanted), version);
