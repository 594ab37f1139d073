import { ApiError } from "../../../src/contract/errors.ts";
import { threads } from "../../../src/contract/threads.ts";
import type { Ask } from "../../console/ask.ts";
import type { Links } from "../../console/links.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { inboxQuery, valuesIn, withOpened } from "./filters.ts";

/** The page of the inbox from which a thread was opened, and the thread's position on that page. */
export interface InboxPosition {
  /** The query of the inbox page; empty if the thread was not opened from the inbox. */
  readonly list: string;
  readonly at: number;
  /** Whether the thread is shown beside its list. */
  readonly desk?: boolean;
  /** The id of the thread that opens after this thread is resolved. It is empty if there is none. */
  readonly next?: string;
}

/** The previous or next thread in the list, with its own position. */
export interface Neighbour {
  /** The app of the thread, if the list has threads of several apps. */
  readonly appId?: string;
  readonly id: string;
  readonly position: InboxPosition;
}

export interface Neighbours {
  readonly previous: Neighbour | undefined;
  readonly next: Neighbour | undefined;
}

/** Returns the position from the address of a thread, or from a form that was sent from the page of the thread. */
export function inboxPositionOf({ query, fields }: Pick<SignedInVisit, "query" | "fields">): InboxPosition {
  const at = Number(query("at") || fields.text("at"));
  return {
    list: query("list") || fields.text("list"),
    at: Number.isSafeInteger(at) ? Math.max(0, at) : 0,
    desk: fields.text("desk") === "1",
    next: fields.text("next"),
  };
}

/**
 * Returns the address of a thread. It shows the thread on a separate page, or next to the list from which it was
 * opened.
 */
export function threadAddress(
  links: Links,
  { appId, id }: { readonly appId: string; readonly id: string },
  position: InboxPosition,
): string {
  if (!position.desk) return links.thread(appId, id) + inboxPositionQuery(position);
  return `${links.inbox(appId)}?${withOpened(position.list, id)}&at=${position.at}`;
}

/** Returns the position as the query of a thread's address. */
export const inboxPositionQuery = ({ list, at }: InboxPosition): string =>
  list === "" ? "" : `?${new URLSearchParams({ list, at: String(at) })}`;

const noNeighbours: Neighbours = { previous: undefined, next: undefined };

/**
 * Returns the previous and the next thread in the list from which a thread was opened. The thread itself may no longer
 * be in that list.
 */
export async function neighboursOf(
  ask: Ask,
  { appId, id }: { readonly appId: string; readonly id: string },
  position: InboxPosition,
): Promise<Neighbours> {
  if (position.list === "") return noNeighbours;
  try {
    const list = await listOf(ask, appId, position.list);
    const here = list.items.findIndex((item) => item.id === id);
    const [before, after] = here === -1 ? [position.at - 1, position.at] : [here - 1, here + 1];
    const beside = (at: number): Neighbour | undefined => {
      const item = list.items[at];
      return item && { id: item.id, position: { list: position.list, at } };
    };
    return {
      previous: beside(before),
      next: beside(after) ?? (await firstOfNext(ask, appId, position, list.nextCursor)),
    };
  } catch (error) {
    // The address contains an invalid query of a list.
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
