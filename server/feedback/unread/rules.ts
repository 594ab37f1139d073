import type { OwnedThread } from "../../../src/contract/threads.ts";

/** What is new on a thread for a person. */
export interface ThreadNews {
  /** The id of the first new message; undefined if there is none. */
  readonly first: string | undefined;
  readonly messages: number;
  /** Whether a person decided on a proposal. */
  readonly decided: boolean;
}

/** Returns what others did on a thread after `since`. (rule F53) */
export function threadNews(
  { messages, proposals }: Pick<OwnedThread, "messages" | "proposals">,
  {
    since,
    email,
    deciders,
  }: {
    /** The instant after which things are new. */
    readonly since: string;
    readonly email: string;
    /** The e-mail address of the person who decided on a proposal, by its id. */
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

/** A visit ends after this time without a view. At the next view, everything that happened meanwhile is new. */
const visitEnds = 30 * 60_000;

/** A view is stored again only after this time, so that pages that are open or reloaded write little. */
const viewStoredEvery = 60_000;

/** The last view of a thread or an inbox by a person, and the last one before that visit. Null if there was none. */
interface LastView {
  readonly lookedAt: string | null;
  readonly sinceAt: string | null;
}

/**
 * A view at `now`. `since` is the instant after which things are new; null at the first view. `isDue` tells whether to
 * store the view.
 */
interface NewView {
  readonly since: string | null;
  readonly isDue: boolean;
}

/**
 * Returns the view at `now`. If a page is opened again during one visit, it shows the same things as new. (rule F53)
 */
export function nextView(now: Date, { lookedAt, sinceAt }: LastView): NewView {
  if (lookedAt === null) return { since: sinceAt, isDue: true };
  const age = now.getTime() - Date.parse(lookedAt);
  return age >= visitEnds
    ? { since: lookedAt, isDue: true }
    : { since: sinceAt, isDue: age >= viewStoredEvery };
}

/**
 * Limits for the views of a member in an app that are newer than `read_until`: up to that instant, the member has read
 * all other threads.
 */
export const settling = {
  /**
   * Every page counts at most this many views. If there are more, `read_until` moves forward, so that only the newest
   * `kept` are counted.
   */
  most: 64,
  kept: 32,
  /** Unread threads before `read_until` get a row each. If there were more than this, `read_until` does not move. */
  mostUnread: 200,
} as const;

/** A change is committed within this time. */
const longestChange = 60_000;

/**
 * The last activity of the newest thread that the member has read, and of the oldest one whose view stays newer than
 * `read_until`.
 */
export interface ReadTimes {
  readonly newest: string;
  readonly lastKept: string;
}

/** Returns the new `read_until`. No change from before this instant can still wait for its commit. (rule F52) */
export function settledUntil({ newest, lastKept }: ReadTimes): string {
  const committed = new Date(Date.parse(newest) - longestChange).toISOString();
  return committed < lastKept ? committed : lastKept;
}
