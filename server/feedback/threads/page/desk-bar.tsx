import type { ComponentChildren } from "preact";
import { boundary } from "../../../../src/contract/fields.ts";
import { limits } from "../../../../src/contract/limits.ts";
import type { Tag } from "../../../../src/contract/tags.ts";
import type { Assignee, SearchFacts } from "../../../../src/contract/threads.ts";
import { visibleLine } from "../../../../src/words/visible.ts";
import { HiddenFields } from "../../../console/forms.tsx";
import { keyed, usePersonWords } from "../../../console/parts.tsx";
import { fullTime } from "../../../console/times.tsx";
import { changedFilter, filterWith, fixedViewOf, type ListFilter, listQuery } from "../../inbox/filters.ts";
import { FoundStatuses, SearchHints } from "../../search/parts.tsx";
import { nameIn, statusNames, TagBadge, typeNames } from "../badges.tsx";

interface ListBarProps {
  /** The address of the inbox. */
  readonly inbox: string;
  readonly filter: ListFilter;
  /** The id of the open saved view; empty if there is none. */
  readonly saved: string;
  /** The version of the filters when the person opened the view. Empty if no view is open. */
  readonly seen: string;
  /** The name of the open view. */
  readonly name: string;
  /** The number of threads that match the filters, as text. */
  readonly total: string;
  readonly tags: readonly Tag[];
  readonly people: readonly Assignee[];
  /** Facts about the search; undefined if the page is not the first page of a search. */
  readonly facts: SearchFacts | undefined;
}

/** The bar above the list: the search, the number of threads, and the filters. */
export const ListBar = (props: ListBarProps) => {
  const { inbox, filter, saved, seen, name, total } = props;
  const address = (change: Parameters<typeof changedFilter>[1]) =>
    `${inbox}?${listQuery(changedFilter(filter, change), { saved, seen })}`;
  const filters = useFilterWords(props).map(({ words, change }) => ({ words, address: address(change) }));
  return (
    <>
      <div class="list-bar">
        <button class="views-button" type="button" popovertarget="views">
          <span class="name">{name}</span>
        </button>
        <SearchForm {...props} />
        <p class="total">
          <b>{total}</b>
          <span class="unseen">{total === "1" ? " thread" : " threads"}</span>
        </p>
        <FilterMenu title="Filters and order">
          <FilterForm {...props} />
        </FilterMenu>
      </div>
      {(filter.q !== "" || filter.tag !== "" || filters.length > 0) && (
        <div class="list-hints">
          {filters.length > 0 && <ChosenFilters chosen={filters} />}
          {filter.q !== "" && (
            <FoundStatuses
              counts={props.facts?.counts}
              status={filter.status || "all"}
              address={(status) => address({ status: status === "all" ? "" : status })}
            />
          )}
          {filter.tag !== "" && (
            <ChosenTags
              chosen={filter.tag.split(",")}
              all={props.tags}
              address={(tags) => address({ tag: tags.join(",") })}
            />
          )}
          <SearchHints q={filter.q} facts={props.facts} address={(q) => address({ q, status: "" })} />
        </div>
      )}
    </>
  );
};

/** A menu above a list. The menu contains a form. */
const FilterMenu = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <details class="menu right filter-menu">
    <summary title={title}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="none" stroke="currentColor">
        <path d="M2 4h12M4.5 8h7M6.5 12h3" stroke-width="1.5" stroke-linecap="round" />
      </svg>
      <span class="unseen">{title}</span>
    </summary>
    <div class="panel">{children}</div>
  </details>
);

/** The menu with the order of a list. The form keeps the filters of the list. */
export const OrderMenu = ({
  list,
  filter,
}: {
  /** The address of the list. */
  readonly list: string;
  readonly filter: ListFilter;
}) => (
  <FilterMenu title="Order">
    <form class="stack tight" method="get" action={list}>
      <HiddenFields
        values={[...new URLSearchParams(listQuery(filter))].filter(([name]) => name !== "order")}
      />
      <Choice name="order" label="Order" value={filter.order} options={orders} />
      <div class="actions">
        <button class="primary small" type="submit">
          Show
        </button>
      </div>
    </form>
  </FilterMenu>
);

/** Returns the filters that the bar must show. The name of an open view replaces its filters. */
function useFilterWords({ filter, saved, people }: ListBarProps) {
  const assigneeWords = useAssigneeWords(filter, people);
  if (saved !== "" || fixedViewOf(filter) !== undefined) return [];
  const { type, assignee, waitingOn, unfinished, snoozed, from, to } = filter;
  const all = [
    [filter.q === "" ? filter.status : "", nameIn(statusNames, filter.status), { status: "" }],
    [type, nameIn(typeNames, type), { type: "" }],
    [assignee, assigneeWords, { assignee: "" }],
    [waitingOn, wordsFor(turns, waitingOn), { waitingOn: "" }],
    [unfinished, "Not finished", { unfinished: "" }],
    [snoozed, wordsFor(snoozeStates, snoozed), { snoozed: "" }],
    [from, `From ${timeWords(from)}`, { from: "" }],
    [to, `Before ${timeWords(to)}`, { to: "" }],
  ] as const;
  return all.flatMap(([value, words, change]) => (value === "" ? [] : [{ words, change }]));
}

function timeWords(given: string): string {
  const time = boundary.safeParse(given);
  return time.success ? fullTime(time.data) : given;
}

function useAssigneeWords({ assignee }: ListFilter, people: readonly Assignee[]): string {
  const wordsOf = usePersonWords();
  const person = people.find(({ userId }) => userId === assignee);
  return assignees.get(assignee) ?? wordsOf(person?.email ?? "A former member");
}

/** Returns a text with one filter of the list on each line. Leaves out the usual order. */
export function useFilterText(filter: ListFilter, people: readonly Assignee[]): string {
  const assigneeWords = useAssigneeWords(filter, people);
  const { q, status, type, tag, assignee, waitingOn, snoozed, unread, unfinished, sender, from, to } = filter;
  const all = [
    ["Search", q, q],
    ["Status", status, nameIn(statusNames, status)],
    ["Type", type, nameIn(typeNames, type)],
    ["Tags", tag, tag.split(",").join(", ")],
    ["Assignee", assignee, assigneeWords],
    ["Turn", waitingOn, wordsFor(turns, waitingOn)],
    ["Snooze", snoozed, wordsFor(snoozeStates, snoozed)],
    ["Unread", unread, yesOrNo(unread)],
    ["Unfinished", unfinished, yesOrNo(unfinished)],
    ["Sender", sender, sender],
    ["From", from, from],
    ["To", to, to],
    ["Order", filter.order === "activity" ? "" : filter.order, wordsFor(orders, filter.order)],
  ] as const;
  return all.flatMap(([label, value, words]) => (value === "" ? [] : [`${label}: ${words}`])).join("\n");
}

const yesOrNo = (value: string): string => (value === "true" ? "Yes" : "No");

const wordsFor = (choices: readonly (readonly [value: string, words: string])[], value: string): string =>
  choices.find(([one]) => one === value)?.[1] ?? value;

const assignees: ReadonlyMap<string, string> = new Map([
  ["me", "Assigned to me"],
  ["none", "Assigned to nobody"],
]);

/** The filters that a search keeps. A search does not keep the status. */
const kept = ({ type, tag, assignee }: ListFilter) => Object.entries({ type, tag, assignee });

const SearchForm = ({ inbox, filter }: ListBarProps) => {
  const isView = filter.q === "" && kept(filter).every(([, value]) => value === "" || value === "me");
  return (
    <search>
      <form class="search" method="get" action={inbox}>
        <HiddenFields
          values={[
            ["in", listQuery(changedFilter(filter, { q: "" }))],
            ...(isView
              ? []
              : kept(filter).flatMap(([name, value]) => (value === "" ? [] : [[name, value] as const]))),
          ]}
        />
        <label class="unseen" for="search">
          Search
        </label>
        <input
          id="search"
          type="search"
          name="q"
          value={filter.q}
          placeholder="Search feedback"
          maxLength={limits.feedbackSearch}
          {...keyed("/", "Search feedback", "List")}
        />
        <button class="unseen" type="submit" tabIndex={-1}>
          Search
        </button>
      </form>
    </search>
  );
};

const orders = [
  ["activity", "Newest activity"],
  ["oldest_activity", "Longest without activity"],
  ["created", "Newest report"],
] as const;

const snoozeStates = [
  ["", "Snoozed or not"],
  ["false", "Not snoozed"],
  ["true", "Snoozed"],
] as const;

const turns = [
  ["", "Anybody's turn"],
  ["us", "Waiting for us"],
  ["sender", "Waiting for the sender"],
] as const;

/** The form with the filters of the list. Hidden fields keep the filters that have no visible field. */
const FilterForm = ({ inbox, filter, saved, seen, tags, people }: ListBarProps) => (
  <form class="stack tight" method="get" action={inbox}>
    <HiddenFields
      values={Object.entries({
        ...{ q: filter.q, saved, seen, unread: filter.unread, unfinished: filter.unfinished },
        ...{ sender: filter.sender, from: filter.from, to: filter.to },
      }).filter(([, value]) => value !== "")}
    />
    <Choice
      name="status"
      label="Status"
      value={filter.status || "all"}
      options={[["all", "Any status"], ...Object.entries(statusNames)]}
    />
    <Choice
      name="type"
      label="Type"
      value={filter.type}
      options={[["", "Any type"], ...Object.entries(typeNames)]}
    />
    <div class="field">
      <AssigneeChoice chosen={filter.assignee} people={people} />
    </div>
    <div class="field">
      <TagChoice chosen={filter.tag.split(",").filter((name) => name !== "")} all={tags} />
    </div>
    {filter.q === "" && (
      <>
        <Choice name="waitingOn" label="Turn" value={filter.waitingOn} options={turns} />
        <Choice name="snoozed" label="Snooze" value={filter.snoozed} options={snoozeStates} />
        <Choice name="order" label="Order" value={filter.order} options={orders} />
      </>
    )}
    <div class="actions">
      <button class="primary small" type="submit">
        Show
      </button>
      <a class="button quiet small" href={`${inbox}?${listQuery(filterWith({ q: filter.q }))}`}>
        Remove all filters
      </a>
    </div>
  </form>
);

const Choice = ({
  name,
  label,
  value,
  options,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}) => (
  <div class="field">
    <label class="unseen" for={`filter-${name}`}>
      {label}
    </label>
    <select id={`filter-${name}`} name={name}>
      {options.map(([one, words]) => (
        <option key={one} value={one} selected={one === value}>
          {words}
        </option>
      ))}
    </select>
  </div>
);

const ChosenTags = ({
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

/** A filter of the list other than a tag. `words` describes it. */
interface ChosenFilter {
  readonly words: string;
  /** The address of the list without this filter. */
  readonly address: string;
}

/** The filters of the list other than tags. A click on a filter removes it. */
const ChosenFilters = ({ chosen }: { readonly chosen: readonly ChosenFilter[] }) => (
  <ul class="row" aria-label="Filters">
    {chosen.map(({ words, address }) => (
      <li key={words}>
        <a href={address} class="chosen">
          <span class="badge">{words}</span>
          <span aria-hidden="true">×</span>
          <span class="unseen">Remove this filter</span>
        </a>
      </li>
    ))}
  </ul>
);

const TagChoice = ({ chosen, all }: { readonly chosen: readonly string[]; readonly all: readonly Tag[] }) => {
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
            <option value="">{chosen.length === 0 ? "All tags" : "Add a tag"}</option>
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

const AssigneeChoice = ({
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
