import { ApiError } from "../../../src/contract/errors.ts";
import { threads } from "../../../src/contract/threads.ts";
import type { Ask } from "../../console/ask.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { chosenTags } from "./tag-filter.tsx";

/** The page of the inbox from which a thread was opened, and the line on that page. */
export interface InboxPosition {
  /** The query of that page; empty when the thread was not opened from a list. */
  readonly list: string;
  readonly at: number;
}

/** The thread before or after the shown one, with its own position. */
export interface Neighbour {
  readonly id: string;
  readonly position: InboxPosition;
}

export interface Neighbours {
  readonly previous: Neighbour | undefined;
  readonly next: Neighbour | undefined;
}

/** The position in the address or in the form of a thread. */
export function inboxPositionOf({ query, fields }: Pick<SignedInVisit, "query" | "fields">): InboxPosition {
  const at = Number(query("at") || fields.text("at"));
  return { list: query("list") || fields.text("list"), at: Number.isSafeInteger(at) ? Math.max(0, at) : 0 };
}

/** The position as the query of a thread's address. */
export const inboxPositionQuery = ({ list, at }: InboxPosition): string =>
  list === "" ? "" : `?${new URLSearchParams({ list, at: String(at) })}`;

/** The status of the API that the status in the address of the inbox means; empty if it means several. */
export const oneStatus = (status: string): string => (["all", "unread"].includes(status) ? "" : status);

/** The API's query for a page of the inbox. */
export function inboxQuery(query: (name: string) => string) {
  const status = query("status") || "open";
  const q = query("q").trim();
  const isUnread = status === "unread" && q === "";
  return {
    status: oneStatus(status),
    type: query("type"),
    q,
    ...(q === "" ? { order: "activity" } : {}),
    ...(isUnread ? { unread: "true" } : {}),
    assignee: query("assignee"),
    tag: chosenTags(query).join(","),
    cursor: query("cursor"),
  };
}

const noNeighbours: Neighbours = { previous: undefined, next: undefined };

/** The threads before and after one in the list from which it was opened. The thread may have left that list since. */
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
      next: beside(after) ?? (await firstOfNext(ask, appId, { position, cursor: list.nextCursor })),
    };
  } catch (error) {
    // The list in the address is not valid.
    if (error instanceof ApiError && error.code === "bad_request") return noNeighbours;
    throw error;
  }
}

interface NextPage {
  readonly position: InboxPosition;
  readonly cursor: string | null;
}

async function firstOfNext(
  ask: Ask,
  appId: string,
  { position, cursor }: NextPage,
): Promise<Neighbour | undefined> {
  if (cursor === null) return undefined;
  const query = new URLSearchParams(position.list);
  query.set("cursor", cursor);
  const list = query.toString();
  const [first] = (await listOf(ask, appId, list)).items;
  return first && { id: first.id, position: { list, at: 0 } };
}

function listOf(ask: Ask, appId: string, list: string) {
  const given = new URLSearchParams(list);
  return ask(threads.list, { params: { appId }, query: inboxQuery((name) => given.get(name) ?? "") });
}
