import type { ComponentChildren } from "preact";
import type { views as contract } from "../../../../src/contract/views.ts";
import type { Answered } from "../../../console/ask.ts";
import {
  Confirmation,
  type Filled,
  filledWith,
  HiddenFields,
  IdempotencyField,
  TextField,
  Tick,
  versionOf,
} from "../../../console/forms.tsx";
import type { Links } from "../../../console/links.ts";
import { Can, Line, Notice, Refused } from "../../../console/parts.tsx";
import {
  changedFilter,
  filterWith,
  fixedViewOf,
  isSameFilter,
  type ListFilter,
  listQuery,
} from "../../inbox/filters.ts";

export type ViewCounts = Answered<typeof contract.counts>;

type SavedView = NonNullable<ViewCounts["saved"]>[number];

/** The names of the fixed views. */
export const viewNames: Readonly<Record<string, string>> = {
  to_triage: "To triage",
  mine: "Mine",
  waiting_on_us: "Waiting for us",
  waiting_on_sender: "Waiting for sender",
  snoozed: "Snoozed",
  resolved: "Resolved",
  unassigned: "Unassigned",
  all: "All",
};

/** The order of the fixed views on the page. */
export const viewsInOrder = [
  ...["to_triage", "mine", "unassigned", "waiting_on_us", "waiting_on_sender"],
  ...["snoozed", "resolved", "all"],
];

/** The filters of the view of unread threads. The API does not have this view. */
export const unreadFilter: ListFilter = filterWith({ unread: "true" });

/** Returns the filters of a saved view. */
export const savedFilter = (query: SavedView["query"]): ListFilter =>
  changedFilter(filterWith(query), { order: query.order === "created" ? "created" : "activity" });

export interface ViewsProps {
  readonly links: Links;
  readonly appId: string;
  readonly counts: ViewCounts;
  /** How many threads are unread, as text. */
  readonly unread: string;
  readonly filter: ListFilter;
  /** The saved view that is open; undefined if there is none. */
  readonly saved: SavedView | undefined;
  /** A form that was refused. */
  readonly refused: Filled | undefined;
  readonly children: ComponentChildren;
}

/** The views of the app, each with its number of threads, and the forms that save them. */
export const Views = (props: ViewsProps) => {
  const { links, appId, counts, unread, filter, saved } = props;
  const inbox = links.inbox(appId);
  const fixed = fixedViewOf(filter);
  const countOf = (name: string) => String(counts.fixed.find(({ view }) => view === name)?.count ?? "");
  return (
    <nav class="views" id="views" popover="auto" aria-label="Views">
      <div id="view-list" data-live={versionOf([counts, unread])}>
        <ul>
          {viewsInOrder.map((name) => (
            <ViewLink
              key={name}
              href={`${inbox}?view=${name}`}
              name={viewNames[name] ?? name}
              count={countOf(name)}
              isOpen={fixed === name && saved === undefined}
            />
          ))}
          <ViewLink
            href={`${inbox}?${listQuery(unreadFilter)}`}
            name="Unread"
            count={unread}
            isOpen={isSameFilter(filter, unreadFilter) && saved === undefined}
          />
        </ul>
        {(counts.saved ?? []).length > 0 && (
          <>
            <h2>Saved views</h2>
            <ul>
              {(counts.saved ?? []).map((view) => (
                <ViewLink
                  key={view.id}
                  href={`${inbox}?${listQuery(savedFilter(view.query), { saved: view.id })}`}
                  name={view.name}
                  hint={hintOf(view)}
                  count={String(view.count)}
                  isOpen={view.id === saved?.id}
                />
              ))}
            </ul>
          </>
        )}
      </div>
      {saved === undefined ? (
        fixed === undefined && <SaveView {...props} />
      ) : (
        <ChangeView {...props} saved={saved} />
      )}
      {props.children}
    </nav>
  );
};

/** Returns what a screen reader says about a saved view after its name. */
const hintOf = ({ shared, unknownFilters }: SavedView): string | undefined => {
  const hints = [
    ...(shared ? ["shared"] : []),
    ...(unknownFilters === undefined ? [] : ["not all filters are known"]),
  ];
  return hints.length === 0 ? undefined : hints.join(", ");
};

/** Says that the list has more threads than its saved view. */
export const UnknownFilters = ({ saved }: Pick<ViewsProps, "saved">) =>
  saved?.unknownFilters === undefined ? null : (
    <Notice kind="attention">
      <b>This list may have more threads than the view.</b> This version of Innkeep does not know these
      filters of the view, or their values: <Line text={saved.unknownFilters.join(", ")} />. If you save the
      view, it loses them.
    </Notice>
  );

/** A view with the number of its threads. */
export const ViewLink = ({
  href,
  name,
  hint,
  count,
  isOpen,
}: {
  readonly href: string;
  readonly name: string;
  readonly hint?: string | undefined;
  readonly count: string;
  readonly isOpen: boolean;
}) => (
  <li>
    <a href={href} aria-current={isOpen ? "page" : undefined}>
      <span class="name">
        <Line text={name} />
        {hint !== undefined && <span class="unseen">{` (${hint})`}</span>}
      </span>
      <span class="number">{count}</span>
    </a>
  </li>
);

/** The hidden fields with the filters of the shown list. */
const Filters = ({ filter }: { readonly filter: ListFilter }) => (
  <HiddenFields values={[["list", listQuery(filter)]]} />
);

/** The form that saves the filters of the list as a view. */
const SaveView = ({ links, appId, filter, refused }: ViewsProps) => (
  <details class="reveal" open={refused !== undefined}>
    <summary>Save these filters</summary>
    <form class="stack tight" method="post" action={links.views(appId)}>
      <Refused refusal={refused?.refusal} />
      <IdempotencyField />
      <Filters filter={filter} />
      <TextField
        form={refused ?? filledWith()}
        name="viewName"
        label="Name of the view"
        maxLength={60}
        required
      />
      <Can needs="maintainer">
        <Tick form={refused ?? filledWith()} name="viewShared" label="For the whole team" />
      </Can>
      <div class="actions">
        <button class="small" type="submit">
          Save view
        </button>
      </div>
    </form>
  </details>
);

/** The forms that change and delete the open view. */
const ChangeView = ({ links, appId, filter, refused, saved }: ViewsProps & { readonly saved: SavedView }) => {
  const form = refused ?? filledWith({ viewName: saved.name, viewShared: saved.shared ? "on" : "" });
  const isChanged = !isSameFilter(filter, savedFilter(saved.query));
  const forms = (
    <details class="reveal" open={refused !== undefined || isChanged}>
      <summary>Change this view</summary>
      <form class="stack tight" method="post" action={links.view(appId, saved.id, "change")}>
        <Refused refusal={refused?.refusal} />
        <IdempotencyField />
        <Filters filter={filter} />
        <TextField form={form} name="viewName" label="Name of the view" maxLength={60} required />
        <Can needs="maintainer">
          <Tick form={form} name="viewShared" label="For the whole team" />
        </Can>
        {isChanged && <p class="hint">The present filters of the list are saved in the view.</p>}
        <div class="actions">
          <button class="small" type="submit">
            Save view
          </button>
        </div>
      </form>
      <Confirmation
        offer="Delete this view"
        action={links.view(appId, saved.id, "remove")}
        button="Delete view"
        danger
      >
        {saved.shared ? "This deletes the view for the whole team." : "This deletes the view."} Its threads
        are not deleted.
      </Confirmation>
    </details>
  );
  return saved.shared ? <Can needs="maintainer">{forms}</Can> : forms;
};
