import { ApiError } from "../../../src/contract/errors.ts";
import { threads } from "../../../src/contract/threads.ts";
import type { SignedInVisit } from "../../console/definitions.ts";
import type { Links } from "../../console/links.ts";
import type { Ask } from "../../console/page-reads.ts";
import { Line, Notice } from "../../console/parts.tsx";
import { filterOf, filterQuery, valuesIn, withOpened } from "./filters.ts";

/** The value of `list` if the thread was opened from the list of decisions with the oldest first. */
const oldestList = "decisions";

/** The value of `list` if the thread was opened from the list of decisions with the newest first. */
const newestList = "decisions-newest";

/** Returns the address of a thread that is opened from the list of decisions at position `at`. (rule A55) */
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

/** The threads before and after a thread in the list of decisions, and the position of the thread. */
export interface QueueNeighbours extends Neighbours {
  /** The position of the thread, such as `3 of 11`; undefined if the thread is no longer in the list. */
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

/** The query parameter with the id of the thread whose proposal the person has just approved or rejected. */
const decidedName = "decided";

/** Returns the address of the page after a decision. Call this function before the decision is stored. */
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

/** The thread whose proposal the person has just approved or rejected. */
export interface Decided {
  readonly appId: string;
  readonly id: string;
  readonly subject: string;
}

/** Returns the thread of the decision just made; undefined if there is none or the person may not read it. */
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
  rejected: [
    "Rejected",
    "The agent must not proceed. A rejection is final: write a note in the thread and ask the agent for a new plan if you change your mind.",
  ],
  "changes-asked-for": ["You asked for changes", "The agent reads your note and can propose again."],
};

/** Shows the decision that the person has just made, with a link to the thread. (rule A55) */
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

/** The page of the inbox from which a thread was opened, and the thread's position on that page. */
export interface InboxPosition {
  /** The query of the inbox page; empty if the thread was not opened from the inbox. */
  readonly list: string;
  readonly at: number;
  /** The id of the thread that came next, or `noneAfter`. Undefined until the person sends a form. */
  readonly after?: string | undefined;
  /** Whether the thread is shown next to the list, not on its own page. */
  readonly desk?: boolean;
  /** The id of the thread that opens after this thread is resolved; empty if there is none. */
  readonly next?: string;
}

/** The previous or the next thread in a list. */
export interface Neighbour {
  /** The app of the thread, if the list has threads of several apps. */
  readonly appId?: string;
  readonly id: string;
  readonly position: InboxPosition;
}

export interface Neighbours {
  readonly previous: Neighbour | undefined;
  readonly next: Neighbour | undefined;
  /** The position of the thread in the list from which it was opened; undefined if the list is not known. */
  readonly at?: number;
}

const noneAfter = "none";

/** The threads before and after a thread in a list, and the position between them. */
export interface Beside<Item> {
  readonly previous: Item | undefined;
  readonly next: Item | undefined;
  readonly at: number;
}

/** Returns the threads before and after a thread. If an action moved the thread, uses the old position. */
export function besideIn<Item extends { readonly id: string }>(
  items: readonly Item[],
  id: string | undefined,
  opened: Pick<InboxPosition, "at" | "after">,
): Beside<Item> {
  const others = items.filter((item) => item.id !== id);
  const here = items.findIndex((item) => item.id === id);
  const after = others.findIndex((item) => item.id === opened.after);
  const isMoved = here === -1 || opened.after !== undefined;
  const at = after !== -1 ? after : isMoved ? Math.min(opened.at, others.length) : here;
  return { previous: others[at - 1], next: others[at], at };
}

/** Returns the position that the forms on the page of a thread contain. */
export const withNeighbours = (
  position: InboxPosition,
  { at, next }: { readonly at: number; readonly next: { readonly id: string } | undefined },
): InboxPosition => ({ ...position, at, after: next?.id ?? noneAfter });

/** Returns the position of a thread in its list, as values of a form or an address. */
export const placeValues = ({ at, after }: Pick<InboxPosition, "at" | "after">): [string, string][] => [
  ["at", String(at)],
  ...(after === undefined ? [] : [["after", after] satisfies [string, string]]),
];

/** Returns the position from the address of a thread, or from a form on its page. */
export function inboxPositionOf({ query, fields }: Pick<SignedInVisit, "query" | "fields">): InboxPosition {
  return {
    list: query("list") || fields.text("list"),
    ...placeFrom(query, fields),
    desk: fields.text("desk") === "1",
    next: fields.text("next"),
  };
}

/** Returns the position of a thread in its list from the address of the page, or from a form. */
export function placeFrom(
  query: SignedInVisit["query"],
  fields: SignedInVisit["fields"],
): Pick<InboxPosition, "at" | "after"> {
  const at = Number(query("at") || fields.text("at"));
  return {
    at: Number.isSafeInteger(at) ? Math.max(0, at) : 0,
    after: query("after") || fields.text("after") || undefined,
  };
}

/** Returns the address of a thread: on its own page, or next to the list. */
export function threadAddress(
  links: Links,
  { appId, id }: { readonly appId: string; readonly id: string },
  position: InboxPosition,
): string {
  if (!position.desk) return links.thread(appId, id) + inboxPositionQuery(position);
  return `${links.inbox(appId)}?${withPlace(withOpened(position.list, id), position)}`;
}

/** Adds the position of the shown thread to the query of a list. */
export function withPlace(list: string, position: Pick<InboxPosition, "at" | "after">): string {
  const query = new URLSearchParams(list);
  for (const [name, value] of placeValues(position)) query.set(name, value);
  return query.toString();
}

/** Returns the position as the query of a thread's address. */
export const inboxPositionQuery = ({ list, ...place }: InboxPosition): string =>
  list === "" ? "" : `?${new URLSearchParams([["list", list], ...placeValues(place)])}`;

const noNeighbours: Neighbours = { previous: undefined, next: undefined };

/** Returns the neighbours in the list from which a thread was opened. The thread may have left that list. */
export async function neighboursOf(
  ask: Ask,
  { appId, id }: { readonly appId: string; readonly id: string },
  position: InboxPosition,
): Promise<Neighbours> {
  if (position.list === "") return noNeighbours;
  try {
    const list = await listOf(ask, appId, position.list);
    const { previous, next, at } = besideIn(list.items, id, position);
    const neighbour = (item: { readonly id: string } | undefined): Neighbour | undefined =>
      item && {
        id: item.id,
        position: { list: position.list, at: list.items.findIndex((other) => other.id === item.id) },
      };
    return {
      previous: neighbour(previous),
      next: neighbour(next) ?? (await firstOfNext(ask, appId, position, list.nextCursor)),
      at,
    };
  } catch (error) {
    // The query of the list in the address is invalid.
    if (error instanceof ApiError && error.code === "bad_request") return noNeighbours;
    throw error;
  }
}

async function firstOfNext(
  ask: Ask,
  appId: string,
  position: InboxPosition,
  cursor: string | null,
): Promise<Neighbour | undefined> {
  if (cursor === null) return undefined;
  const query = new URLSearchParams(position.list);
  query.set("cursor", cursor);
  const list = query.toString();
  const [first] = (await listOf(ask, appId, list)).items;
  return first && { id: first.id, position: { list, at: 0 } };
}

function listOf(ask: Ask, appId: string, list: string) {
  return ask(threads.list, { params: { appId }, query: inboxQuery(valuesIn(list)) });
}

/** Returns the API query for a page of the inbox. */
const inboxQuery = (query: (name: string) => string): Record<string, string> => ({
  ...filterQuery(filterOf(query)),
  cursor: query("cursor"),
});
