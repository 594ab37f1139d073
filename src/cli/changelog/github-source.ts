import { plainVersion } from "../../contract/version.ts";
import { usageError } from "../core/cli-error.ts";
import { type Described, type DescribedRelease, isPreRelease } from "./described-release.ts";
import { readNotes } from "./notes/changelog-file.lazy.ts";
import { versionOfTag } from "./tags.ts";

/**
 * Reads the JSON of an event `release`, of one release, or of a list of them. Throws a usage error if it is something
 * else.
 */
export function describeGitHubReleases(name: string, json: string): Described {
  const found = releasesIn(parsed(name, json));
  if (found.length === 0)
    throw usageError(
      `${name} holds no release of GitHub.`,
      "It must be the JSON of an event `release` (GITHUB_EVENT_PATH), or of one or more releases.",
    );
  const releases = found.map((release) => describe(name, release));
  return { releases: releases.toSorted((a, b) => (a.date ?? "9").localeCompare(b.date ?? "9")), remarks: [] };
}

function parsed(name: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw usageError(`${name} is not JSON (${cause instanceof Error ? cause.message : cause}).`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

function releasesIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(releasesIn);
  if (!isObject(value)) return [];
  if (isObject(value.release)) return releasesIn(value.release);
  return typeof value.tag_name === "string" ? [value] : [];
}

function describe(place: string, release: Fields): DescribedRelease {
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

/** Whether a title says only the version: `v1.2.0`, `Release 1.2.0`. */
const isOnlyVersion = (title: string, version: string): boolean =>
  plainVersion(title.replace(/^(?:release|version)\s+/i, "")) === version;

const textIn = (release: Fields, field: string): string => {
  const value = release[field];
  return typeof value === "string" ? value.trim() : "";
};
