import { ServerError } from "../../client/errors.ts";
import type { EditedChangelogEntry, ImportedChangelogEntry } from "../../contract/changelog.ts";
import { feedbackIdsIn } from "../../contract/content-text.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import type { GlobalFlags, Invocation } from "../core/context.ts";
import { cliErrorOf } from "../core/failures.ts";
import { note, printList } from "../core/output.ts";
import {
  assertFits,
  type Described,
  type DescribedRelease,
  type EntryFlags,
  entryOf,
  type ReleaseEntry,
  unreleased,
} from "./entry.ts";
import { instantOf } from "./flags.ts";
import { isWholeFile, readReleases, type SourceFlags } from "./read.ts";
import { readWritten, showPlan, type WrittenReleases, writeRelease, writtenOf } from "./written.ts";

export type ImportFlags = SourceFlags &
  EntryFlags &
  GlobalFlags & { readonly version?: string; readonly lang?: string };

/**
 * Writes the release notes of all versions of a source, the oldest first. A version with a date is published at that
 * date. Any other version becomes a draft. Fields that a person has edited since the last import do not change. (rule
 * L30)
 */
export async function importReleases(
  invocation: Invocation,
  flags: ImportFlags,
  file: string | undefined,
): Promise<undefined> {
  const described = await readReleases(invocation, flags, file);
  const releases = withVersion(described.releases, flags.version);
  if (flags.platformVersion && releases.length !== 1)
    throw usageError(`--platform-version is for one version, but there are ${releases.length}.`);
  const entries = releases.map((release) => entryOf(release, flags));
  assertFits(releases, entries);
  for (const remark of described.remarks) note(invocation, remark);
  if (flags.lang !== undefined)
    return (await import("./translate.ts")).importTranslations(invocation, flags.lang, entries);
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

/** Gives the version of `--version` to the notes that have no version. */
function withVersion(
  releases: Described["releases"],
  version: string | undefined,
): readonly DescribedRelease[] {
  if (version === undefined) return releases;
  if (!releases.some((release) => release.version === undefined))
    throw usageError("--version gives a version to unreleased notes, but there are none.");
  return releases.map((release) => (release.version === undefined ? { ...release, version } : release));
}

/**
 * Adds the dates of publication to the entries. An entry without a date in the source gets that of `--published-at`.
 */
function datedEntries(
  {
    releases,
    entries,
    flags,
    now,
  }: {
    readonly releases: readonly DescribedRelease[];
    readonly entries: readonly ReleaseEntry[];
    readonly flags: ImportFlags;
    readonly now: Date;
  },
  written?: WrittenReleases,
): ReleaseEntry[] {
  const usual = instantOf(flags.publishedAt);
  const dated = releases.map((release, at) => ({
    release: { ...release, ...(release.date === undefined && usual && { date: usual }) },
    known: written && writtenOf(written, entries[at]?.version ?? ""),
  }));
  const dates = publicationDates(
    dated.filter((_, at) => entries[at]?.draftReason === undefined),
    now.toISOString(),
    flags.overwrite === true,
  );
  let next = 0;
  return entries.map((entry) => {
    if (entry.draftReason !== undefined) return entry;
    const publishedAt = dates[next++];
    return publishedAt === undefined ? entry : { ...entry, body: { ...entry.body, publishedAt } };
  });
}

/**
 * Writes the entries that are new or changed, one after another. An error says how many entries were written before.
 */
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
  const place = `${version} was not imported (after ${done} of ${all} versions): ${message}`;
  return new CliError({
    exit,
    code,
    message: place,
    next: next ?? "Run the command again to continue.",
    ...details,
  });
}

const resultOf = ({ created, changedFields = [] }: ImportedChangelogEntry): string => {
  if (created) return "created";
  return changedFields.length > 0 ? "changed" : "same";
};

/** Prints the result for each version. */
function showImport(invocation: Invocation, answers: readonly ImportedChangelogEntry[]): void {
  const count = (result: string) => answers.filter((answer) => resultOf(answer) === result).length;
  const [created, changed, same] = [count("created"), count("changed"), count("same")];
  note(
    invocation,
    created + changed === 0
      ? "Nothing to do: the server has all versions."
      : `${created} created, ${changed} changed, ${same} unchanged.`,
  );
  const columns = [
    { heading: "id", of: ({ id }: ImportedChangelogEntry) => id, isId: true },
    { heading: "version", of: ({ version }: ImportedChangelogEntry) => version },
    { heading: "result", of: resultOf },
    { heading: "published", of: ({ publishedAt }: ImportedChangelogEntry) => publishedAt ?? "draft" },
    { heading: "title", of: ({ title }: ImportedChangelogEntry) => title },
  ];
  printList(invocation, { items: answers, columns });
}

/**
 * Prints a note if the server keeps a draft of unreleased notes although the file has no unreleased notes any more.
 */
function tellDraftLeft(
  invocation: Invocation,
  written: WrittenReleases,
  answers: readonly ImportedChangelogEntry[],
): void {
  const draft = writtenOf(written, unreleased);
  if (draft?.publishedAt !== null || answers.some(({ id }) => id === draft.id)) return;
  note(invocation, `The draft ${unreleased} was not changed, because the file has no unreleased notes.`);
}

/** Warns about versions without a date. The tool changesets writes no dates, and some people omit them. */
function tellDrafts(invocation: Invocation, releases: readonly DescribedRelease[], flags: EntryFlags): void {
  const undated = releases.filter(({ date, draftReason }) => date === undefined && draftReason === undefined);
  if (undated.length === 0 || flags.draft || flags.publishedAt) return;
  const names = undated.map(({ version }) => version).join(", ");
  note(
    invocation,
    `These versions have no date, so they are drafts unless they were published before: ${names}. Use --published-at to give them a date, or \`changelog release\` to publish one now.`,
  );
}

/** A release, and the server's release note of the same version. */
interface Dated {
  readonly release: DescribedRelease;
  readonly known: Pick<EditedChangelogEntry, "publishedAt"> | undefined;
}

/**
 * Returns the time of publication of each release, oldest first. A date without a time means 00:00 UTC. Versions of the
 * same day are one millisecond apart. The time is undefined if the date is unknown or if the time of an already
 * published note must not change.
 */
function publicationDates(
  releases: readonly Dated[],
  now: string,
  overwrite: boolean,
): readonly (string | undefined)[] {
  const newest = new Map<string, number>();
  const follow = (at: number) => {
    const day = dayOf(new Date(at).toISOString());
    newest.set(day, Math.max(at, newest.get(day) ?? at));
  };
  return releases.map(({ release: { date }, known }) => {
    const wanted = date === undefined ? undefined : utcOf(date);
    const before = known?.publishedAt ?? undefined;
    const isSameDay = before !== undefined && wanted !== undefined && dayOf(before) === dayOf(wanted);
    const stays = before !== undefined && (isSameDay || (before <= now && !overwrite));
    if (stays) follow(Date.parse(before));
    if (stays || wanted === undefined) return undefined;
    const after = (newest.get(dayOf(wanted)) ?? Number.NEGATIVE_INFINITY) + 1;
    const at = Math.max(Date.parse(wanted), after);
    follow(at);
    return new Date(at).toISOString();
  });
}

/**
 * Returns the time in UTC. A date without a time means 00:00. Returns undefined for a text that is not a date.
 */
function utcOf(date: string): string | undefined {
  const at = new Date(/^\d{4}-\d\d-\d\d$/.test(date) ? `${date}T00:00:00Z` : date);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

const dayOf = (instant: string): string => instant.slice(0, 10);

/**
 * Returns the result `no field changed` if the server already has the same note. Returns undefined if the note must be
 * sent, because it differs, a person edited one of its fields, a thread that it names is not linked, or an older server
 * does not return enough data.
 */
function sameRelease(
  entry: EditedChangelogEntry | undefined,
  { body }: ReleaseEntry,
): ImportedChangelogEntry | undefined {
  const { overwrite: _, publish, ...fields } = body;
  if (!entry || publish) return undefined;
  const given = new Map(Object.entries(fields).filter(([, value]) => value !== undefined));
  // If a person's text equals the imported text, the server lets later imports change the field again. It compares the
  // texts only if it receives the imported text.
  if (!namesEdits(entry) || entry.editedFields.some((field) => given.has(field))) return undefined;
  const known = new Map<string, unknown>(Object.entries(entry));
  if ([...given].some(([field, value]) => !isSame(value, known.get(field)))) return undefined;
  const named = feedbackIdsIn([entry.body, ...entry.items.map(({ text }) => text)].join("\n"));
  if (named.some((id) => !entry.feedbackIds.includes(id))) return undefined;
  return { ...entry, created: false, changedFields: [], keptFields: [] };
}

/**
 * Whether the answer says which fields a person edited and which threads are linked. Older servers do not say it.
 */
const namesEdits = ({ editedFields, feedbackIds }: Partial<EditedChangelogEntry>): boolean =>
  editedFields !== undefined && feedbackIds !== undefined;

/** Whether two values are the same for the server, which trims texts and ignores the order of fields. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));
}

function inOrder(value: unknown): unknown {
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .map(([name, field]) => [name, inOrder(field)])
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
}
