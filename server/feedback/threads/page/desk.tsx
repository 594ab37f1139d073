import type { ComponentChildren } from "preact";
import { suffices } from "../../../../src/contract/endpoint.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { type Tag, tags as tagEndpoints } from "../../../../src/contract/tags.ts";
import {
  type Assignee,
  type OwnedThread,
  type ThreadSummary,
  threads,
} from "../../../../src/contract/threads.ts";
import { views } from "../../../../src/contract/views.ts";
import { definePage, type SignedInVisit } from "../../../console/definitions.ts";
import {
  type Filled,
  fieldVersion,
  HiddenFields,
  IdempotencyField,
  versionOf,
} from "../../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage } from "../../../console/layout.tsx";
import { LiveMailFault, mailFaultFor } from "../../../console/mail-fault.tsx";
import type { Answered, Changes, InboxProposal } from "../../../console/page-reads.ts";
import {
  Can,
  Empty,
  Keycap,
  keyed,
  NothingSearched,
  Notice,
  Pager,
  refusalInWords,
  shownCount,
} from "../../../console/parts.tsx";
import { InTurns, type Reply, show } from "../../../console/respond.tsx";
import { searchFaultOf } from "../../../console/search-fault.ts";
import type { MailFault } from "../../../mail/outgoing/rules.ts";
import {
  filterOf,
  filterQuery,
  fixedViewOf,
  isSameFilter,
  type ListFilter,
  listQuery,
  valuesIn,
  withOpened,
} from "../../inbox/filters.ts";
import {
  type Beside,
  besideIn,
  placeFrom,
  placeValues,
  withNeighbours,
  withPlace,
} from "../../inbox/neighbours.tsx";
import { totalOf } from "../../search/parts.tsx";
import { RepliedNotice, resolvedWord } from "./delivery.tsx";
import {
  currentView,
  InboxChanges,
  InboxLinks,
  MarkAllRead,
  Nothing,
  savedFilter,
  UnknownFilters,
  unreadFilter,
  type ViewCounts,
  Views,
  viewNames,
} from "./desk-around.tsx";
import { ListBar } from "./desk-bar.tsx";
import { ActBar, ActNotice, type ActResult, actResultOf, labelOfAct, ThreadRow } from "./desk-list.tsx";
import {
  openThread,
  Reopen,
  readThread,
  type ShownAgain,
  ThreadBody,
  type ThreadProps,
  ThreadReplied,
  threadParts,
  threadTitle,
} from "./thread.tsx";

/** Data that the page needs and that is not in its address. */
interface DeskShown {
  /** The query of the list, if the page answers a form. */
  readonly list?: string;
  /** The id of the thread next to the list, if the page answers a form. */
  readonly opened?: string;
  /** The values and the notice for the thread, if the page answers a form of the thread. */
  readonly shown?: ShownAgain;
  /** The form for a view, if it was refused. */
  readonly refusedView?: Filled;
  /** Why the action on the selected threads was refused. */
  readonly refusal?: ApiError;
}

/**
 * Shows the inbox of an app: views, a list, and the open thread. Records that the person saw the inbox.
 * (rule F47)
 */
export async function showDesk(visit: SignedInVisit, given: DeskShown = {}): Promise<Reply> {
  const { ask, reads } = visit;
  const query = given.list === undefined ? visit.query : valuesIn(given.list);
  const appId = visit.param("appId");
  const wanted = given.opened ?? query("open");
  const opened = wanted === "" ? undefined : await openWanted(visit, appId, wanted);
  const navigation = await navigationFor(visit, given);
  const [filter, cursor, params] = [filterOf(query), query("cursor"), { appId }];
  const view = await visit.views.ofInbox(navigation.app.id);
  const fault = searchFaultOf(filter.q, limits.feedbackSearch);
  const isAll = query("all") === "1" && fault === undefined;
  const [changes, listed, people, { items: tags }, counts, mailFault] = await Promise.all([
    view.since === null ? undefined : reads.changesSince(navigation.app.id, view.since),
    fault === undefined
      ? listWithProposals(visit, appId, { ...filterQuery(filter), cursor })
      : { items: [], nextCursor: null, proposals: new Map<string, InboxProposal>() },
    reads.assignableMembers(navigation.app.id),
    ask(tagEndpoints.list, { params }),
    countViews(visit, { appId, filter, isAll }),
    mailFaultFor(visit, navigation),
  ]);
  await view.note();
  const saved = counts.saved?.find(({ id }) => id === query("saved"));
  const seen = saved === undefined ? "" : query("seen") || fieldVersion(currentView(saved).list);
  const list = listQuery(filter, { saved: query("saved"), seen, cursor });
  const beside = besideIn(listed.items, opened?.thread.feedback.id, placeFrom(query, visit.fields));
  const next = (beside.next ?? beside.previous)?.id ?? "";
  const position = withNeighbours({ list, at: beside.at, desk: true, next }, beside);
  const replied = await repliedThread(visit, query("replied"));
  const known = { tags, people };
  const thread =
    opened && (await threadParts(visit, { ...opened, navigation, position, known, ...given.shown }));
  const isFromAllApps = query("back") === "all";
  const shown = {
    ...given,
    navigation,
    filter,
    cursor,
    list,
    isAll,
    fault,
    isFromAllApps,
    beside,
    people,
    tags,
    counts,
    mailFault,
    ...listed,
  };
  const refusal = given.shown?.sent?.refusal ?? given.refusal ?? given.refusedView?.refusal;
  const status = refusal?.status ?? (fault === undefined ? undefined : 400);
  return show(
    <Desk
      {...shown}
      since={{ changes, since: view.since }}
      saved={saved}
      seen={seen}
      thread={thread}
      replied={replied}
      isMissing={wanted !== "" && opened === undefined}
      result={given.refusal === undefined ? actResultOf(query) : undefined}
      now={visit.now}
    />,
    status,
  );
}

/** Returns the thread that the person has just resolved with a reply. The page shows a notice about it. */
async function repliedThread(visit: SignedInVisit, id: string): Promise<OwnedThread | undefined> {
  if (id === "") return undefined;
  try {
    return await readThread(visit, id);
  } catch (error) {
    if (error instanceof ApiError && ["not_found", "bad_request"].includes(error.code)) return undefined;
    throw error;
  }
}

async function navigationFor(visit: SignedInVisit, { shown }: DeskShown): Promise<AppNavigation> {
  const known = await appNavigationOf(visit, "inbox");
  return shown?.done === undefined ? known : { ...known, done: shown.done };
}

/** Opens the thread with this number or id, or returns undefined. Records that the person has seen the thread. */
async function openWanted(visit: SignedInVisit, appId: string, wanted: string) {
  try {
    const id = /^[1-9]\d{0,8}$/.test(wanted) ? await idOfNumber(visit, appId, wanted) : wanted;
    if (id === undefined) return undefined;
    const opened = await openThread(visit, id);
    const { mergedInto } = opened.thread.feedback;
    return mergedInto === undefined ? opened : await openThread(visit, mergedInto);
  } catch (error) {
    if (error instanceof ApiError && ["not_found", "bad_request"].includes(error.code)) return undefined;
    throw error;
  }
}

async function idOfNumber(
  { ask }: SignedInVisit,
  appId: string,
  number: string,
): Promise<string | undefined> {
  const { items } = await ask(threads.list, { params: { appId }, query: { number } });
  return items[0]?.id;
}

async function listWithProposals(
  { ask, reads }: SignedInVisit,
  appId: string,
  query: Readonly<Record<string, string>>,
) {
  const list = await ask(threads.list, { params: { appId }, query });
  const withProposal = list.items.filter(({ proposalStatus }) => proposalStatus !== null);
  return { ...list, proposals: await reads.newestProposals(withProposal.map(({ id }) => id)) };
}

/** Counts the threads of each view. If `isCounted` is true, counts the threads of the list, too. */
function countViews(
  { ask }: SignedInVisit,
  { appId, filter, isAll }: { readonly appId: string; readonly filter: ListFilter; readonly isAll: boolean },
): Promise<ViewCounts> {
  const isCounted = isAll || (filter.q === "" && fixedViewOf(filter) === undefined);
  const matching = isAll ? "exact" : "1";
  const query = isCounted ? { ...filterQuery(filter), views: "1", matching } : { views: "1" };
  return ask(views.counts, { params: { appId }, query });
}

interface DeskProps extends DeskShown {
  readonly navigation: AppNavigation;
  readonly filter: ListFilter;
  readonly cursor: string;
  /** The query of the list, without the opened thread. */
  readonly list: string;
  readonly items: readonly ThreadSummary[];
  /** The state of the newest proposal of each thread, by the id of the thread. */
  readonly proposals: ReadonlyMap<string, InboxProposal>;
  readonly nextCursor: string | null;
  /** Facts about the search; undefined if the page is not the first page of a search. */
  readonly search?: Answered<typeof threads.list>["search"];
  /** The changes by others since this person's last visit, and the time of that visit. */
  readonly since: { readonly changes: Changes | undefined; readonly since: string | null };
  readonly tags: readonly Tag[];
  readonly people: readonly Assignee[];
  readonly counts: ViewCounts;
  /** Why the mails of the app cannot be sent. */
  readonly mailFault: MailFault | undefined;
  readonly saved: NonNullable<ViewCounts["saved"]>[number] | undefined;
  /** The version of the filters when the person opened the view. Empty if no view is open. */
  readonly seen: string;
  /** Whether all threads of the list are selected, also those on its other pages. */
  readonly isAll: boolean;
  /** The error message if the search is not possible. */
  readonly fault: string | undefined;
  readonly thread: ThreadProps | undefined;
  /** The threads before and after the opened thread in the list. */
  readonly beside: Beside<ThreadSummary>;
  /** The thread that the person has just answered and resolved. */
  readonly replied: OwnedThread | undefined;
  /** Whether the thread in the address does not exist. */
  readonly isMissing: boolean;
  readonly result: ActResult | undefined;
  /** Whether the thread was opened from the inbox of all apps. The link back leads there. */
  readonly isFromAllApps: boolean;
  readonly now: Date;
}

const Desk = (props: DeskProps) => {
  const { navigation, filter, list, items, thread, counts, saved, result } = props;
  const { app, links } = navigation;
  const inbox = links.inbox(app.id);
  const opened = thread?.thread.feedback;
  const unread = navigation.counts.get(app.id)?.unread ?? 0;
  const address =
    thread === undefined ? list : withPlace(withOpened(list, thread.thread.feedback.id), thread.position);
  return (
    <ConsolePage
      navigation={navigation}
      title={thread === undefined ? "Inbox" : threadTitle(thread.thread)}
      address={`${inbox}?${address}`}
      wide
    >
      {thread === undefined && <h1 class="unseen">Inbox</h1>}
      <LiveMailFault fault={props.mailFault} />
      {props.replied !== undefined && (
        <RepliedNotice
          done={resolvedWord}
          reopen={
            <Reopen
              action={links.thread(app.id, props.replied.feedback.id, "edit")}
              position={{ list, at: 0, desk: true }}
            />
          }
          thread={props.replied}
          settings={links.app(app.id)}
          reader={navigation.email}
          href={`${inbox}?${withOpened(list, props.replied.feedback.id)}`}
        />
      )}
      <div class={opened === undefined ? "triage" : "triage has-thread"} data-opened={opened?.id}>
        <Views
          links={links}
          appId={app.id}
          counts={counts}
          unread={unread === 0 ? "" : shownCount(unread)}
          filter={filter}
          saved={saved}
          seen={props.seen}
          people={props.people}
          refused={props.refusedView}
        >
          <InboxChanges {...props.since} action={links.inbox(app.id, "hide-changes")} list={list} />
          <InboxLinks navigation={navigation} />
        </Views>
        <section class="list-column" aria-label={thread === undefined ? "List" : "Inbox"}>
          <ListBar
            inbox={inbox}
            filter={filter}
            saved={saved?.id ?? ""}
            seen={props.seen}
            name={nameOf(props)}
            total={String(totalShown(props))}
            tags={props.tags}
            people={props.people}
            facts={props.search}
          />
          <UnknownFilters saved={saved} />
          {props.refusal !== undefined && (
            <Notice kind="alert">
              <b>Nothing was changed.</b> {refusalInWords(props.refusal, labelOfAct)}
            </Notice>
          )}
          <List {...props} unread={unread} />
          <Can needs="maintainer">
            <ActNotice
              result={result}
              list={list}
              opened={opened?.id ?? ""}
              place={thread === undefined ? [] : placeValues(thread.position)}
              action={links.inbox(app.id, "undo")}
            />
          </Can>
        </section>
        <section class="pane-column" aria-label="Thread">
          {thread === undefined ? (
            <NoThread isMissing={props.isMissing} hasThreads={items.length > 0} />
          ) : (
            <Pane
              {...thread}
              view={props.isFromAllApps ? "All apps" : nameOf(props)}
              neighbours={neighboursIn(props)}
            />
          )}
        </section>
      </div>
    </ConsolePage>
  );
};

/** Returns the name of the list: the name of its view, or a description. */
function nameOf({ filter, saved }: Pick<DeskProps, "filter" | "saved">): string {
  if (filter.q !== "") return "Search";
  if (saved !== undefined) return saved.name;
  const fixed = fixedViewOf(filter);
  if (fixed !== undefined) return viewNames[fixed] ?? fixed;
  return isSameFilter(filter, unreadFilter) ? "Unread" : "Filtered";
}

/** Returns the number of threads on all pages, such as 38 or `500+`. Empty if it is not known. */
function totalShown({
  counts,
  filter,
  saved,
  search,
  items,
  cursor,
  nextCursor,
}: DeskProps): number | string {
  if (counts.matching !== undefined) return counts.matching.count;
  const fixed = fixedViewOf(filter);
  if (fixed !== undefined) return counts.fixed.find(({ view }) => view === fixed)?.count ?? "";
  if (saved !== undefined && isSameFilter(filter, savedFilter(saved.query))) return saved.count;
  if (search !== undefined)
    return filter.status === "" ? totalOf(search.counts) : (countOf(search.counts, filter.status) ?? "");
  return cursor === "" && nextCursor === null ? items.length : "";
}

const countOf = (
  counts: NonNullable<DeskProps["search"]>["counts"],
  status: string,
): number | string | undefined => Object.entries(counts).find(([name]) => name === status)?.[1];

/** Returns the data for the bar above the thread, such as the addresses of its neighbours in the list. */
function neighboursIn(props: DeskProps) {
  const { navigation, items, thread, list, cursor, isFromAllApps, beside } = props;
  const here = items.findIndex(({ id }) => id === thread?.thread.feedback.id);
  const inbox = navigation.links.inbox(navigation.app.id);
  const hrefOf = (item: ThreadSummary | undefined): string | undefined =>
    item && `${inbox}?${withOpened(list, item.number ?? item.id)}`;
  return {
    previous: hrefOf(beside.previous),
    next: hrefOf(beside.next),
    /** The id of the thread that opens when the opened thread is resolved. */
    nextId: thread?.position.next ?? "",
    // The position of the highlighted row.
    place: here === -1 || cursor !== "" ? "" : `${here + 1} of ${totalShown(props)}`,
    back: `${isFromAllApps ? navigation.links.allFeedback : inbox}?${list}`,
    list,
  };
}

const List = (props: DeskProps & { readonly unread: number }) => {
  const { navigation, filter, cursor, list, items, proposals, nextCursor, thread, unread, now } = props;
  const { app, links } = navigation;
  const inbox = links.inbox(app.id);
  const canChange = suffices(app.role, "maintainer");
  const at = (more: Record<string, string>) => {
    const given = new URLSearchParams(list);
    given.delete("cursor");
    for (const [name, value] of Object.entries(more)) given.set(name, value);
    return `${inbox}?${given}`;
  };
  const isAll = props.isAll && typeof props.counts.matching?.count === "number";
  const isTooMuch = props.isAll && !isAll;
  const rows = (
    <div
      id="threads"
      data-live={versionOf([
        items,
        [...proposals],
        unread > 0,
        thread?.thread.feedback.id,
        items.length === 0 && props.counts.fixed,
      ])}
      data-news="The threads in this list have changed."
    >
      {props.fault !== undefined ? (
        <NothingSearched fault={props.fault} />
      ) : items.length === 0 ? (
        <Nothing
          {...{ navigation, filter }}
          counts={props.counts}
          everywhere={at({ status: "all" })}
          older={nextCursor === null ? undefined : at({ cursor: nextCursor })}
        />
      ) : (
        <ul class="threads" aria-label="Feedback">
          <InTurns>
            {items.map((item) => (
              <ThreadRow
                key={item.id}
                thread={item}
                proposal={proposals.get(item.id)}
                href={`${inbox}?${withOpened(list, item.number ?? item.id)}`}
                isOpened={item.id === thread?.thread.feedback.id}
                choice={canChange ? { isChosen: isAll, value: item.id } : undefined}
                status={filter.status}
                person={navigation.email}
                now={now}
              />
            ))}
          </InTurns>
        </ul>
      )}
    </div>
  );
  return (
    <>
      <Can needs="maintainer" otherwise={rows}>
        <ListForm {...props} isAll={isAll} isTooMuch={isTooMuch} at={at}>
          {rows}
        </ListForm>
      </Can>
      <div class="list-end">
        {unread > 0 && items.length > 0 && (
          <MarkAllRead filter={filter} list={list} now={now} action={links.inbox(app.id, "read")} />
        )}
        <Pager
          first={cursor === "" ? undefined : at({})}
          next={nextCursor === null ? undefined : at({ cursor: nextCursor })}
        />
      </div>
    </>
  );
};

/** The link that selects all threads of the list, or none. For too many threads, a text replaces the link. */
const Choice = ({ at, isTooMuch, isChosen, ...props }: ListFormProps & { readonly isChosen: boolean }) => {
  if (isChosen) return <a href={at({})}>Select none</a>;
  const total = totalShown(props);
  if (isTooMuch)
    return <span>{`${total} threads cannot be selected at the same time. Add a filter to the list.`}</span>;
  return <a href={at({ all: "1" })} data-chooses-all>{`Select all ${total}`}</a>;
};

interface ListFormProps extends DeskProps {
  /** Whether selecting all threads failed: the list has too many, or its search took too long. */
  readonly isTooMuch: boolean;
  readonly at: (more: Record<string, string>) => string;
  readonly children: ComponentChildren;
}

/** The form around the list, which changes the selected threads. */
const ListForm = (props: ListFormProps) => {
  const { app, links } = props.navigation;
  const { counts, list, items, isAll, thread } = props;
  const { matching } = counts;
  const all =
    isAll && typeof matching?.count === "number" ? { ...matching, count: matching.count } : undefined;
  return (
    <form class="list-form" id="list-form" method="post" action={links.inbox(app.id, "change")}>
      {/* In the field for a tag, the Enter key uses the first button. This button must not resolve threads. */}
      <button class="unseen" type="submit" name="act" value="tag" tabIndex={-1} aria-hidden="true">
        Add the tag
      </button>
      <IdempotencyField />
      <HiddenFields
        values={[
          ["list", list],
          ["open", thread?.thread.feedback.id ?? ""],
          ["next", thread?.position.next ?? ""],
          ...(thread === undefined ? [] : placeValues(thread.position)),
          ...(all === undefined
            ? []
            : ([
                ["all", "1"],
                ["total", String(all.count)],
                ["asOf", all.asOf],
              ] as const)),
        ]}
      />
      {props.children}
      {items.length > 0 && (
        <ActBar
          people={props.people}
          tags={props.tags}
          all={all?.count}
          choice={<Choice {...props} isChosen={all !== undefined} />}
        />
      )}
    </form>
  );
};

interface PaneProps extends ThreadProps {
  /** The name of the list. */
  readonly view: string;
  readonly neighbours: {
    /** The addresses of the threads before and after this thread. */
    readonly previous: string | undefined;
    readonly next: string | undefined;
    /** The id of the thread that opens after this thread is resolved; empty if there is none. */
    readonly nextId: string;
    /** The position in the list, such as `3 of 38`; empty if the position is not known. */
    readonly place: string;
    /** The address of the list. */
    readonly back: string;
    readonly list: string;
  };
}

/** A thread next to its list. In a narrow window, only the thread is shown. */
const Pane = ({ view, neighbours, ...props }: PaneProps) => {
  const { navigation, thread } = props;
  const { links, app } = navigation;
  const { id, status } = thread.feedback;
  const isDone = status === "resolved" || status === "archived";
  const canChange = suffices(app.role, "maintainer");
  const unread = links.thread(app.id, id, "unread");
  return (
    <div class="pane-page">
      <nav class="pane-bar" aria-label="Threads">
        <a class="back" href={neighbours.back} {...keyed("u", "Back to the list", "Thread")}>
          <span aria-hidden="true">←</span> <span class="name">{view}</span>
        </a>
        <span class="steps">
          <StepTo href={neighbours.previous} sign="‹" words="Previous thread" shortcut="[" />
          <span class="place" id="place" data-live={neighbours.place}>
            {neighbours.place}
          </span>
          <StepTo href={neighbours.next} sign="›" words="Next thread" shortcut="]" />
        </span>
        <form class="row" method="post" action={canChange ? links.inbox(app.id, "change") : unread}>
          <IdempotencyField />
          <HiddenFields
            values={[
              ["list", neighbours.list],
              ["open", id],
              ["next", neighbours.nextId],
              ...placeValues(props.position),
              ["id", id],
            ]}
          />
          <Can needs="maintainer">
            <button class="small" type="submit" name="act" value={isDone ? "open" : "resolve"}>
              {isDone ? "Open again" : "Resolve"}
              {!isDone && <Keycap>e</Keycap>}
            </button>
          </Can>
          <details class="menu right">
            <summary title="More">
              <span aria-hidden="true">⋯</span>
              <span class="unseen">More</span>
            </summary>
            <div class="panel">
              {status !== "archived" && (
                <Can needs="maintainer">
                  <button class="plain" type="submit" name="act" value="archive">
                    Archive
                  </button>
                </Can>
              )}
              <button class="plain" type="submit" formaction={canChange ? unread : undefined}>
                Mark as unread
              </button>
              <a href={links.thread(app.id, id)}>Open as a separate page</a>
            </div>
          </details>
        </form>
      </nav>
      <div class="pane-body">
        <ThreadReplied {...props} />
        <ThreadBody {...props} />
      </div>
    </div>
  );
};

const StepTo = ({
  href,
  sign,
  words,
  shortcut,
}: {
  readonly href: string | undefined;
  readonly sign: string;
  readonly words: string;
  readonly shortcut: string;
}) =>
  href === undefined ? (
    <span class="step" aria-hidden="true">
      {sign}
    </span>
  ) : (
    <a class="step" href={href} title={words} {...keyed(shortcut, words, "Thread")}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{words}</span>
    </a>
  );

/** The content next to the list while no thread is open. */
const NoThread = ({
  isMissing,
  hasThreads,
}: {
  readonly isMissing: boolean;
  readonly hasThreads: boolean;
}) =>
  isMissing ? (
    <Empty title="This thread does not exist any more">
      <p>It was deleted, or its address is wrong.</p>
    </Empty>
  ) : (
    <div class="no-thread">
      <p>{hasThreads ? "Open a thread to read it here." : "There is nothing to read here."}</p>
    </div>
  );

export const deskPage = definePage({
  at: (links) => links.inbox(":appId"),
  needs: "viewer",
  show: (visit) => showDesk(visit),
});
