import { usageError } from "../core/cli-error.ts";
import { type Described, type DescribedRelease, isPreRelease } from "./described-release.ts";
import { type FileRelease, readChangelogFile } from "./notes/changelog-file.lazy.ts";

/** Reads the text of a changelog. Throws a usage error that names every fault with its line. */
export function describeChangelog(name: string, text: string): Described {
  const { releases, ignored, faults } = readChangelogFile(text);
  if (faults.length > 0)
    throw usageError(`${name} cannot be read:`, undefined, {
      issues: faults.map(({ line, message }) => ({ path: `line ${line}`, message })),
    });
  if (releases.length === 0)
    throw usageError(
      `${name} has no heading of a version, such as \`## 1.2.0 - 2026-11-22\`.`,
      "Other forms: --format changesets, git or github-release.",
    );
  const filled = releases.filter(({ version, notes }) => version !== null || notes.body !== "");
  const inOrder = isOldestFirst(releases) ? filled : filled.toReversed();
  return {
    releases: inOrder.map((release) => describe(name, release)),
    remarks: ignored.map((part) => `${name}, ${part} belongs to no version and is left out.`),
  };
}

/** Newest first is usual; the dates show if a file is the other way round. */
function isOldestFirst(releases: readonly FileRelease[]): boolean {
  const days = releases.flatMap(({ day }) => day ?? []);
  return (days[0] ?? "") < (days.at(-1) ?? "");
}

function describe(name: string, release: FileRelease): DescribedRelease {
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
