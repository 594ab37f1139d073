import { type FixedView, fixedViews } from "../../../src/contract/fixed-views.ts";
import { type ListOrder, listOrders } from "../../../src/contract/threads.ts";
import { fixedViewNames } from "../../../src/contract/views.ts";

/** Takes the query of a list. Returns the query with the thread that is shown next to the list. */
export function withOpened(list: string, thread: string | number): string {
  const query = new URLSearchParams(list);
  query.set("open", String(thread));
  return query.toString();
}

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

/** Returns all filters of a list. A filter that is not in `given` selects everything. */
export const filterWith = (given: Readonly<Partial<Record<FilterName, string | undefined>>>): ListFilter =>
  changedFilter(noFilter, given);

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

export const isSameFilter = (one: ListFilter, other: ListFilter): boolean =>
  filterNames.every((name) => one[name] === other[name]);

/** Returns the filters in the address of a list. Without a search, view or status, the view is `to_triage`. */
export function filterOf(query: (name: string) => string): ListFilter {
  const q = query("q").trim();
  // `in` contains the filters of the list from before the search.
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
    order: shownOrder(query("order")),
  });
}

/** Returns the order in which the console shows a list. A list without a known order is sorted by activity. */
export const shownOrder = (given: string | undefined): ListOrder =>
  listOrders.find((order) => order === given) ?? "activity";

/** Returns the name of the fixed view with exactly these filters. */
export const fixedViewOf = (filter: ListFilter): FixedView | undefined =>
  fixedViewNames.find((name) => isSameFilter(filter, filterWith(fixedViews[name])));

const isFixedView = (name: string): name is FixedView => Object.hasOwn(fixedViews, name);

/** Returns the query for the address of a list with these filters. */
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
    ...(order === "activity" ? {} : { order }),
  };
}

/** Returns the filters as a query for the API. A search has no order. */
export const filterQuery = ({ order, ...filter }: ListFilter): Record<string, string> => ({
  ...filter,
  ...(filter.q === "" ? { order } : {}),
});

/** Returns a function that reads the values of a query such as `status=open&type=bug`. */
export function valuesIn(list: string): (name: string) => string {
  const given = new URLSearchParams(list);
  return (name) => given.get(name) ?? "";
}

/** Returns the names of the tags in the address of the inbox. The parameter `also` contains one more tag. */
function chosenTags(query: (name: string) => string): string[] {
  const given = [...query("tag").split(","), query("also")].map((name) => name.trim());
  return [...new Set(given.filter((name) => name !== ""))];
}
