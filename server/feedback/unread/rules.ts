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

/** A visit ends after this time (milliseconds) without a view. */
const visitEnds = 30 * 60_000;

/** The minimum time (milliseconds) between two stored views, so that open pages cause few writes. */
const viewStoredEvery = 60_000;

/** The stored view of a thread or an inbox. */
interface LastView {
  /** The time of the last view; null if there is none. */
  readonly lookedAt: string | null;
  /** The time of the last view before this visit; null if there is none. */
  readonly sinceAt: string | null;
}

interface NewView {
  /** Events after this time are new. If it is null, no event is new. */
  readonly since: string | null;
  /** Whether the present view must be stored. */
  readonly isDue: boolean;
}

/** Returns the time after which events are new. During a visit, this time stays the same. (rule F53) */
export function nextView(now: Date, { lookedAt, sinceAt }: LastView): NewView {
  if (lookedAt === null) return { since: sinceAt, isDue: true };
  const age = now.getTime() - Date.parse(lookedAt);
  return age >= visitEnds
    ? { since: lookedAt, isDue: true }
    : { since: sinceAt, isDue: age >= viewStoredEvery };
}

/** Limits for the stored views of a member (rows of `thread_looks`). */
export const settling = {
  /**
   * With more than `most` views after `read_until`, the server moves `read_until` forward. About `kept` views
   * stay after the new time.
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

/** Returns the new `read_until`. No running transaction can store an event before this time. (rule F52) */
export function settledUntil({ newest, lastKept }: ReadTimes): string {
  const committed = new Date(Date.parse(newest) - longestChange).toISOString();
  return committed < lastKept ? committed : lastKept;
}
