import { ServerError } from "../../client/errors.ts";
import type { ImportedChangelogEntry } from "../../contract/changelog.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import type { GlobalFlags, Invocation } from "../core/context.ts";
import { cliErrorOf } from "../core/failures.ts";
import { note } from "../core/output.ts";
import { type Described, type DescribedRelease, unreleased } from "./described-release.ts";
import { assertFits, type EntryFlags, entryOf, type ReleaseEntry } from "./entry.ts";
import { instantOf } from "./flags.ts";
import { showImport, tellDraftLeft, tellDrafts } from "./import-result.ts";
import { showPlan } from "./plan-text.ts";
import { publicationDates } from "./publication-dates.ts";
import { isWholeFile, readReleases, type SourceFlags } from "./read.ts";
import { sameRelease } from "./same-release.ts";
import { readWritten, type WrittenReleases, writeRelease, writtenOf } from "./written.ts";

export type ImportFlags = SourceFlags & EntryFlags & GlobalFlags & { readonly version?: string };

/**
 * Writes the release notes of all versions of a source, the oldest first. Versions with a date are published at it, all
 * others are drafts. What a person wrote since the last import stays (rule L30).
 */
export async function importReleases(
  invocation: Invocation,
  flags: ImportFlags,
  file: string | undefined,
): Promise<undefined> {
  const described = await readReleases(invocation, flags, file);
  const releases = withVersion(described.releases, flags.version);
  if (flags.platformVersion && releases.length !== 1)
    throw usageError(`--platform-version belongs to one version, and there are ${releases.length}.`);
  const entries = releases.map((release) => entryOf(release, flags));
  assertFits(releases, entries);
  for (const remark of described.remarks) note(invocation, remark);
  const plan = { releases, entries, flags, now: invocation.context.clock.now() };
  if (flags.dryRun) return showPlan(invocation, datedEntries(plan));
  const written = await readWritten(invocation);
  const answers = await writeAll(
    invocation,
    { written, adoptsDraft: isWholeFile(flags) },
    datedEntries(plan, written),
  );
  if (isWholeFile(flags)) tellDraftLeft(invocation, written, answers);
  showImport(invocation, answers);
  tellDrafts(invocation, releases, flags);
  return undefined;
}

/** `--version` names the version of notes that have none. */
function withVersion(
  releases: Described["releases"],
  version: string | undefined,
): readonly DescribedRelease[] {
  if (version === undefined) return releases;
  if (!releases.some((release) => release.version === undefined))
    throw usageError("--version names the version of unreleased notes, and there are none.");
  return releases.map((release) => (release.version === undefined ? { ...release, version } : release));
}

interface Plan {
  readonly releases: readonly DescribedRelease[];
  readonly entries: readonly ReleaseEntry[];
  readonly flags: ImportFlags;
  readonly now: Date;
}

/** The entries with their dates: those of the source, else `--published-at`. */
function datedEntries({ releases, entries, flags, now }: Plan, written?: WrittenReleases): ReleaseEntry[] {
  const usual = instantOf(flags.publishedAt);
  const dated = releases.map((release, at) => ({
    release: { ...release, ...(release.date === undefined && usual && { date: usual }) },
    known: written && writtenOf(written, entries[at]?.version ?? ""),
  }));
  const dates = publicationDates(
    dated.filter((_, at) => entries[at]?.draftReason === undefined),
    { now: now.toISOString(), overwrite: flags.overwrite === true },
  );
  let next = 0;
  return entries.map((entry) => {
    if (entry.draftReason !== undefined) return entry;
    const publishedAt = dates[next++];
    return publishedAt === undefined ? entry : { ...entry, body: { ...entry.body, publishedAt } };
  });
}

/** Writes the entries that the server does not have yet, one after the other. An error says how far it came. */
async function writeAll(
  invocation: Invocation,
  { written, adoptsDraft }: { readonly written: WrittenReleases; readonly adoptsDraft: boolean },
  entries: readonly ReleaseEntry[],
): Promise<readonly ImportedChangelogEntry[]> {
  const answers: ImportedChangelogEntry[] = [];
  const last = entries.at(-1);
  for (const entry of entries) {
    try {
      const adopts = adoptsDraft && entry === last && entry.version !== unreleased;
      const same = sameRelease(writtenOf(written, entry.version), entry);
      answers.push(same ?? (await writeRelease(invocation, written, { entry, adopts })));
    } catch (error) {
      throw interruptedAt(error, entry, { done: answers.length, all: entries.length });
    }
  }
  return answers;
}

function interruptedAt(
  error: unknown,
  { version }: ReleaseEntry,
  { done, all }: { readonly done: number; readonly all: number },
): unknown {
  if (!(error instanceof ServerError)) return error;
  const { exit, code, message, next, details } = cliErrorOf(error);
  const place = `${version} was not imported (${done} of ${all} were): ${message}`;
  return new CliError({
    exit,
    code,
    message: place,
    next: next ?? "Run the command again to go on.",
    ...details,
  });
}
