import { ServerError } from "../../client/errors.ts";
import type { EditedChangelogEntry, ImportedChangelogEntry } from "../../contract/changelog.ts";
import { feedbackIdsIn, isSameVersion, plainVersion } from "../../contract/content-text.ts";
import { CliError } from "../core/cli-error.ts";
import { lacksConsole } from "../core/missing-endpoints.ts";
import type { Invocation } from "../core/context.ts";
import { appIdOf } from "../core/ids.ts";
import { details, note, printList, printOne } from "../core/output.ts";
import { type ReleaseEntry, unreleased } from "./entry.ts";
import { allWritten } from "./find.ts";

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
 * Writes one release note. If `adopts` is true and no note has this version or a greater one, the draft of unreleased
 * notes becomes the note of this version. It keeps what a person edited in the draft.
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

/**
 * Whether the version is greater than the versions of all notes. Only such a version may take the draft of unreleased
 * notes, because an older version can come from another branch.
 */
const isNewer = (version: string, { entries }: WrittenReleases): boolean =>
  entries.every(
    (entry) => entry.version === unreleased || isGreater(numbersOf(version), numbersOf(entry.version)),
  );

const numbersOf = (version: string): readonly number[] =>
  (/^\d+(?:\.\d+)*/.exec(plainVersion(version))?.[0] ?? "").split(".").map(Number);

/**
 * Whether the first version is greater. Equal numbers count as greater, because a release follows its pre-releases.
 */
function isGreater(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((number, place) => number !== (other[place] ?? 0));
  return at === -1 ? one.length >= other.length : (one[at] ?? 0) > (other[at] ?? 0);
}

/**
 * Gives a version to the draft of unreleased notes. Does nothing if another job has just created the note of that
 * version.
 */
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

/**
 * Warns about feedback that the note names but the app does not have. Older servers do not return the linked threads.
 */
function tellUnknownFeedback(invocation: Invocation, answer: ImportedChangelogEntry): void {
  const { version, body, items, feedbackIds: linked } = answer;
  if (!linked) return;
  const named = feedbackIdsIn([body, ...items.map(({ text }) => text)].join("\n"));
  const unknown = named.filter((id) => !linked.includes(id));
  if (unknown.length > 0)
    note(invocation, `${version} names feedback that this app does not have: ${unknown.join(", ")}.`);
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
