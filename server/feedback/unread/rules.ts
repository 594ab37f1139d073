import type { OwnedThread } from "../../../src/contract/threads.ts";

/** The new events of a thread since a person's last visit. */
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
    /** Events after this time are new. */
    readonly since: string;
    readonly email: string;
    /** Who decided on each proposal: the person's e-mail address by the id of the proposal. */
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

/** A visit ends if the person views no page for this time. At the next view, all events since the last view are new. */
const visitEnds = 30 * 60_000;

/** A view is stored again only after this time, so that reloaded or open pages cause few writes. */
const viewStoredEvery = 60_000;

/**
 * The last view of a thread or an inbox by a person (`lookedAt`), and the last view before the visit in which this
 * happened (`sinceAt`). Null if there was no such view.
 */
interface LastView {
  readonly lookedAt: string | null;
  readonly sinceAt: string | null;
}

/**
 * A view. Everything after `since` is new. At the first view, `since` may be null. `isDue` says whether the view must
 * be stored.
 */
interface NewView {
  readonly since: string | null;
  readonly isDue: boolean;
}

/**
 * Returns the view at the time `now`. If a person opens a page again during the same visit, the same events are shown
 * as new. (rule F53)
 */
export function nextView(now: Date, { lookedAt, sinceAt }: LastView): NewView {
  if (lookedAt === null) return { since: sinceAt, isDue: true };
  const age = now.getTime() - Date.parse(lookedAt);
  return age >= visitEnds
    ? { since: lookedAt, isDue: true }
    : { since: sinceAt, isDue: age >= viewStoredEvery };
}

/**
 * The limits for the stored views of a member in an app. `read_until` is the time up to which the member has read all
 * threads without a stored view. Only the views after `read_until` count here.
 */
export const settling = {
  /**
   * The maximum number of views that a page must count. If there are more, `read_until` moves forward, so that only the
   * newest `kept` views are counted.
   */
  most: 64,
  kept: 32,
  /**
   * Each unread thread before `read_until` needs a row. If there would be more rows than this, `read_until` does not
   * change.
   */
  mostUnread: 200,
} as const;

/** Every transaction commits within this time. */
const longestChange = 60_000;

/**
 * `newest` is the last activity of the newest thread that the member has read. `lastKept` is the last activity of the
 * oldest thread whose view must stay after `read_until`.
 */
export interface ReadTimes {
  readonly newest: string;
  readonly lastKept: string;
}

/**
 * Returns the new `read_until`. This time is so early that every change from before it is already committed. (rule F52)
 */
export function settledUntil({ newest, lastKept }: ReadTimes): string {
  const committed = new Date(Date.parse(newest) - longestChange).toISOString();
  return committed < lastKept ? committed : lastKept;
}
