import { threads } from "../../../../src/contract/console/feedback.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { Ask } from "../../ask.ts";
import type { SignedInVisit } from "../../visit.ts";

/** From which page of the inbox a thread was opened, and which line of it. */
export interface InboxPosition {
  /** The query of that page; empty where the thread was not opened from a list. */
  readonly list: string;
  readonly at: number;
}

/** A thread beside the one that is shown, and its own place. */
export interface Neighbour {
  readonly id: string;
  readonly place: InboxPosition;
}

export interface Neighbours {
  readonly previous: Neighbour | undefined;
  readonly next: Neighbour | undefined;
}

/** The place that the address or the form of a thread names. */
export function inboxPositionOf({ query, fields }: Pick<SignedInVisit, "query" | "fields">): InboxPosition {
  const at = Number(query("at") || fields.text("at"));
  return { list: query("list") || fields.text("list"), at: Number.isSafeInteger(at) ? Math.max(0, at) : 0 };
}

/** The place as the query of a thread's address. */
export const inboxPositionQuery = ({ list, at }: InboxPosition): string =>
  list === "" ? "" : `?${new URLSearchParams({ list, at: String(at) })}`;

/** What the API is asked for to show a page of the inbox. */
export function inboxQuery(query: (name: string) => string) {
  const status = query("status") || "open";
  return {
    status: status === "all" ? "" : status,
    type: query("type"),
    q: query("q").trim(),
    cursor: query("cursor"),
  };
}

const nobody: Neighbours = { previous: undefined, next: undefined };

/** The threads before and after one in the list from which it was opened. It may have left that list meanwhile. */
export async function neighboursOf(
  ask: Ask,
  { appId, id }: { readonly appId: string; readonly id: string },
  place: InboxPosition,
): Promise<Neighbours> {
  if (place.list === "") return nobody;
  try {
    const list = await listOf(ask, appId, place.list);
    const here = list.items.findIndex((item) => item.id === id);
    const [before, after] = here === -1 ? [place.at - 1, place.at] : [here - 1, here + 1];
    const beside = (at: number): Neighbour | undefined => {
      const item = list.items[at];
      return item && { id: item.id, place: { list: place.list, at } };
    };
    return {
      previous: beside(before),
      next: beside(after) ?? (await firstOfNext(ask, appId, { place, cursor: list.nextCursor })),
    };
  } catch (error) {
    // The address holds a list that nobody can have opened.
    if (error instanceof ApiError && error.code === "bad_request") return nobody;
    throw error;
  }
}

interface NextPage {
  readonly place: InboxPosition;
  readonly cursor: string | null;
}

async function firstOfNext(
  ask: Ask,
  appId: string,
  { place, cursor }: NextPage,
): Promise<Neighbour | undefined> {
  if (cursor === null) return undefined;
  const query = new URLSearchParams(place.list);
  query.set("cursor", cursor);
  const list = query.toString();
  const [first] = (await listOf(ask, appId, list)).items;
  return first && { id: first.id, place: { list, at: 0 } };
}

function listOf(ask: Ask, appId: string, list: string) {
  const given = new URLSearchParams(list);
  return ask(threads.list, { params: { appId }, query: inboxQuery((name) => given.get(name) ?? "") });
}
