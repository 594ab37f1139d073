import { threads } from "../../../../src/contract/threads.ts";
import type { Answered } from "../../../console/ask.ts";
import { type Definitions, definePage } from "../../../console/definitions.ts";
import { versionOf } from "../../../console/forms.tsx";
import { InTurns } from "../../../console/in-turns.tsx";
import { ConsolePage } from "../../../console/layout.tsx";
import { type Navigation, navigationOf, sumOf } from "../../../console/navigation.ts";
import type { InboxProposal } from "../../../console/page-reads.ts";
import { Empty, Pager, shownCount } from "../../../console/parts.tsx";
import { type Reply, show } from "../../../console/respond.ts";
import type { SignedInVisit } from "../../../console/visit.ts";
import { filterOf, fixedViewOf, type ListFilter, listQuery, withOpened } from "../../inbox/filters.ts";
import { ThreadRow } from "./desk-list.tsx";
import { ViewLink, viewNames, viewsInOrder } from "./desk-views.tsx";

/** Shows the feedback of all apps of a person. A thread opens in the inbox of its app. (rule F49) */
async function showAllApps(visit: SignedInVisit): Promise<Reply> {
  const { ask, query, reads } = visit;
  const filter = filterOf((name) => (isShown(name) ? query(name) : ""));
  const cursor = query("cursor");
  const { status, type, assignee, waitingOn, unfinished, snoozed, unread, order } = filter;
  const wanted = { status, type, assignee, waitingOn, unfinished, snoozed, unread, order };
  const list = await ask(threads.listAll, { query: { ...wanted, cursor } });
  const withProposal = list.items.filter(({ proposalStatus }) => proposalStatus !== null);
  const [navigation, proposals] = await Promise.all([
    navigationOf(visit),
    reads.newestProposals(withProposal.map(({ id }) => id)),
  ]);
  const shown = { filter, cursor, list, proposals, now: visit.now };
  return show(<AllApps {...shown} navigation={{ ...navigation, tab: "all" }} />);
}

/** The filters that a list over all apps can have. */
const isShown = (name: string): boolean => ["view", "status", "type", "order", "unread"].includes(name);

interface AllAppsProps {
  readonly navigation: Navigation;
  readonly filter: ListFilter;
  readonly cursor: string;
  readonly list: Answered<typeof threads.listAll>;
  readonly proposals: ReadonlyMap<string, InboxProposal>;
  readonly now: Date;
}

const AllApps = ({
  navigation,
  filter,
  cursor,
  list: { items, nextCursor, count },
  proposals,
  now,
}: AllAppsProps) => {
  const { links } = navigation;
  const list = listQuery(filter);
  const at = (more: Record<string, string>) => `${links.allFeedback}?${listQuery(filter, more)}`;
  const unread = sumOf(navigation.counts, "unread");
  const open = fixedViewOf(filter);
  return (
    <ConsolePage navigation={navigation} title="Inbox of all apps" wide>
      <h1 class="unseen">Inbox of all apps</h1>
      <div class="triage without-thread">
        <nav class="views" id="views" popover="auto" aria-label="Views">
          <ul>
            {viewsInOrder.map((name) => (
              <ViewLink
                key={name}
                href={`${links.allFeedback}?view=${name}`}
                name={viewNames[name] ?? name}
                count={open === name && count !== undefined ? String(count) : ""}
                isOpen={open === name}
              />
            ))}
            <ViewLink
              href={`${links.allFeedback}?status=unread`}
              name="Unread"
              count={unread === 0 ? "" : shownCount(unread)}
              isOpen={filter.unread === "true"}
            />
          </ul>
        </nav>
        <section class="list-column" aria-label="List">
          <div class="list-bar">
            <button class="views-button" type="button" popovertarget="views">
              <span class="name">{open === undefined ? "Unread" : viewNames[open]}</span>
            </button>
            <p class="hint">
              Threads of all your apps. To change several at once, open the inbox of one app.
            </p>
          </div>
          <div
            id="threads"
            data-live={versionOf([items, [...proposals]])}
            data-news="The threads in this list have changed."
          >
            {items.length === 0 ? (
              <Empty title="Nothing here">
                <p>No thread of your apps is in this list right now.</p>
              </Empty>
            ) : (
              <ul class="threads" aria-label="Feedback">
                <InTurns>
                  {items.map((thread) => (
                    <ThreadRow
                      key={thread.id}
                      thread={thread}
                      proposal={proposals.get(thread.id)}
                      href={`${links.inbox(thread.appId)}?${withOpened(list, thread.number ?? thread.id)}&back=all`}
                      isOpened={false}
                      choice={undefined}
                      app={{ name: thread.appName, colour: colourOf(thread.appId) }}
                      status={filter.status}
                      person={navigation.email}
                      now={now}
                    />
                  ))}
                </InTurns>
              </ul>
            )}
          </div>
          <div class="list-end">
            <Pager
              first={cursor === "" ? undefined : at({})}
              next={nextCursor === null ? undefined : at({ cursor: nextCursor })}
            />
          </div>
        </section>
      </div>
    </ConsolePage>
  );
};

/** Returns the number of an app's colour. An app has the same colour on each page. */
const colourOf = (appId: string): number => Number.parseInt(appId.slice(-2), 16) % 8;

export const definitions: Definitions = [
  definePage({ at: (links) => links.allFeedback, needs: "account", show: showAllApps }),
];
