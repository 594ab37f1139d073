/** The looks of a member in an app that are newer than what the member has read as a whole. */
export const settling = {
  /** So many are counted on every page. If there are more, all but the newest become part of what was read as a whole. */
  most: 64,
  kept: 32,
  /** Threads that are unread among those are remembered one by one, as far as so many are. */
  mostUnread: 200,
} as const;

/** No change takes so long between its time and its commit. */
const longestChange = 60_000;

/** When something last happened on threads that the member has read: on the newest, and on the last one that is kept. */
export interface ReadTimes {
  readonly newest: string;
  readonly lastKept: string;
}

/**
 * The instant up to which everything may count as read, but for the unread threads. Nothing that happened up to it can
 * still wait for its commit. (rule F52)
 */
export function settledUntil({ newest, lastKept }: ReadTimes): string {
  const committed = new Date(Date.parse(newest) - longestChange).toISOString();
  return committed < lastKept ? committed : lastKept;
}
