import { join } from "node:path";
import { usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { readForeignText } from "../core/foreign-file.ts";
import { optionalTextOf, readText } from "../core/input.ts";
import { mostTextBytes } from "../core/read-at-most.ts";
import { changesetsIn, describeChangesets } from "./changesets-source.ts";
import { type Described, isPreRelease } from "./described-release.ts";
import { describeChangelog } from "./file-source.ts";
import { describeCommits } from "./git.ts";
import { describeGitHubReleases } from "./github-source.ts";
import { readNotes } from "./notes/changelog-file.lazy.ts";
import { versionOfTag } from "./tags.ts";

type Format = "keep-a-changelog" | "changesets" | "git" | "github-release";

/** The flags that say where release notes come from. */
export interface SourceFlags {
  readonly format?: Format;
  readonly from?: string;
  readonly to?: string;
  readonly without?: string;
}

/** Whether the source lists all versions, so that notes without a version are those of the next one. */
export const isWholeFile = ({ format = "keep-a-changelog" }: SourceFlags): boolean =>
  format === "keep-a-changelog" || format === "changesets";

/** Reads releases from a file, a folder of changesets or a range of commits. Throws a usage error if that is not possible. */
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

/** The notes of one version, as `--notes` gives them. */
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
    throw usageError(`${ofGit.join(" and ")}: only with --format git.`);
  if (format === "git" && file !== undefined)
    throw usageError("--format git reads the commits of this repository, and no file.");
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

/** The name of the file, in capitals or not. */
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

/** A folder holds pending changesets. A file is the changelog that changesets writes. Without either, pending ones come first. */
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
