import { join, resolve } from "node:path";
import { ServerError } from "../../client/errors.ts";
import type { EditedChangelogEntry, ImportedChangelogEntry } from "../../contract/changelog.ts";
import { feedbackIdsIn, plainVersion } from "../../contract/content-text.ts";
import { type Fields, isObject, isObjectOrList } from "../../contract/json.ts";
import { systemReason } from "../../words/phrases.ts";
import { ciTag, isGitHubActions } from "../core/ci.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import { withTime } from "../core/command.ts";
import type { GlobalFlags, Invocation } from "../core/context.ts";
import { cliErrorOf } from "../core/failures.ts";
import { addOutput } from "../core/github-actions.ts";
import { mostTextBytes, optionalTextOf, readForeignText, readText } from "../core/input.ts";
import { note, printList, printOne } from "../core/output.ts";
import {
  assertFits,
  type Described,
  type DescribedRelease,
  type EntryFlags,
  entryOf,
  isPreRelease,
  means,
  type ReleaseEntry,
  readWritten,
  showPlan,
  unreleased,
  versionOfTag,
  type WrittenReleases,
  writeRelease,
  writtenOf,
} from "./entry.ts";
import { releaseDetails } from "./find.ts";
import { describeCommits } from "./git.ts";
import { type FileRelease, readChangelogFile, readNotes } from "./notes/changelog-file.lazy.ts";
import { readChangesets } from "./notes/changesets.lazy.ts";

export type ImportFlags = SourceFlags &
  EntryFlags &
  GlobalFlags & { readonly version?: string; readonly lang?: string };

/** Writes the release notes of a source, oldest first. Keeps what a person edited. (rule L30) */
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
    return (await import("./drafts.ts")).importTranslations(invocation, flags.lang, entries);
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

/**
 * Sets the version of `--version` in the notes without a version. Throws a usage error if all notes have a
 * version.
 */
function withVersion(
  releases: Described["releases"],
  version: string | undefined,
): readonly DescribedRelease[] {
  if (version === undefined) return releases;
  if (!releases.some((release) => release.version === undefined))
    throw usageError("--version gives a version to unreleased notes, but there are none.");
  return releases.map((release) => (release.version === undefined ? { ...release, version } : release));
}

/** Adds dates of publication to the entries. `--published-at` is for entries without a date in the source. */
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
  const usual = flags.publishedAt && withTime(flags.publishedAt);
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
 * Prints a note if the server has a draft of unreleased notes, but the file has no unreleased notes.
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

/** A release from the source. `known` is the server's note of the same version; undefined if there is none. */
interface Dated {
  readonly release: DescribedRelease;
  readonly known: Pick<EditedChangelogEntry, "publishedAt"> | undefined;
}

/**
 * Returns each release's time of publication, oldest first. Undefined if the time is unknown or must not
 * change.
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
    // A release gets a later time than all earlier releases of the same day.
    const after = (newest.get(dayOf(wanted)) ?? Number.NEGATIVE_INFINITY) + 1;
    const at = Math.max(Date.parse(wanted), after);
    follow(at);
    return new Date(at).toISOString();
  });
}

/** Returns the time in UTC. A date without a time means 00:00. Undefined for other texts. */
function utcOf(date: string): string | undefined {
  const at = new Date(withTime(date));
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

const dayOf = (instant: string): string => instant.slice(0, 10);

/**
 * Returns a result without changes if the server has the same note. Returns undefined if the note must be sent.
 */
function sameRelease(
  entry: EditedChangelogEntry | undefined,
  { body }: ReleaseEntry,
): ImportedChangelogEntry | undefined {
  const { overwrite: _, publish, ...fields } = body;
  if (!entry || publish) return undefined;
  const given = new Map(Object.entries(fields).filter(([, value]) => value !== undefined));
  // A note with an edited field is always sent. The server protects this field until an import sends the same
  // text.
  if (!namesEdits(entry) || entry.editedFields.some((field) => given.has(field))) return undefined;
  const known = new Map<string, unknown>(Object.entries(entry));
  if ([...given].some(([field, value]) => !isSame(value, known.get(field)))) return undefined;
  const named = feedbackIdsIn([entry.body, ...entry.items.map(({ text }) => text)].join("\n"));
  if (named.some((id) => !entry.feedbackIds.includes(id))) return undefined;
  return { ...entry, created: false, changedFields: [], keptFields: [] };
}

/** Whether the answer contains the edited fields and the linked threads. Older servers do not return them. */
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

export type ReleaseFlags = SourceFlags &
  EntryFlags &
  GlobalFlags & { readonly version?: string; readonly notes?: string };

/**
 * Publishes the release note of one version, or writes a draft. Changes nothing if the same note is already
 * published. (rule L31)
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

/**
 * Returns the release to publish. Unreleased notes need `--version`. Throws a usage error if there is no
 * release.
 */
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

/** Removes the draft reason "it is not released yet". A person who gives a version wants to publish it. */
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
  const at = publishedAt && withTime(publishedAt);
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

type Format = "keep-a-changelog" | "changesets" | "git" | "github-release";

/** The flags for the source of release notes. */
interface SourceFlags {
  readonly format?: Format;
  readonly from?: string;
  readonly to?: string;
  readonly without?: string;
}

/**
 * Whether the source lists all versions. In such a source, notes without a version belong to the next version.
 */
const isWholeFile = ({ format = "keep-a-changelog" }: SourceFlags): boolean =>
  format === "keep-a-changelog" || format === "changesets";

async function readReleases(
  invocation: Invocation,
  flags: SourceFlags,
  file: string | undefined,
): Promise<Described> {
  const { format = "keep-a-changelog" } = flags;
  checkFlags(flags, format, file);
  if (format === "git") {
    const { from, to } = flags;
    return describeCommits(invocation, { ...(from && { from }), ...(to && { to }), without: typesIn(flags) });
  }
  if (format === "github-release") return readGitHubReleases(invocation, file);
  if (format === "changesets") return readChangesetsOrChangelog(invocation, file);
  return readChangelog(invocation, file);
}

/** Reads the notes of one version from `--notes`. */
async function readGivenNotes(invocation: Invocation, given: string, tag: string): Promise<Described> {
  const text = (await optionalTextOf(invocation, "--notes", given)) ?? "";
  const version = versionOfTag(tag);
  const notes = readNotes(text);
  return {
    releases: [{ version, place: "--notes", isPreRelease: isPreRelease(version), notes }],
    remarks: [],
  };
}

function checkFlags({ from, to, without }: SourceFlags, format: Format, file: string | undefined): void {
  const ofGit = [from && "--from", to && "--to", without && "--without"].filter(Boolean);
  if (format !== "git" && ofGit.length > 0)
    throw usageError(`${ofGit.join(" and ")} can be used only with --format git.`);
  if (format === "git" && file !== undefined)
    throw usageError("--format git reads the commits of this repository and not a file.");
}

const typesIn = ({ without = "" }: SourceFlags): string[] =>
  without
    .split(",")
    .map((type) => type.trim().toLowerCase())
    .filter(Boolean);

async function readChangelog({ context }: Invocation, file: string | undefined): Promise<Described> {
  if (file !== undefined) return describeChangelog(file, await readText(context, "<file>", file));
  const name = await usualChangelog(context.cwd);
  const text = readForeignText(join(context.cwd, name), name, mostTextBytes);
  if (text === undefined) throw usageError(`There is no ${name} in this folder.`, "Name a file.");
  return describeChangelog(name, text);
}

/** Returns the name of the changelog in the folder. The name may be in upper or lower case. */
async function usualChangelog(folder: string): Promise<string> {
  const { readdir } = await import("node:fs/promises");
  const names: string[] = await readdir(folder).catch(() => []);
  return names.find((name) => name.toLowerCase() === "changelog.md") ?? "CHANGELOG.md";
}

async function readGitHubReleases({ context }: Invocation, file: string | undefined): Promise<Described> {
  const path = file ?? context.env.GITHUB_EVENT_PATH;
  if (!path) throw usageError("--format github-release needs a file with the JSON of a release.");
  return describeGitHubReleases(file ?? "GITHUB_EVENT_PATH", await readText(context, "<file>", path));
}

/**
 * Reads pending changesets or a changelog. Throws a usage error if a given folder has no pending changesets.
 */
async function readChangesetsOrChangelog(
  invocation: Invocation,
  file: string | undefined,
): Promise<Described> {
  const folder = file ?? ".changeset";
  const names = await changesetsIn(invocation, folder);
  const pending = names ? await describeChangesets(invocation, folder, names) : undefined;
  if (pending && pending.releases.length > 0) return pending;
  if (names && file !== undefined) throw usageError(`${file} has no pending changesets.`);
  return readChangelog(invocation, file);
}

/** Reads a changelog. Throws a usage error that names every fault with its line. */
function describeChangelog(name: string, text: string): Described {
  const { releases, ignored, faults } = readChangelogFile(text);
  if (faults.length > 0)
    throw usageError(`${name} cannot be read:`, undefined, {
      issues: faults.map(({ line, message }) => ({ path: `line ${line}`, message })),
    });
  if (releases.length === 0)
    throw usageError(
      `${name} has no heading of a version, such as \`## 1.2.0 - 2026-11-22\`.`,
      "For another format, use --format changesets, git or github-release.",
    );
  const filled = releases.filter(({ version, notes }) => version !== null || notes.body !== "");
  const inOrder = isOldestFirst(releases) ? filled : filled.toReversed();
  return {
    releases: inOrder.map((release) => describeFileRelease(name, release)),
    remarks: ignored.map((part) => `${name}, ${part} belongs to no version and is left out.`),
  };
}

/**
 * Whether the file begins with the oldest version, according to its dates. Most files begin with the newest version.
 */
function isOldestFirst(releases: readonly FileRelease[]): boolean {
  const days = releases.flatMap(({ day }) => day ?? []);
  return (days[0] ?? "") < (days.at(-1) ?? "");
}

function describeFileRelease(name: string, release: FileRelease): DescribedRelease {
  const { version, line, notes, day, isYanked } = release;
  const draftReason = reasonOf(release);
  return {
    ...(version !== null && { version }),
    place: `${name}:${line}`,
    ...(release.name !== "" && { title: release.name }),
    ...(day !== null && { date: day }),
    ...(draftReason !== undefined && { draftReason }),
    isYanked,
    isPreRelease: version !== null && isPreRelease(version),
    notes,
  };
}

function reasonOf({ isYanked, isUnreleased }: FileRelease): string | undefined {
  if (isYanked) return "it is yanked";
  return isUnreleased ? "it is not released yet" : undefined;
}

/** Returns the names of the changesets in a folder. Returns undefined if there is no such folder. */
async function changesetsIn({ context }: Invocation, folder: string): Promise<string[] | undefined> {
  const { readdir } = await import("node:fs/promises");
  const names = await readdir(resolve(context.cwd, folder)).catch(() => undefined);
  return names?.filter((name) => /\.md$/i.test(name) && !/^readme\.md$/i.test(name)).sort();
}

/**
 * Reads pending changesets as notes of the next version. Throws a usage error that names every file with a fault.
 */
async function describeChangesets(
  { context }: Invocation,
  folder: string,
  names: readonly string[],
): Promise<Described> {
  const files = names.map((name) => {
    const shown = join(folder, name);
    return { name, text: readForeignText(resolve(context.cwd, shown), shown, mostTextBytes) ?? "" };
  });
  const { notes, releaseType, faults } = readChangesets(files);
  if (faults.length > 0)
    throw usageError(`${folder} cannot be read:`, undefined, {
      issues: faults.map(({ name, message }) => ({ path: name, message })),
    });
  if (releaseType === undefined) return { releases: [], remarks: [] };
  const draftReason = "it is not released yet";
  return {
    releases: [{ place: folder, releaseType, draftReason, isPreRelease: false, notes }],
    remarks: [],
  };
}

function describeGitHubReleases(name: string, json: string): Described {
  const found = releasesIn(parsed(name, json));
  if (found.length === 0)
    throw usageError(
      `${name} contains no GitHub release.`,
      "It must be the JSON of an event `release` (GITHUB_EVENT_PATH), the JSON of one release, or the JSON of several releases.",
    );
  const releases = found.map((release) => describeGitHubRelease(name, release));
  return { releases: releases.toSorted((a, b) => (a.date ?? "9").localeCompare(b.date ?? "9")), remarks: [] };
}

function parsed(name: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw usageError(`${name} is not JSON (${cause instanceof Error ? cause.message : cause}).`);
  }
}

function releasesIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(releasesIn);
  if (!isObject(value)) return [];
  if (isObjectOrList(value.release)) return releasesIn(value.release);
  return typeof value.tag_name === "string" ? [value] : [];
}

function describeGitHubRelease(place: string, release: Fields): DescribedRelease {
  const tag = textIn(release, "tag_name");
  const version = versionOfTag(tag);
  const title = textIn(release, "name");
  const date = textIn(release, "published_at");
  return {
    version,
    place: `${place}, ${tag}`,
    ...(title !== "" && !isOnlyVersion(title, version) && { title }),
    ...(date !== "" && { date }),
    ...(release.draft === true && { draftReason: "it is a draft on GitHub" }),
    isPreRelease: release.prerelease === true || isPreRelease(version),
    notes: readNotes(textIn(release, "body")),
  };
}

/** Whether a title contains only the version, such as `v1.2.0` or `Release 1.2.0`. */
const isOnlyVersion = (title: string, version: string): boolean =>
  plainVersion(title.replace(/^(?:release|version)\s+/i, "")) === version;

const textIn = (release: Fields, field: string): string => {
  const value = release[field];
  return typeof value === "string" ? value.trim() : "";
};
