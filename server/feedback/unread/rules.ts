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
 * After this time (milliseconds) without a view, a visit ends. At the next view, all events since the last view
 * are new.
 */
const visitEnds = 30 * 60_000;

/** The minimum time (milliseconds) between two stored views, so that open pages cause few writes. */
const viewStoredEvery = 60_000;

/**
 * `lookedAt` is the time of the last view of a thread or inbox. `sinceAt` is the time of the last view before
 * this visit. Both may be null.
 */
interface LastView {
  readonly lookedAt: string | null;
  readonly sinceAt: string | null;
}

/**
 * Events after `since` are new. If `since` is null, no event is new. If `isDue` is true, this view must be
 * stored.
 */
interface NewView {
  readonly since: string | null;
  readonly isDue: boolean;
}

/**
 * Returns the time after which events are new on a page opened at `now`. During a visit, the same events stay new.
 * (rule F53)
 */
export function nextView(now: Date, { lookedAt, sinceAt }: LastView): NewView {
  if (lookedAt === null) return { since: sinceAt, isDue: true };
  const age = now.getTime() - Date.parse(lookedAt);
  return age >= visitEnds
    ? { since: lookedAt, isDue: true }
    : { since: sinceAt, isDue: age >= viewStoredEvery };
}

/**
 * Limits for the stored views of a member (rows of `thread_looks`). A thread without a view counts as read if
 * its last activity is not after `read_until`.
 */
export const settling = {
  /**
   * If more than `most` views are after `read_until`, `read_until` moves forward. After that, only the newest
   * `kept` views are later than `read_until`.
   */
  most: 64,
  kept: 32,
  /** The maximum number of rows for unread threads before `read_until`. With more rows, `read_until` does not move. */
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
 * Returns the new `read_until`. It is early enough: no running transaction can store an event before this time.
 * (rule F52)
 */
export function settledUntil({ newest, lastKept }: ReadTimes): string {
  const committed = new Date(Date.parse(newest) - longestChange).toISOString();
  return committed < lastKept ? committed : lastKept;
}
