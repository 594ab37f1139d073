import { apps } from "../../../src/contract/apps.ts";
import type { SearchFacts } from "../../../src/contract/found.ts";
import { type Tag, tags as tagEndpoints } from "../../../src/contract/tags.ts";
import { type Assignee, readMarks, type ThreadSummary, threads } from "../../../src/contract/threads.ts";
import type { CallInput } from "../../console/ask.ts";
import { type Definitions, defineForm, definePage } from "../../console/definitions.ts";
import { HiddenFields, IdempotencyField, versionOf } from "../../console/forms.tsx";
import { InTurns } from "../../console/in-turns.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { type AppNavigation, appNavigationOf } from "../../console/navigation.ts";
import type { Changes, InboxProposal } from "../../console/page-reads.ts";
import { Can, Empty, Line, Pager, shownCount } from "../../console/parts.tsx";
import { goTo, type Reply, show } from "../../console/respond.ts";
import { Ago, Timestamp } from "../../console/times.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import { FoundStatuses, FoundSubject, FoundText, SearchHints } from "../search/parts.tsx";
import { TagBadge } from "../tags/badge.tsx";
import { Badge, type BadgeProps, nameIn, StatusBadge, statusNames, typeNames } from "../threads/badges.tsx";
import {
  AssigneeChoice,
  ChosenTags,
  inboxPositionQuery,
  inboxQuery,
  oneStatus,
  statusOf,
  TagChoice,
} from "./filters.tsx";

/** Shows the feedback of an app. Without a status in the address, it shows the open threads. */
async function showInbox(visit: SignedInVisit): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "inbox");
  const query = inboxQuery(visit.query);
  const { type, tag, assignee, cursor } = query;
  const filter = { status: statusOf(visit.query), type, tag, assignee, q: visit.query("q") };
  const params = { appId: navigation.app.id };
  const view = await visit.views.ofInbox(navigation.app.id);
  const [changes, listed, people, { items: tags }] = await Promise.all([
    view.since === null ? undefined : visit.reads.changesSince(navigation.app.id, view.since),
    listWithProposals(visit, { params, query }),
    visit.reads.assignableMembers(navigation.app.id),
    visit.ask(tagEndpoints.list, { params }),
  ]);
  await view.note();
  const since = { changes, since: view.since };
  const shown = { navigation, filter, cursor, since, tags, people, ...listed };
  return show(<Inbox {...shown} now={visit.now} />);
}

async function listWithProposals({ ask, reads }: SignedInVisit, asked: CallInput) {
  const list = await ask(threads.list, asked);
  const withProposal = list.items.filter(({ proposalStatus }) => proposalStatus !== null);
  const proposals = await reads.newestProposals(withProposal.map(({ id }) => id));
  return { ...list, proposals };
}

interface InboxProps {
  readonly navigation: AppNavigation;
  readonly filter: Filter;
  readonly cursor: string;
  readonly items: readonly ThreadSummary[];
  /** The newest proposals of the threads, by the id of the thread. */
  readonly proposals: ReadonlyMap<string, InboxProposal>;
  readonly nextCursor: string | null;
  /** Only on the first page of a search. */
  readonly search?: SearchFacts | undefined;
  /** What others did since the last visit of this person. */
  readonly since: Pick<InboxChangesProps, "changes" | "since">;
  /** All tags of the app. */
  readonly tags: readonly Tag[];
  /** The members to whom a thread can be assigned. */
  readonly people: readonly Assignee[];
  readonly now: Date;
}

const Inbox = (props: InboxProps) => {
  const { navigation, filter, cursor, items, proposals, nextCursor, since, now } = props;
  const { app, links } = navigation;
  const address = (change: Record<string, string>) => {
    const given = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== "");
    return `${navigation.links.inbox(navigation.app.id)}?${new URLSearchParams(given)}`;
  };
  const unread = navigation.counts.get(app.id)?.unread ?? 0;
  const list = address(cursor === "" ? {} : { cursor }).split("?")[1] ?? "";
  return (
    <ConsolePage navigation={navigation} title="Inbox">
      <h1 class="unseen">Inbox</h1>
      <InboxChanges {...since} action={links.inbox(app.id, "hide-changes")} list={list} />
      <div class="filters">
        {filter.q.trim() === "" ? (
          <Statuses filter={filter} address={address} unread={unread} />
        ) : (
          <FoundStatuses
            counts={props.search?.counts}
            status={filter.status}
            address={(status) => address({ status })}
          />
        )}
        <Search {...props} />
        {filter.tag !== "" && (
          <ChosenTags
            chosen={tagNames(filter)}
            all={props.tags}
            address={(tags) => address({ tag: tags.join(",") })}
          />
        )}
      </div>
      <SearchHints facts={props.search} address={(q) => address({ q, status: "all" })} />
      <div
        id="threads"
        data-live={versionOf([items, [...proposals], unread > 0])}
        data-news="The threads in this list have changed."
      >
        {items.length === 0 ? (
          <Nothing
            {...{ navigation, filter }}
            everywhere={address({ status: "all" })}
            older={nextCursor === null ? undefined : address({ cursor: nextCursor })}
          />
        ) : (
          <ul class="list linked" aria-label="Feedback">
            <InTurns>
              {items.map((thread, at) => (
                <ThreadLine
                  key={thread.id}
                  thread={thread}
                  proposal={proposals.get(thread.id)}
                  href={links.thread(thread.appId, thread.id) + inboxPositionQuery({ list, at })}
                  person={navigation.email}
                  now={now}
                />
              ))}
            </InTurns>
          </ul>
        )}
        {unread > 0 && items.length > 0 && isWhole(filter) && (
          <MarkAllRead
            {...{ list, now, type: filter.type }}
            status={oneStatus(filter.status)}
            action={links.inbox(app.id, "read")}
          />
        )}
        <Pager
          first={cursor === "" ? undefined : address({})}
          next={nextCursor === null ? undefined : address({ cursor: nextCursor })}
        />
      </div>
      <InboxLinks navigation={navigation} />
    </ConsolePage>
  );
};

const tagNames = ({ tag }: Filter): string[] => tag.split(",").filter((name) => name !== "");

const pills = [["unread", "Unread"], ...Object.entries(statusNames), ["all", "All"]] as const;

const Statuses = ({
  filter,
  address,
  unread,
}: {
  readonly unread: number;
  readonly filter: Filter;
  readonly address: (change: Record<string, string>) => string;
}) => (
  <nav class="pills" aria-label="Status">
    {pills.map(([status, label]) => (
      <a key={status} href={address({ status })} aria-current={filter.status === status ? "page" : undefined}>
        {label}
        {status === "unread" && (
          <span id="count-unread" data-live={String(unread)}>
            {unread > 0 && ` ${shownCount(unread)}`}
          </span>
        )}
      </a>
    ))}
  </nav>
);

const Search = ({
  navigation,
  filter,
  tags,
  people,
}: Pick<InboxProps, "navigation" | "filter" | "tags" | "people">) => (
  <search class="search">
    <form class="search" method="get" action={navigation.links.inbox(navigation.app.id)}>
      {/* A search finds every status. Without a word, the list keeps its status. */}
      <input type="hidden" name="in" value={filter.status} />
      <label class="unseen" for="search">
        Search
      </label>
      <input
        id="search"
        type="search"
        name="q"
        value={filter.q}
        placeholder="Search feedback"
        maxLength={200}
      />
      <AssigneeChoice chosen={filter.assignee} people={people} />
      <TagChoice chosen={tagNames(filter)} all={tags} />
      <label class="unseen" for="type">
        Type
      </label>
      <select id="type" name="type">
        <option value="">All types</option>
        {Object.entries(typeNames).map(([type, label]) => (
          <option key={type} value={type} selected={filter.type === type}>
            {label}
          </option>
        ))}
      </select>
      <button type="submit">Search</button>
    </form>
  </search>
);

interface ThreadLineProps {
  readonly thread: ThreadSummary;
  /** The state of its newest proposal. */
  readonly proposal: InboxProposal | undefined;
  /** The address of the thread, with the thread's position in this list. */
  readonly href: string;
  /** The e-mail address of the signed-in person. */
  readonly person: string;
  readonly now: Date;
}

/** One thread of the inbox: its subject, its sender, and whether it needs a decision. */
const ThreadLine = ({ thread, proposal, href, person, now }: ThreadLineProps) => (
  <li class={thread.unread ? "unread" : undefined}>
    <div class="row spread">
      <a class="to" href={href} id={`thread-${thread.id}`}>
        {thread.unread && <span class="unseen">Unread: </span>}
        <FoundSubject subject={thread.subject} found={thread.found} />
      </a>
      <span class="row">
        {thread.tags.map((tag) => (
          <TagBadge key={tag.id} tag={tag} />
        ))}
        {thread.occurrences > 1 && <span class="badge">{`reported ${thread.occurrences} times`}</span>}
        {proposal !== undefined && <ProposalBadge proposal={proposal} />}
        {thread.status !== "open" && <StatusBadge status={thread.status} />}
      </span>
    </div>
    {thread.found ? <FoundText found={thread.found} /> : <Last thread={thread} person={person} />}
    <p class="under">
      <span>{nameIn(typeNames, thread.category)}</span>
      <span>
        <Line text={thread.senderName ?? thread.senderEmail ?? "Anonymous"} />
      </span>
      {thread.source !== null && (
        <span>
          <Line text={thread.source} />
        </span>
      )}
      {thread.assignee !== null && (
        <span>
          assigned to <Line text={thread.assignee.email} />
        </span>
      )}
      <span>
        {thread.activeAt === thread.createdAt ? "reported" : "last activity"}{" "}
        <Ago at={thread.activeAt} now={now} />
      </span>
    </p>
  </li>
);

/**
 * The author and the beginning of the last message. If the last message is the report and begins with the thread's
 * subject, the text is not shown twice.
 */
const Last = ({ thread: { subject, lastMessage }, person }: Pick<ThreadLineProps, "thread" | "person">) => {
  const { direction, author, sender, writtenBy, text } = lastMessage;
  if (direction === "inbound" && text === subject) return null;
  const own = writtenBy === person ? "You" : (writtenBy ?? "The team");
  const name = author === "team" ? own : (sender?.name ?? sender?.email ?? "Anonymous");
  return (
    <p class="last">
      {/* A note about an agent's step already names the agent. */}
      {author !== "agent" && (
        <b>
          <Line text={name} />
          {direction === "note" ? ", in a note: " : ": "}
        </b>
      )}
      <Line text={text} />
    </p>
  );
};

const ProposalBadge = ({ proposal }: { readonly proposal: InboxProposal }) => <Badge {...badges[proposal]} />;

const badges: Readonly<Record<InboxProposal, BadgeProps>> = {
  waiting: { name: "Proposal waiting", kind: "attention" },
  approved: { name: "Plan approved", kind: "good" },
  in_work: { name: "Plan in work", kind: "attention" },
  succeeded: { name: "Work succeeded", kind: "good" },
  failed: { name: "Work failed", kind: "bad" },
  request_changes: { name: "Changes asked for" },
  recalled: { name: "Approval recalled" },
  expired: { name: "Approval expired" },
  rejected: { name: "Plan rejected" },
};

interface InboxChangesProps {
  readonly changes: Changes | undefined;
  /** When this person last visited the inbox. */
  readonly since: string | null;
  /** The address to which the form that hides this line is sent. */
  readonly action: string;
  /** The query of the shown list. */
  readonly list: string;
}

/**
 * One line about what others did in the app since the last visit of this person. The element exists even if nothing
 * changed, so that a script can fill it later.
 */
const InboxChanges = ({ changes, since, action, list }: InboxChangesProps) => {
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

/** The button that marks all threads of the list as read, on all pages of the list. */
const MarkAllRead = ({
  status,
  type,
  action,
  list,
  now,
}: {
  /** The status and the type of the shown list; empty for all statuses or types. */
  readonly status: string;
  readonly type: string;
  readonly action: string;
  /** The query of the shown list. */
  readonly list: string;
  /** When the list was read. Threads that change after this time stay unread. */
  readonly now: Date;
}) => (
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
    <button class="small" type="submit">
      {markAllLabel(status, type)}
    </button>
  </form>
);

function markAllLabel(status: string, type: string): string {
  const only = [
    ...(status === "" ? [] : [nameIn(statusNames, status).toLowerCase()]),
    ...(type === "" ? [] : [`of the type ${nameIn(typeNames, type).toLowerCase()}`]),
  ];
  return only.length === 0 ? "Mark all as read" : `Mark all ${only.join(" and ")} as read`;
}

/** The filter of the inbox. An empty value selects everything. */
interface Filter {
  readonly status: string;
  readonly type: string;
  /** Names of tags, with commas between them. */
  readonly tag: string;
  /** `me`, `none`, or the id of a member. */
  readonly assignee: string;
  readonly q: string;
}

/** Whether the list has no filter except status and type. */
const isWhole = ({ q, tag, assignee }: Filter): boolean => q.trim() + tag + assignee === "";

/** The text for an empty list. */
const Nothing = ({
  navigation: { app, links },
  filter,
  everywhere,
  older,
}: {
  readonly navigation: AppNavigation;
  readonly filter: Filter;
  /** The address of the same list without a filter by status. */
  readonly everywhere: string;
  /** The address of the next page. It is set if the search ended before it reached all threads. */
  readonly older: string | undefined;
}) => {
  if (older !== undefined) {
    return (
      <Empty title="Nothing found yet">
        <p>Nothing matches among the newest feedback. The search has not looked at older feedback yet.</p>
        <div class="actions">
          <a class="button" href={older} rel="next">
            Search older feedback
          </a>
        </div>
      </Empty>
    );
  }
  if (!isWhole(filter) || filter.type !== "") {
    return (
      <Empty title="Nothing matches">
        <p>
          {filter.status === "all"
            ? "No feedback matches your search."
            : "No feedback with this status matches your search."}
        </p>
        {filter.status !== "all" && (
          <div class="actions">
            <a class="button" href={everywhere}>
              Search in every status
            </a>
          </div>
        )}
      </Empty>
    );
  }
  if (filter.status === "unread") {
    return (
      <Empty title="Everything is read">
        <p>
          A thread is unread when something happened on it that you have not seen, and did not do yourself.
        </p>
      </Empty>
    );
  }
  if (filter.status !== "open" && filter.status !== "all") {
    return (
      <Empty title="Nothing here">
        <p>No thread has this status right now.</p>
      </Empty>
    );
  }
  return (
    <Empty title={filter.status === "all" ? "No feedback yet" : "No open feedback"}>
      <p>
        {app.feedbackEnabled
          ? "Feedback that your app sends with its key arrives here."
          : "Feedback is turned off for this app. Turn it on in its settings to let reports in."}
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

/** Links to the pages for tags, saved replies, blocked senders and mail of programs. */
const InboxLinks = ({ navigation: { app, links } }: { readonly navigation: AppNavigation }) => (
  <nav class="row muted small inbox-links" aria-label="More about the inbox">
    <a href={links.tags(app.id)}>Tags</a>
    <a href={links.savedReplies(app.id)}>Saved replies</a>
    <Can needs="maintainer">
      <a href={links.blocked(app.id)}>Blocked senders</a>
      <a href={links.automaticMails(app.id)}>Mail of programs</a>
    </Can>
  </nav>
);

/** Marks the threads of the list as read. A thread that changed after the page was shown stays unread. */
async function markAllRead({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"read">> {
  const appId = param("appId");
  const given = ["status", "type", "until"].map((name) => [name, fields.text(name)] as const);
  const body = Object.fromEntries(given.filter(([, value]) => value !== ""));
  await ask(readMarks.updateAll, { params: { appId }, body, idempotencyKey: fields.idempotencyKey });
  return goTo(inboxOf(links.inbox(appId), fields.text("list")), "read");
}

/** Hides the line about changes since the last visit. */
async function hideChanges({ ask, fields, links, views, param }: SignedInVisit): Promise<Reply> {
  const appId = param("appId");
  await ask(apps.read, { params: { appId } });
  await views.hideChanges(appId);
  return goTo(inboxOf(links.inbox(appId), fields.text("list")));
}

const inboxOf = (inbox: string, list: string): string =>
  list === "" ? inbox : `${inbox}?${new URLSearchParams(list)}`;

const inboxPage = definePage({
  at: (links) => links.inbox(":appId"),
  needs: "viewer",
  show: showInbox,
});

export const definitions: Definitions = [
  inboxPage,
  defineForm({
    at: (links) => links.inbox(":appId", "read"),
    page: inboxPage,
    act: markAllRead,
    done: { read: "The threads of this list are marked as read." },
    word: "markAllRead",
    notDone: "Nothing was marked as read.",
  }),
  defineForm({
    at: (links) => links.inbox(":appId", "hide-changes"),
    page: inboxPage,
    act: hideChanges,
    done: {},
    word: "hideChanges",
    notDone: "Nothing was changed.",
  }),
];
