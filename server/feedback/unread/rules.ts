import type { OwnedThread } from "../../../src/contract/threads.ts";

/** What is new on a thread for a person. */
export interface ThreadNews {
  /** The id of the first new message; undefined if there is none. */
  readonly first: string | undefined;
  readonly messages: number;
  /** Whether a person decided on a proposal. */
  readonly decided: boolean;
}

/** What happened on a thread after `since` that this person did not do. (rule F53) */
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
    /** Who decided on each proposal, by its id. */
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

/** After this time without a page a person comes back: what happened meanwhile is new. */
const visitEnds = 30 * 60_000;

/** A look is stored again after this time, so that pages that are open or reloaded write little. */
const lookNotedEvery = 60_000;

/** The last look of a person at a thread or at an inbox, and the one before that visit. Null if there was none. */
interface Look {
  readonly lookedAt: string | null;
  readonly sinceAt: string | null;
}

/** A look at `now`: since when things are new to the person, null if the person was never here, and whether to store it. */
interface NewLook {
  readonly since: string | null;
  readonly isDue: boolean;
}

/** What is new at a look. A page that is opened again during one visit shows the same things as new. (rule F53) */
export function lookAt(now: Date, { lookedAt, sinceAt }: Look): NewLook {
  if (lookedAt === null) return { since: sinceAt, isDue: true };
  const age = now.getTime() - Date.parse(lookedAt);
  return age >= visitEnds
    ? { since: lookedAt, isDue: true }
    : { since: sinceAt, isDue: age >= lookNotedEvery };
}

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
