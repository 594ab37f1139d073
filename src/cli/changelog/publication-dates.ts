import type { EditedChangelogEntry } from "../../contract/changelog.ts";
import type { DescribedRelease } from "./described-release.ts";

/** A release with its date, and the note that the server has of its version. */
export interface Dated {
  readonly release: DescribedRelease;
  readonly known: Pick<EditedChangelogEntry, "publishedAt"> | undefined;
}

/** The time, and whether a file may also move what is published. */
export interface Moving {
  readonly now: string;
  readonly overwrite: boolean;
}

/**
 * When each release was published, oldest first: a day is its first moment in UTC, and versions of one day stand a
 * millisecond apart. Undefined if that is unknown, or if the note stays at its instant: it is published, and no other
 * day may replace it.
 */
export function publicationDates(
  releases: readonly Dated[],
  { now, overwrite }: Moving,
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

/** A day is its first moment. Undefined for a text that is no date. */
function utcOf(date: string): string | undefined {
  const at = new Date(/^\d{4}-\d\d-\d\d$/.test(date) ? `${date}T00:00:00Z` : date);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

const dayOf = (instant: string): string => instant.slice(0, 10);
