import { join, resolve } from "node:path";
import { plainVersion } from "../../contract/content-text.ts";
import { type Fields, isObject, isObjectOrList } from "../../contract/json.ts";
import { usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { mostTextBytes, optionalTextOf, readForeignText, readText } from "../core/input.ts";
import { type Described, type DescribedRelease, isPreRelease, versionOfTag } from "./entry.ts";
import { describeCommits } from "./git.ts";
import { type FileRelease, readChangelogFile, readNotes } from "./notes/changelog-file.lazy.ts";
import { readChangesets } from "./notes/changesets.lazy.ts";

type Format = "keep-a-changelog" | "changesets" | "git" | "github-release";

/** The flags for the source of release notes. */
export interface SourceFlags {
  readonly format?: Format;
  readonly from?: string;
  readonly to?: string;
  readonly without?: string;
}

/** Whether the source lists all versions. Then its notes without a version belong to the next version. */
export const isWholeFile = ({ format = "keep-a-changelog" }: SourceFlags): boolean =>
  format === "keep-a-changelog" || format === "changesets";

/**
 * Reads releases from a file, a folder of changesets or a range of commits. Throws a usage error if the source cannot
 * be read.
 */
export async function readReleases(
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
export async function readGivenNotes(invocation: Invocation, given: string, tag: string): Promise<Described> {
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
 * Reads pending changesets from a folder, or the changelog that the tool changesets writes from a file. If neither is
 * named, reads the pending changesets in `.changeset`, or the changelog if there are none.
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

/**
 * Reads the JSON of a GitHub event `release`, of one release, or of a list of releases. Throws a usage error for any
 * other JSON.
 */
function describeGitHubReleases(name: string, json: string): Described {
  const found = releasesIn(parsed(name, json));
  if (found.length === 0)
    throw usageError(
      `${name} contains no GitHub release.`,
      "It must be the JSON of an event `release` (GITHUB_EVENT_PATH), or of one or more releases.",
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
