import { type Tag, tags as tagEndpoints } from "../../../src/contract/tags.ts";
import { type Assignee, type ThreadSummary, threads } from "../../../src/contract/threads.ts";
import type { Asked } from "../../console/ask.ts";
import { shownCount } from "../../console/counts.ts";
import { versionOf } from "../../console/filled-form.ts";
import { InTurns } from "../../console/in-turns.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { type AppNavigation, appNavigationOf } from "../../console/navigation.ts";
import type { InboxProposal } from "../../console/page-reads.ts";
import { Pager } from "../../console/pager.tsx";
import { type Reply, show } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { statusNames, typeNames } from "../threads/badges.tsx";
import { AssigneeChoice } from "./assignee-filter.tsx";
import { inboxPositionQuery, inboxQuery, oneStatus } from "./filters.tsx";
import { InboxChanges, type InboxChangesProps } from "./inbox-changes.tsx";
import { ThreadLine } from "./inbox-line.tsx";
import { InboxLinks } from "./inbox-links.tsx";
import { MarkAllRead } from "./mark-all-read.tsx";
import { type Filter, isWhole, Nothing } from "./nothing.tsx";
import { ChosenTags, TagChoice } from "./tag-filter.tsx";

/** The feedback of an app. Shows the open threads unless the address names another status. */
export async function inboxPage(visit: SignedInVisit): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "inbox");
  const query = inboxQuery(visit.query);
  const { type, tag, assignee, cursor } = query;
  const filter = { status: visit.query("status") || "open", type, tag, assignee, q: visit.query("q") };
  const params = { appId: navigation.app.id };
  const look = await visit.looks.atInbox(navigation.app.id);
  const [changes, listed, people, { items: tags }] = await Promise.all([
    look.since === null ? undefined : visit.reads.changesSince(navigation.app.id, look.since),
    listWithProposals(visit, { params, query }),
    visit.reads.assignableMembers(navigation.app.id),
    visit.ask(tagEndpoints.list, { params }),
  ]);
  await look.note();
  const since = { changes, since: look.since };
  const shown = { navigation, filter, cursor, since, tags, people, ...listed };
  return show(<Inbox {...shown} now={visit.now} />);
}

async function listWithProposals({ ask, reads }: SignedInVisit, asked: Asked) {
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
  /** By the id of the thread. */
  readonly proposals: ReadonlyMap<string, InboxProposal>;
  readonly nextCursor: string | null;
  /** What happened since the person was here. */
  readonly since: Pick<InboxChangesProps, "changes" | "since">;
  /** All tags of the app. */
  readonly tags: readonly Tag[];
  /** Who can look after a thread. */
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
        <Statuses filter={filter} address={address} unread={unread} />
        <Search {...props} />
        {filter.tag !== "" && (
          <ChosenTags
            chosen={tagNames(filter)}
            all={props.tags}
            address={(tags) => address({ tag: tags.join(",") })}
          />
        )}
      </div>
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

interface StatusesProps {
  readonly unread: number;
  readonly filter: Filter;
  readonly address: (change: Record<string, string>) => string;
}

const Statuses = ({ filter, address, unread }: StatusesProps) => (
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

type SearchProps = Pick<InboxProps, "navigation" | "filter" | "tags" | "people">;

const Search = ({ navigation, filter, tags, people }: SearchProps) => (
  <search class="search">
    <form class="search" method="get" action={navigation.links.inbox(navigation.app.id)}>
      <input type="hidden" name="status" value={filter.status} />
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
