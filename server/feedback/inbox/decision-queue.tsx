import { ApiError } from "../../../src/contract/errors.ts";
import { threads } from "../../../src/contract/threads.ts";
import type { Links } from "../../console/links.ts";
import { Line, Notice } from "../../console/parts.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import {
  type InboxPosition,
  inboxPositionQuery,
  type Neighbour,
  type Neighbours,
} from "./neighbours.tsx";

/**
 * The names of the list of decisions in the address of a thread. The list begins with the oldest or with the newest
 * proposal, and each order has its own name.
 */
const oldestList = "decisions";
const newestList = "decisions-newest";

/**
 * Returns the address of a thread that is opened from the list of decisions. `at` is the position of the thread in the
 * list. (rule A55)
 */
export const threadInQueue = (
  links: Links,
  { appId, feedbackId }: { readonly appId: string; readonly feedbackId: string },
  { at, newestFirst }: { readonly at: number; readonly newestFirst: boolean },
): string =>
  links.thread(appId, feedbackId) + inboxPositionQuery({ list: newestFirst ? newestList : oldestList, at });

/** Whether a thread was opened from the list of decisions. */
export const isFromDecisions = ({ list }: InboxPosition): boolean =>
  list === oldestList || list === newestList;

/** Returns the address of the list from which a thread was opened. */
export function listAddress(links: Links, appId: string, { list }: InboxPosition): string {
  if (list === oldestList) return links.home;
  if (list === newestList) return `${links.home}?order=newest`;
  return links.inbox(appId) + (list === "" ? "" : `?${new URLSearchParams(list)}`);
}

/** The threads before and after a thread in the list of decisions, and its position. */
export interface QueueNeighbours extends Neighbours {
  /** The position of the thread, such as `3 of 11`. Undefined if the thread is no longer in the list. */
  readonly place: string | undefined;
}

/** Returns the threads before and after a thread in the list of decisions. (rule A55) */
export async function neighboursInQueue(
  { reads }: SignedInVisit,
  id: string,
  { list, at }: InboxPosition,
): Promise<QueueNeighbours> {
  const { rows, more } = await reads.firstWaiting(list === newestList);
  const here = rows.findIndex(({ feedbackId }) => feedbackId === id);
  const [before, after] = here === -1 ? [at - 1, at] : [here - 1, here + 1];
  const beside = (place: number): Neighbour | undefined => {
    const row = rows[place];
    return row && { appId: row.appId, id: row.feedbackId, position: { list, at: place } };
  };
  return {
    previous: beside(before),
    next: beside(after),
    place: here === -1 ? undefined : `${here + 1} of ${rows.length}${more ? "+" : ""}`,
  };
}

/** The parameter in the address of the page after a decision. It names the thread on which the person has decided. */
const decidedName = "decided";

/**
 * Returns the address of the thread that waits for a decision after the thread with this id. After the last thread,
 * returns the address of the first remaining thread. If none remains, returns the address of the list. Call this before
 * the decision is stored.
 */
export async function addressAfterDecision(
  visit: SignedInVisit,
  id: string,
  position: InboxPosition,
): Promise<string> {
  const { links, param } = visit;
  const { list } = position;
  const { rows } = await visit.reads.firstWaiting(list === newestList);
  const here = rows.findIndex(({ feedbackId }) => feedbackId === id);
  const left = rows.filter(({ feedbackId }) => feedbackId !== id);
  const from = here === -1 ? Math.min(position.at, left.length) : here;
  const at = from < left.length ? from : 0;
  const next = left[at];
  const address =
    next === undefined
      ? listAddress(links, param("appId"), position)
      : threadInQueue(links, next, { at, newestFirst: list === newestList });
  return `${address}${address.includes("?") ? "&" : "?"}${new URLSearchParams({ [decidedName]: id })}`;
}

/** The thread on which the person has just decided, if the page shows another thread. */
export interface Decided {
  readonly appId: string;
  readonly id: string;
  readonly subject: string;
}

/** Returns the thread that the address names as decided, if the person may read it. */
export async function decidedBefore({ ask, query }: SignedInVisit): Promise<Decided | undefined> {
  const id = query(decidedName);
  if (!Object.hasOwn(words, query("done")) || !/^[\da-f-]{36}$/i.test(id)) return undefined;
  try {
    const { app, feedback } = await ask(threads.read, { params: { id } });
    return { appId: app.id, id: feedback.id, subject: feedback.subject };
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return undefined;
    throw error;
  }
}

const words: Readonly<Record<string, readonly [what: string, then: string]>> = {
  approved: ["Approved", "The agent may now proceed."],
  rejected: ["Rejected", "The agent must not proceed."],
  "changes-asked-for": ["You asked for changes", "The agent reads your note and can propose again."],
};

/** Shows what the person has just decided, and on which thread. (rule A55) */
export const DecidedNotice = ({
  done,
  decided,
  links,
}: {
  /** The kind of decision, from the address of the page. */
  readonly done: string;
  readonly decided: Decided | undefined;
  readonly links: Links;
}) => {
  const found = Object.hasOwn(words, done) ? words[done] : undefined;
  if (found === undefined) return null;
  const [what, then] = found;
  return (
    <Notice done={done}>
      {what}
      {decided && (
        <>
          {": "}
          <a href={`${links.thread(decided.appId, decided.id)}#proposal`}>
            <Line text={decided.subject} />
          </a>
        </>
      )}
      {`. ${then}`}
    </Notice>
  );
};
