import { ApiError } from "../../../src/contract/errors.ts";
import type { Tag } from "../../../src/contract/tags.ts";
import { type Assignee, threads } from "../../../src/contract/threads.ts";
import { visibleLine } from "../../../src/words/visible.ts";
import type { Ask } from "../../console/ask.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { TagBadge } from "../tags/badge.tsx";

/** The page of the inbox from which a thread was opened, and the thread's position on that page. */
export interface InboxPosition {
  /** The query of the inbox page; empty if the thread was not opened from the inbox. */
  readonly list: string;
  readonly at: number;
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

/** Returns the position that is in the address of a thread or in its sent form. */
export function inboxPositionOf({ query, fields }: Pick<SignedInVisit, "query" | "fields">): InboxPosition {
  const at = Number(query("at") || fields.text("at"));
  return { list: query("list") || fields.text("list"), at: Number.isSafeInteger(at) ? Math.max(0, at) : 0 };
}

/** Returns the position as the query of a thread's address. */
export const inboxPositionQuery = ({ list, at }: InboxPosition): string =>
  list === "" ? "" : `?${new URLSearchParams({ list, at: String(at) })}`;

/** Returns the API's status for the status in the inbox's address; empty if that means several statuses. */
export const oneStatus = (status: string): string => (["all", "unread"].includes(status) ? "" : status);

/**
 * Returns the status in the address of the inbox. Without one, a search is in every status, and a list has the open
 * threads, or those of the list from which an empty search was sent.
 */
export const statusOf = (query: (name: string) => string): string =>
  query("status") || (query("q").trim() === "" ? query("in") || "open" : "all");

/** Returns the API query for a page of the inbox. */
export function inboxQuery(query: (name: string) => string) {
  const status = statusOf(query);
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
    // The query of the list in the address is not valid.
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
  const given = new URLSearchParams(list);
  return ask(threads.list, { params: { appId }, query: inboxQuery((name) => given.get(name) ?? "") });
}

/** Returns the names of the tags in the address of the inbox. The field `also` has one more tag. */
function chosenTags(query: (name: string) => string): string[] {
  const given = [...query("tag").split(","), query("also")].map((name) => name.trim());
  return [...new Set(given.filter((name) => name !== ""))];
}

/** The tags by which the list is filtered. */
export const ChosenTags = ({
  chosen,
  all,
  address,
}: {
  readonly chosen: readonly string[];
  readonly all: readonly Tag[];
  /** The address of the inbox with these tags. */
  readonly address: (tags: readonly string[]) => string;
}) => (
  <div class="row">
    {chosen.map((name) => (
      <a key={name} href={address(chosen.filter((other) => other !== name))} class="chosen">
        <TagBadge tag={all.find((tag) => tag.name === name) ?? { name, colour: null }} />
        <span aria-hidden="true">×</span>
        <span class="unseen">Show feedback without this tag, too</span>
      </a>
    ))}
  </div>
);

/** The fields with which a person adds one more tag to the filter. */
export const TagChoice = ({
  chosen,
  all,
}: {
  readonly chosen: readonly string[];
  readonly all: readonly Tag[];
}) => {
  const left = all.filter(({ name }) => !chosen.includes(name));
  return (
    <>
      {chosen.length > 0 && <input type="hidden" name="tag" value={chosen.join(",")} />}
      {left.length > 0 && (
        <>
          <label class="unseen" for="also">
            Tag
          </label>
          <select class="more" id="also" name="also">
            <option value="">{chosen.length === 0 ? "All tags" : "And a tag"}</option>
            {left.map(({ id, name }) => (
              <option key={id} value={name}>
                {visibleLine(name)}
              </option>
            ))}
          </select>
        </>
      )}
    </>
  );
};

/** The field that filters by assignee. */
export const AssigneeChoice = ({
  chosen,
  people,
}: {
  readonly chosen: string;
  readonly people: readonly Assignee[];
}) => {
  const options = [
    ["", "Any assignee"],
    ["me", "Assigned to me"],
    ["none", "Assigned to nobody"],
    ...people.map(({ userId, email }) => [userId, visibleLine(email)] as const),
  ] as const;
  return (
    <>
      <label class="unseen" for="assignee">
        Assigned to
      </label>
      <select class="more" id="assignee" name="assignee">
        {options.map(([value, label]) => (
          <option key={value} value={value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
    </>
  );
};
