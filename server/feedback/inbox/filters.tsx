import { ApiError } from "../../../src/contract/errors.ts";
import { type FixedView, fixedViews } from "../../../src/contract/fixed-views.ts";
import type { Tag } from "../../../src/contract/tags.ts";
import { type Assignee, threads } from "../../../src/contract/threads.ts";
import { fixedViewNames } from "../../../src/contract/views.ts";
import { visibleLine } from "../../../src/words/visible.ts";
import type { Ask } from "../../console/ask.ts";
import type { Links } from "../../console/links.ts";
import { usePersonWords } from "../../console/people.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import { TagBadge } from "../tags/badge.tsx";

/** The page of the inbox from which a thread was opened, and the thread's position on that page. */
export interface InboxPosition {
  /** The query of the inbox page; empty if the thread was not opened from the inbox. */
  readonly list: string;
  readonly at: number;
  /** Whether the thread is shown beside its list. */
  readonly desk?: boolean;
  /** The id of the thread that opens when this one is resolved; empty if there is none. */
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

/** Returns the address of a thread: on a separate page, or beside the list from which it was opened. */
export function threadAddress(
  links: Links,
  { appId, id }: { readonly appId: string; readonly id: string },
  position: InboxPosition,
): string {
  if (!position.desk) return links.thread(appId, id) + inboxPositionQuery(position);
  return `${links.inbox(appId)}?${withOpened(position.list, id)}&at=${position.at}`;
}

/** Returns the query of a list beside which a thread is opened. */
export function withOpened(list: string, thread: string | number): string {
  const query = new URLSearchParams(list);
  query.set("open", String(thread));
  return query.toString();
}

/** Returns the position as the query of a thread's address. */
export const inboxPositionQuery = ({ list, at }: InboxPosition): string =>
  list === "" ? "" : `?${new URLSearchParams({ list, at: String(at) })}`;

/** The names of the filters in the address of a list. An empty value selects everything. */
const filterNames = [
  ...(["status", "type", "tag", "assignee", "q", "unread", "waitingOn", "unfinished", "snoozed"] as const),
  ...(["sender", "from", "to", "order"] as const),
] as const;

type FilterName = (typeof filterNames)[number];

export type ListFilter = Readonly<Record<FilterName, string>>;

const noFilter: ListFilter = {
  ...{ status: "", type: "", tag: "", assignee: "", q: "", unread: "", waitingOn: "", unfinished: "" },
  ...{ snoozed: "", sender: "", from: "", to: "", order: "activity" },
};

/** Returns the filters of a view or of a query of the API. */
export const filterWith = (given: Readonly<Partial<Record<FilterName, string | undefined>>>): ListFilter =>
  changedFilter(noFilter, given);

/** Returns filters with some other values. */
export function changedFilter(
  filter: ListFilter,
  change: Readonly<Partial<Record<FilterName, string | undefined>>>,
): ListFilter {
  const value = (name: FilterName) => change[name] ?? filter[name];
  return {
    ...{ status: value("status"), type: value("type"), tag: value("tag"), assignee: value("assignee") },
    ...{ q: value("q"), unread: value("unread"), waitingOn: value("waitingOn"), order: value("order") },
    ...{ unfinished: value("unfinished"), snoozed: value("snoozed"), sender: value("sender") },
    ...{ from: value("from"), to: value("to") },
  };
}

/** Whether the filters of a list are the same. */
export const isSameFilter = (one: ListFilter, other: ListFilter): boolean =>
  filterNames.every((name) => one[name] === other[name]);

/**
 * Returns the filters of the list in an address. If the address has no status, a search covers every status. An empty
 * search shows the list from which it was sent. All other addresses without a status show the list of threads to
 * triage.
 */
export function filterOf(query: (name: string) => string): ListFilter {
  const q = query("q").trim();
  if (q === "" && query("in") !== "") return filterOf(valuesIn(query("in")));
  const given = givenFilter(query);
  if (q !== "") return changedFilter(given, { unread: "", sender: "", order: "activity" });
  const view = query("view") || (query("status") === "" ? "to_triage" : "");
  if (!isFixedView(view)) return given;
  const more = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
  return changedFilter(filterWith(fixedViews[view]), more);
}

function givenFilter(query: (name: string) => string): ListFilter {
  const status = query("status");
  const values = Object.fromEntries(filterNames.map((name) => [name, query(name).trim()]));
  return changedFilter(noFilter, {
    ...values,
    status: ["all", "unread"].includes(status) ? "" : status,
    unread: status === "unread" ? "true" : query("unread"),
    tag: chosenTags(query).join(","),
    order: query("order") === "created" ? "created" : "activity",
  });
}

/** Returns the name of the fixed view with exactly these filters. */
export const fixedViewOf = (filter: ListFilter): FixedView | undefined =>
  fixedViewNames.find((name) => isSameFilter(filter, filterWith(fixedViews[name])));

const isFixedView = (name: string): name is FixedView => Object.hasOwn(fixedViews, name);

/** Returns the query of the address of a list with these filters. */
export function listQuery(filter: ListFilter, more: Readonly<Record<string, string>> = {}): string {
  const view = fixedViewOf(filter);
  const own = view === undefined ? addressValues(filter) : { view };
  const given = Object.entries({ ...own, ...more }).filter(([, value]) => value !== "");
  return new URLSearchParams(given).toString();
}

function addressValues({ status, unread, order, ...filter }: ListFilter): Record<string, string> {
  const isUnread = unread === "true";
  return {
    status: status || (isUnread ? "unread" : "all"),
    ...filter,
    ...(status !== "" && isUnread ? { unread } : {}),
    ...(order === "created" ? { order } : {}),
  };
}

/** Returns the filters in the form of the API. */
export const filterQuery = ({ order, ...filter }: ListFilter): Record<string, string> => ({
  ...filter,
  ...(filter.q === "" ? { order } : {}),
});

/** Returns the API query for a page of the inbox. */
export const inboxQuery = (query: (name: string) => string): Record<string, string> => ({
  ...filterQuery(filterOf(query)),
  cursor: query("cursor"),
});

/** Returns a function that reads the values of an address's query. */
export function valuesIn(list: string): (name: string) => string {
  const given = new URLSearchParams(list);
  return (name) => given.get(name) ?? "";
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
  return ask(threads.list, { params: { appId }, query: inboxQuery(valuesIn(list)) });
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
  const wordsOf = usePersonWords();
  const options = [
    ["", "Any assignee"],
    ["me", "Assigned to me"],
    ["none", "Assigned to nobody"],
    ...people.map(({ userId, email }) => [userId, wordsOf(email)] as const),
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
