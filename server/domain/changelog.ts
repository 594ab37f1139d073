/** What places an entry among the versions of an app. */
export interface VersionedEntry {
  readonly id: string;
  readonly version: string;
  readonly versions: readonly { readonly version: string }[];
}

/** Compares versions as SemVer does: over 0 where `a` is greater; undefined where one is no version. */
export type CompareVersions = (a: string, b: string) => number | undefined;

/**
 * The entries that a user of version `since` has not seen, of `entries` newest first: those published after the newest
 * entry of that version; where none is, those of a greater version. Undefined where `since` is no version either.
 */
export function unseenSince<Entry extends VersionedEntry>(
  entries: readonly Entry[],
  since: string,
  compare: CompareVersions,
): readonly Entry[] | undefined {
  const seen = entries.findIndex((entry) => versionsOf(entry).includes(since));
  if (seen >= 0) return entries.slice(0, seen);
  if (compare(since, since) === undefined) return undefined;
  return entries.filter((entry) => versionsOf(entry).some((version) => (compare(version, since) ?? 0) > 0));
}

const versionsOf = ({ version, versions }: VersionedEntry): string[] => [
  version,
  ...versions.map((platform) => platform.version),
];
