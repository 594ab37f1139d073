import type { ImportedChangelogEntry } from "../../contract/changelog.ts";
import { systemReason } from "../../words/phrases.ts";
import { ciTag, isGitHubActions } from "../core/ci.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import type { GlobalFlags, Invocation } from "../core/context.ts";
import { addOutput } from "../core/github-actions.ts";
import { optionalTextOf } from "../core/input.ts";
import { note, printOne } from "../core/output.ts";
import {
  assertFits,
  type Described,
  type DescribedRelease,
  type EntryFlags,
  entryOf,
  means,
  type ReleaseEntry,
  unreleased,
  versionOfTag,
} from "./entry.ts";
import { releaseDetails } from "./find.ts";
import { instantOf } from "./flags.ts";
import { isWholeFile, readGivenNotes, readReleases, type SourceFlags } from "./read.ts";
import { readWritten, showPlan, writeRelease, writtenOf } from "./written.ts";

export type ReleaseFlags = SourceFlags &
  EntryFlags &
  GlobalFlags & { readonly version?: string; readonly notes?: string };

/**
 * Writes the release note of one version and publishes it. The version comes from `--version`, otherwise from the tag
 * of the CI job, otherwise it is the newest version in the file. Changes nothing if the same note is already published.
 * (rule L31)
 */
export async function release(
  invocation: Invocation,
  flags: ReleaseFlags,
  file: string | undefined,
): Promise<undefined> {
  const wanted = flags.version ?? (flags.to === undefined ? ciTag(invocation.context.env) : undefined);
  const { releases, remarks } = await describe(invocation, flags, file, wanted);
  for (const remark of remarks) note(invocation, remark);
  const chosen = choose(releases, wanted, flags);
  const title = await optionalTextOf(invocation, "--title", flags.title);
  const described = entryOf(chosen, { ...flags, ...(title !== undefined && { title }) });
  assertFits([chosen], [described]);
  const entry = publishing(described, flags);
  if (flags.dryRun) return showPlan(invocation, [entry]);

  const written = await readWritten(invocation);
  const waits = releases.some((one) => isWaiting(one) && one.place !== chosen.place);
  const adopts = flags.notes === undefined && isWholeFile(flags) && !waits;
  const before = writtenOf(written, entry.version);
  const answer = await writeRelease(invocation, written, { entry, adopts });
  tell(invocation, answer, entry.draftReason, Boolean(before?.publishedAt));
  await tellReleaseToJob(invocation, answer);
  printOne(invocation, answer, () => releaseDetails(answer));
  return undefined;
}

async function describe(
  invocation: Invocation,
  flags: ReleaseFlags,
  file: string | undefined,
  wanted: string | undefined,
): Promise<Described> {
  if (flags.notes === undefined) return readReleases(invocation, flags, file);
  if (file !== undefined || flags.format !== undefined)
    throw usageError("--notes contains the notes themselves. Do not use a file or --format with it.");
  if (wanted === undefined)
    throw usageError("--notes needs --version, because this is not a CI job for a tag.");
  return readGivenNotes(invocation, flags.notes, wanted);
}

const isWaiting = ({ version }: DescribedRelease): boolean => version === undefined;

/** Returns the release to publish. Unreleased notes are published only if the person names their version. */
function choose(
  releases: readonly DescribedRelease[],
  wanted: string | undefined,
  { version: named }: ReleaseFlags,
): DescribedRelease {
  const waiting = releases.find(isWaiting);
  if (wanted === undefined) {
    const newest = releases.findLast((release) => !isWaiting(release));
    if (newest) return newest;
    throw usageError(
      waiting ? `${waiting.place} has only notes without a version.` : "There is nothing to release.",
      waiting && "Name their version, such as --version 1.2.0.",
    );
  }
  const found = releases.find(({ version }) => version !== undefined && means(wanted, version));
  if (found) return named === undefined ? found : withoutWaiting(found);
  if (waiting && named !== undefined) {
    const { draftReason: _, ...notes } = waiting;
    return { ...notes, version: versionOfTag(named) };
  }
  throw notThere(releases, wanted, waiting);
}

/** Removes the reason to keep a draft, because a person who names a version wants to publish it. */
function withoutWaiting(release: DescribedRelease): DescribedRelease {
  const { draftReason, ...rest } = release;
  return draftReason === "it is not released yet" ? rest : release;
}

function notThere(
  releases: readonly DescribedRelease[],
  wanted: string,
  waiting: DescribedRelease | undefined,
): CliError {
  const versions = releases.flatMap(({ version }) => version ?? []);
  const known = versions.length === 0 ? "none" : versions.toReversed().slice(0, 5).join(", ");
  return new CliError({
    exit: "notFound",
    code: "version_not_found",
    message: `There are no notes of ${wanted}. The newest versions are: ${known}.`,
    next: waiting
      ? `--version ${versionOfTag(wanted)} publishes what is under ${unreleased}.`
      : "Add a heading for this version, or give its notes with --notes.",
  });
}

/** Adds the time of publication to the entry. This is the time of `--published-at`, or now. */
function publishing(entry: ReleaseEntry, { publishedAt }: ReleaseFlags): ReleaseEntry {
  if (entry.draftReason !== undefined) return entry;
  const at = instantOf(publishedAt);
  return {
    ...entry,
    body: { ...entry.body, ...(at === undefined ? { publish: true } : { publishedAt: at }) },
  };
}

function tell(
  invocation: Invocation,
  { version, created, changedFields = [], publishedAt }: ImportedChangelogEntry,
  draftReason: string | undefined,
  wasPublished: boolean,
): void {
  const state = publishedAt === null ? "a draft" : `published at ${publishedAt}`;
  if (!created && changedFields.length === 0) note(invocation, `Nothing to do: ${version} is ${state}.`);
  else if (publishedAt === null)
    note(invocation, `${version} is a draft${draftReason ? `: ${draftReason}` : ""}.`);
  else if (wasPublished)
    note(invocation, `Changed ${changedFields.join(", ")} of ${version}, which is ${state}.`);
  else note(invocation, `Released ${version}, ${state}.`);
}

/** In GitHub Actions, sets the outputs `version` and `release-note-id` of the step. */
async function tellReleaseToJob(
  invocation: Invocation,
  { id, version }: ImportedChangelogEntry,
): Promise<void> {
  const { env, newId } = invocation.context;
  const file = env.GITHUB_OUTPUT;
  if (!isGitHubActions(env) || !file) return;
  try {
    for (const [name, value] of Object.entries({ version, "release-note-id": id }))
      await addOutput(file, { name, value, delimiter: `innkeep_${newId()}` });
  } catch (cause) {
    note(invocation, `The outputs of the step cannot be written (${systemReason(cause)}).`);
  }
}
