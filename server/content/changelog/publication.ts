/** Whether apps can read an entry with this date. */
export const isPublished = (publishedAt: string | null, now: Date): boolean =>
  publishedAt !== null && publishedAt <= now.toISOString();

/** Returns the date of an entry that is published at `now`; undefined if it keeps its date. (rule C12) */
export const publicationOf = (publishedAt: string | null, now: Date): string | undefined =>
  isPublished(publishedAt, now) ? undefined : now.toISOString();
