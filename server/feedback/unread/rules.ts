import type { OwnedThread } from "../../../src/contract/threads.ts";

/** The news of a thread since a person's last visit. */
export interface ThreadNews {
  /** The id of the first new message; undefined if there is none. */
  readonly first: string | undefined;
  readonly messages: number;
  /** Whether another person has decided on a proposal. */
  readonly decided: boolean;
}

/** Returns what other people and agents did on a thread after `since`. (rule F53) */
export function threadNews(
  { messages, proposals }: Pick<OwnedThread, "messages" | "proposals">,
  {
    since,
    email,
    deciders,
  }: {
    /** Events after this time are new. */
    readonly since: string;
    /** The mail address of the person. What this person did is not new. */
    readonly email: string;
    /** The mail address of the person who decided on each proposal, by the id of the proposal. */
    readonly deciders: ReadonlyMap<string, string | null>;
  },
): ThreadNews {
  const fresh = messages.filter(({ createdAt, writtenBy }) => createdAt > since && writtenBy !== email);
  const decided = proposals.some(
    ({ id, decidedAt, decision }) =>
      decidedAt !== null && decidedAt > since && decision !== "replaced" && deciders.get(id) !== email,
  );
  return { first: fresh[0]?.id, messages: fresh.length, decided };
}

/**
 * The time in milliseconds without a view after which a visit ends. Then all events since the last view are
 * new.
 */
const visitEnds = 30 * 60_000;

/**
 * The minimum time in milliseconds between two stored views. With this limit, reloaded and open pages cause few
 * writes.
 */
const viewStoredEvery = 60_000;

/**
 * `lookedAt` is the time at which a person last viewed a thread or an inbox. `sinceAt` is the time of the last view
 * before that visit began. Each of the two times is null if there was no such view.
 */
interface LastView {
  readonly lookedAt: string | null;
  readonly sinceAt: string | null;
}

/**
 * Events after `since` are shown as new. `since` is null at the first view. If `isDue` is true, this view must be
 * stored.
 */
interface NewView {
  readonly since: string | null;
  readonly isDue: boolean;
}

/**
 * Returns the time after which events are new for a person who opens a page at `now`. If the person opens the page
 * again during the same visit, the same events stay new. (rule F53)
 */
export function nextView(now: Date, { lookedAt, sinceAt }: LastView): NewView {
  if (lookedAt === null) return { since: sinceAt, isDue: true };
  const age = now.getTime() - Date.parse(lookedAt);
  return age >= visitEnds
    ? { since: lookedAt, isDue: true }
    : { since: sinceAt, isDue: age >= viewStoredEvery };
}

/**
 * The limits for the stored views of a member in an app. A thread without a stored view counts as read if its last
 * activity is not after the member's time `read_until`. So views before `read_until` need not be counted.
 */
export const settling = {
  /**
   * If a member has more than `most` views after `read_until`, then `read_until` moves forward, so that only the newest
   * `kept` views are after it.
   */
  most: 64,
  kept: 32,
  /**
   * The maximum number of rows that a move of `read_until` may add. Each thread that is unread although it is older
   * than `read_until` needs a row. If more rows would be needed, `read_until` does not move.
   */
  mostUnread: 200,
} as const;

/** The maximum duration of a transaction in milliseconds. */
const longestChange = 60_000;

export interface ReadTimes {
  /** The latest time of activity in the threads that the member has read. */
  readonly newest: string;
  /** The last activity of the oldest thread whose view must stay after `read_until`. */
  readonly lastKept: string;
}

/**
 * Returns the new `read_until`. This time is so early that no running transaction can still store an earlier event.
 * (rule F52)
 */
export function settledUntil({ newest, lastKept }: ReadTimes): string {
  const committed = new Date(Date.parse(newest) - longestChange).toISOString();
  return committed < lastKept ? committed : lastKept;
}
