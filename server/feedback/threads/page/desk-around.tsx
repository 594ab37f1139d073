import type { ComponentChildren } from "preact";
import type { FixedView } from "../../../../src/contract/fixed-views.ts";
import type { Assignee } from "../../../../src/contract/threads.ts";
import type { views as contract, View } from "../../../../src/contract/views.ts";
import {
  Confirmation,
  type Filled,
  faultAt,
  fieldVersion,
  filledWith,
  HiddenFields,
  IdempotencyField,
  OriginalValues,
  OriginalVersions,
  SavedText,
  savedAt,
  TextField,
  Tick,
  versionOf,
} from "../../../console/forms.tsx";
import type { AppNavigation } from "../../../console/layout.tsx";
import type { Links } from "../../../console/links.ts";
import type { Answered, Changes } from "../../../console/page-reads.ts";
import { Can, Empty, Line, Notice, Refused, shownCount } from "../../../console/parts.tsx";
import { Timestamp } from "../../../console/times.tsx";
import {
  changedFilter,
  filterOf,
  filterWith,
  fixedViewOf,
  isSameFilter,
  type ListFilter,
  listQuery,
  shownOrder,
  valuesIn,
} from "../../inbox/filters.ts";
import { nameIn, statusNames, typeNames } from "../badges.tsx";
import { useFilterText } from "./desk-bar.tsx";

interface InboxChangesProps {
  readonly changes: Changes | undefined;
  /** The time at which this person last visited the inbox. */
  readonly since: string | null;
  /** The address to which the button "Hide" sends its form. */
  readonly action: string;
  /** The query of the shown list. */
  readonly list: string;
}

/**
 * Shows what other people did since this person's last visit. The element always exists, because a script fills
 * it later.
 */
export const InboxChanges = ({ changes, since, action, list }: InboxChangesProps) => {
  const words = changes ? wordsOfChanges(changes) : [];
  return (
    <div id="changes" data-live={versionOf([words, since])}>
      {since !== null && words.length > 0 && (
        <section class="changes" aria-label="What changed since you were here">
          <p>
            {words.join(", ")} since <Timestamp at={since} />
          </p>
          <form method="post" action={action}>
            <IdempotencyField />
            <HiddenFields values={[["list", list]]} />
            <button class="small" type="submit">
              Hide<span class="unseen"> what changed</span>
            </button>
          </form>
        </section>
      )}
    </div>
  );
};

const names: readonly (readonly [kind: keyof Changes["counts"], one: string, many: string])[] = [
  ["report", "new report", "new reports"],
  ["repeat", "repeat", "repeats"],
  ["answer", "answer", "answers"],
  ["proposal", "proposal", "proposals"],
  ["decision", "decision", "decisions"],
  ["outcome", "outcome", "outcomes"],
  ["reply", "reply by others", "replies by others"],
  ["note", "note by others", "notes by others"],
  ["edit", "change by others", "changes by others"],
];

function wordsOfChanges({ counts, isPartial }: Changes): string[] {
  return names.flatMap(([kind, one, many]) => {
    const count = counts[kind];
    if (count === 0) return [];
    const atLeast = isPartial && kind !== "report" && kind !== "edit" && count < 100 ? "+" : "";
    return [`${shownCount(count)}${atLeast} ${count === 1 && atLeast === "" ? one : many}`];
  });
}

/** The button that marks all threads of the list as read, also those on other pages. */
export const MarkAllRead = ({
  filter,
  action,
  list,
  now,
}: {
  readonly filter: ListFilter;
  readonly action: string;
  /** The query of the shown list. */
  readonly list: string;
  /** The time at which the list was read. Threads that change after this time stay unread. */
  readonly now: Date;
}) => {
  const { status, type } = filter;
  if (!isWhole(filter)) return null;
  return (
    <form class="mark-all" method="post" action={action}>
      <IdempotencyField />
      <HiddenFields
        values={[
          ["status", status],
          ["type", type],
          ["until", now.toISOString()],
          ["list", list],
        ]}
      />
      <button class="small quiet" type="submit">
        {markAllLabel(status, type)}
      </button>
    </form>
  );
};

function markAllLabel(status: string, type: string): string {
  if (status === "" && type === "") return "Mark all as read";
  const threads = status === "" ? "threads" : `${nameIn(statusNames, status).toLowerCase()} threads`;
  const ofType = type === "" ? "" : ` of the type ${nameIn(typeNames, type).toLowerCase()}`;
  return `Mark all ${threads}${ofType} as read`;
}

/** Whether the list has only filters by status and type. Ignores the order, `unread` and `snoozed=false`. */
const isWhole = (filter: ListFilter): boolean => {
  const { status, type } = filter;
  const plain = changedFilter(filter, {
    unread: "",
    order: "activity",
    snoozed: filter.snoozed === "false" ? "" : filter.snoozed,
  });
  return isSameFilter(plain, filterWith({ status, type }));
};

export const Nothing = ({
  navigation: { app, links },
  filter,
  counts,
  everywhere,
  older,
}: {
  readonly navigation: AppNavigation;
  readonly filter: ListFilter;
  readonly counts: ViewCounts;
  /** The address of the same list without a filter by status. */
  readonly everywhere: string;
  /** The address of the next page; undefined if the search has searched all threads. */
  readonly older: string | undefined;
}) => {
  if (older !== undefined) {
    return (
      <Empty title="Nothing found yet">
        <p>No new feedback matches your search. Older feedback was not searched yet.</p>
        <div class="actions">
          <a class="button" href={older} rel="next">
            Search older feedback
          </a>
        </div>
      </Empty>
    );
  }
  const [view, snoozed] = [fixedViewOf(filter), countOf(counts, "snoozed")];
  const words = view === undefined ? undefined : emptyViews[view];
  if (words !== undefined) {
    return (
      <Empty title="Nothing here">
        <p>{words}</p>
        {filter.snoozed === "false" && <SnoozedThreads count={snoozed} inbox={links.inbox(app.id)} />}
      </Empty>
    );
  }
  if (filter.q !== "" || filter.type + filter.tag + filter.assignee !== "") {
    return (
      <Empty title="Nothing matches">
        <p>
          {filter.q === "" && "No thread matches these filters."}
          {filter.q !== "" &&
            (filter.status === ""
              ? "No feedback matches your search."
              : "No feedback with this status matches your search.")}
        </p>
        {filter.status !== "" && (
          <div class="actions">
            <a class="button" href={everywhere}>
              Search in every status
            </a>
          </div>
        )}
      </Empty>
    );
  }
  if (filter.unread === "true") {
    return (
      <Empty title="Everything is read">
        <p>A thread is unread if another person or an agent did something on it that you have not seen.</p>
      </Empty>
    );
  }
  const others = changedFilter(filter, { status: "", order: "activity", snoozed: "" });
  const hasOthers = filter.snoozed === "true" || !isSameFilter(others, filterWith({ status: "" }));
  if (hasOthers || (filter.status !== "open" && !isSameFilter(filter, filterWith({})))) {
    return (
      <Empty title="Nothing here">
        <p>No thread is in this list right now.</p>
      </Empty>
    );
  }
  if (filter.status === "open" && countOf(counts, "all") !== "0") {
    return (
      <Empty title="All done">
        <p>{filter.snoozed === "false" ? "No thread is waiting for triage." : "No thread is open."}</p>
        {filter.snoozed === "false" && <SnoozedThreads count={snoozed} inbox={links.inbox(app.id)} />}
      </Empty>
    );
  }
  return (
    <Empty title={filter.status === "" ? "No feedback yet" : "No open feedback"}>
      <p>
        {app.feedbackEnabled
          ? "Feedback that your app sends with its key arrives here."
          : "Feedback is turned off for this app. To receive reports, turn it on in the settings."}
      </p>
      <Can needs="owner">
        <div class="actions">
          <a class="button" href={links.app(app.id)}>
            Keys and settings
          </a>
        </div>
      </Can>
    </Empty>
  );
};

/** The texts of empty views. The texts of the views `to_triage` and `all` depend on the app. */
const emptyViews: Readonly<Partial<Record<FixedView, string>>> = {
  mine: "No open or started thread is assigned to you.",
  unassigned: "Every open or started thread has an assignee.",
  waiting_on_us: "No thread is waiting for your team.",
  waiting_on_sender: "No thread is waiting for its sender.",
  snoozed: "No thread is snoozed.",
  resolved: "No thread is resolved.",
};

/** Says that an empty list does not contain the snoozed threads, with a link to them. */
const SnoozedThreads = ({ count, inbox }: { readonly count: string; readonly inbox: string }) =>
  ["", "0"].includes(count) ? null : (
    <p>
      <a href={`${inbox}?view=snoozed`}>
        {count === "1" ? "1 thread is snoozed" : `${count} threads are snoozed`}
      </a>
      {" and not in this list."}
    </p>
  );

const countOf = (counts: ViewCounts, name: string): string =>
  String(counts.fixed.find(({ view }) => view === name)?.count ?? "");

/** Links to the pages for tags, saved replies, blocked senders and mail from programs. */
export const InboxLinks = ({ navigation: { app, links } }: { readonly navigation: AppNavigation }) => (
  <nav class="row muted small inbox-links" aria-label="More about the inbox">
    <a href={links.tags(app.id)}>Tags</a>
    <a href={links.savedReplies(app.id)}>Saved replies</a>
    <Can needs="maintainer">
      <a href={links.blocked(app.id)}>Blocked senders</a>
      <a href={links.automaticMails(app.id)}>Mail from programs</a>
    </Can>
  </nav>
);

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
const viewsInOrder = [
  ...["to_triage", "mine", "unassigned", "waiting_on_us", "waiting_on_sender"],
  ...["snoozed", "resolved", "all"],
];

/** The filters of the view of unread threads. The API does not have this view. */
export const unreadFilter: ListFilter = filterWith({ unread: "true" });

/** Returns the filters of a saved view as the list shows them. */
export const savedFilter = (query: SavedView["query"]): ListFilter => {
  const order = shownOrder(query.order);
  return filterOf(valuesIn(listQuery(changedFilter(filterWith(query), { order }))));
};

/** Returns the values of the form for a saved view. `list` contains the filters of the view. */
export const currentView = ({ name, shared, query }: Pick<View, "name" | "shared" | "query">) => ({
  viewName: name,
  viewShared: shared ? "on" : "",
  list: listQuery(savedFilter(query)),
});

/**
 * Returns the query of the list of a saved view. `seen` is the version of the filters, which reveals a later
 * change by another person.
 */
export function viewQuery(view: Pick<View, "id" | "name" | "shared" | "query">): string {
  const { list } = currentView(view);
  return listQuery(savedFilter(view.query), { saved: view.id, seen: fieldVersion(list) });
}

interface ViewsProps {
  readonly links: Links;
  readonly appId: string;
  readonly counts: ViewCounts;
  /** The number of unread threads, as text. */
  readonly unread: string;
  readonly filter: ListFilter;
  /** The saved view that is open, or undefined if there is none. */
  readonly saved: SavedView | undefined;
  /** The version of the filters when the person opened the view. Empty if no view is open. */
  readonly seen: string;
  readonly people: readonly Assignee[];
  /** The form for a view, if it was sent and refused. */
  readonly refused: Filled | undefined;
  readonly children: ComponentChildren;
}

/** The views of the app with their numbers of threads, and the forms for views. */
export const Views = (props: ViewsProps) => {
  const { links, appId, counts, unread, filter, saved } = props;
  const inbox = links.inbox(appId);
  const fixed = fixedViewOf(filter);
  // On a narrow screen, a popover would hide the refused form.
  const popover = props.refused === undefined ? "auto" : undefined;
  return (
    <nav class="views" id="views" popover={popover} aria-label="Views">
      <div id="view-list" data-live={versionOf([counts, unread])}>
        <FixedViews
          address={inbox}
          open={saved === undefined ? fixed : undefined}
          countOf={(name) => countOf(counts, name)}
          unread={{
            href: `${inbox}?${listQuery(unreadFilter)}`,
            count: unread,
            isOpen: isSameFilter(filter, unreadFilter) && saved === undefined,
          }}
        />
        <SavedViews
          title="Saved views"
          views={(counts.saved ?? []).filter(({ shared }) => !shared)}
          inbox={inbox}
          open={saved?.id}
        />
        <SavedViews
          title="Saved views of the team"
          views={(counts.saved ?? []).filter(({ shared }) => shared)}
          inbox={inbox}
          open={saved?.id}
        />
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

const SavedViews = ({
  title,
  views,
  inbox,
  open,
}: {
  readonly title: string;
  readonly views: NonNullable<ViewCounts["saved"]>;
  /** The address of the inbox. */
  readonly inbox: string;
  /** The id of the saved view that is open, or undefined if there is none. */
  readonly open: string | undefined;
}) =>
  views.length > 0 && (
    <>
      <h2>{title}</h2>
      <ul>
        {views.map((view) => (
          <ViewLink
            key={view.id}
            href={`${inbox}?${viewQuery(view)}`}
            name={view.name}
            hint={view.unknownFilters === undefined ? undefined : "not all filters are known"}
            count={String(view.count)}
            isOpen={view.id === open}
          />
        ))}
      </ul>
    </>
  );

/** Says that the list may have other threads, because some filters of the view are unknown. */
export const UnknownFilters = ({ saved }: Pick<ViewsProps, "saved">) =>
  saved?.unknownFilters === undefined ? null : (
    <Notice kind="attention">
      <b>This list may have threads that do not belong to the saved view.</b> This version of Innkeep does not
      support these filters of the view, or their values: <Line text={saved.unknownFilters.join(", ")} />. If
      you save other filters in the view, these filters are lost.
    </Notice>
  );

/** The views that every list has: the fixed views, and the view of unread threads. */
export const FixedViews = ({
  address,
  open,
  countOf,
  unread,
}: {
  /** The address of the list. */
  readonly address: string;
  /** The name of the fixed view that is open, or undefined if there is none. */
  readonly open: string | undefined;
  readonly countOf: (name: string) => string;
  readonly unread: Omit<ViewLinkProps, "name">;
}) => (
  <ul>
    {viewsInOrder.map((name) => (
      <ViewLink
        key={name}
        href={`${address}?view=${name}`}
        name={viewNames[name] ?? name}
        count={countOf(name)}
        isOpen={open === name}
      />
    ))}
    <ViewLink {...unread} name="Unread" />
  </ul>
);

interface ViewLinkProps {
  readonly href: string;
  readonly name: string;
  /** The text that a screen reader reads after the name. */
  readonly hint?: string | undefined;
  readonly count: string;
  readonly isOpen: boolean;
}

const ViewLink = ({ href, name, hint, count, isOpen }: ViewLinkProps) => (
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

const ChangeView = ({
  links,
  appId,
  filter,
  refused,
  saved,
  seen,
  people,
}: ViewsProps & { readonly saved: SavedView }) => {
  const { list, ...current } = currentView(saved);
  const form = refused ?? filledWith(current);
  const isChanged = fieldVersion(listQuery(filter)) !== seen;
  const forms = (
    <details class="reveal" open={refused !== undefined || isChanged}>
      <summary>Change this view</summary>
      <form class="stack tight" method="post" action={links.view(appId, saved.id, "change")}>
        <Refused refusal={refused?.refusal} />
        <IdempotencyField />
        <OriginalValues current={current} form={form} />
        <OriginalVersions versions={{ list: seen }} form={form} />
        <Filters filter={filter} />
        <TextField form={form} name="viewName" label="Name of the view" maxLength={60} required />
        <Can needs="maintainer">
          <Tick form={form} name="viewShared" label="For the whole team" />
        </Can>
        {isChanged && <p class="hint">“Save view” also saves the current filters of the list.</p>}
        <SavedFilters form={form} people={people} />
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

/** If another person has also changed the filters of the view, shows the fault and the stored filters. */
const SavedFilters = ({ form, people }: { readonly form: Filled } & Pick<ViewsProps, "people">) => {
  const [fault, saved] = [faultAt(form, "list"), savedAt(form, "list")];
  const text = useFilterText(filterOf(valuesIn(saved ?? "")), people);
  if (fault === undefined || saved === undefined) return null;
  return (
    <div class="field">
      <p class="fault">The list of filters {fault}.</p>
      <SavedText label="The list of filters" text={text || "No filters"} />
    </div>
  );
};
