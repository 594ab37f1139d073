import type { EditedChangelogEntry } from "../../../contract/changelog.ts";
import type { DescribedRelease } from "./described-release.ts";

/** A release with its date, and the note that the server has of its version. */
export interface Dated {
  readonly release: DescribedRelease;
  readonly known: Pick<EditedChangelogEntry, "publishedAt"> | undefined;
}

/**
 * When each release was published, oldest first: a day is its first moment in UTC, and versions of one day stand a
 * millisecond apart. Undefined if that is unknown, or if the server has it on this day already: an entry stays at its
 * instant.
 */
export function publicationDates(releases: readonly Dated[]): readonly (string | undefined)[] {
  const newest = new Map<string, number>();
  return releases.map(({ release: { date }, known }) => {
    const wanted = date === undefined ? undefined : utcOf(date);
    if (wanted === undefined) return undefined;
    const day = dayOf(wanted);
    const stands = known?.publishedAt && dayOf(known.publishedAt) === day ? known.publishedAt : undefined;
    const after = (newest.get(day) ?? Number.NEGATIVE_INFINITY) + 1;
    const at = stands === undefined ? Math.max(Date.parse(wanted), after) : Date.parse(stands);
    newest.set(day, Math.max(at, newest.get(day) ?? at));
    return stands === undefined ? new Date(at).toISOString() : undefined;
  });
}

/** A day is its first moment. Undefined for a text that is no date. */
function utcOf(date: string): string | undefined {
  const at = new Date(/^\d{4}-\d\d-\d\d$/.test(date) ? `${date}T00:00:00Z` : date);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

const dayOf = (instant: string): string => instant.slice(0, 10);
