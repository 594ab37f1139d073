import { Begin, ToFirstSteps } from "../../access/start/parts.tsx";
import { type Definitions, definePage, type SignedInVisit } from "../../console/definitions.ts";
import { versionOf } from "../../console/forms.tsx";
import {
  ConsolePage,
  decisionsIn,
  type Navigation,
  navigationOf,
  requestsIn,
  sumOf,
} from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import type { AgentWork, AppCounts, ShortList, WaitingProposal } from "../../console/page-reads.ts";
import { counted, Empty, Line, Pager, shownCount } from "../../console/parts.tsx";
import { InTurns, type Reply, show } from "../../console/respond.tsx";
import { Ago } from "../../console/times.tsx";
import { linesOfMarkdown } from "../../content/texts/html.ts";
import { SlotRequestLines, TestBelowLines } from "../../testing/cycles/parts.tsx";
import { DecidedNotice, decidedBefore, threadInQueue } from "../inbox/neighbours.tsx";
import { StatusBadge } from "../threads/badges.tsx";
import { isUnfinished } from "../threads/rules.ts";

/** Shows the start page: what waits for this person, the work of agents, and the list of apps. */
async function showHome(visit: SignedInVisit): Promise<Reply> {
  const { reads, now, links } = visit;
  const [around, decided, waiting, work, requests, lastWeek, started, lineOf, forOthers] = await Promise.all([
    navigationOf(visit),
    decidedBefore(visit),
    waitingPage(visit),
    reads.agentWork(),
    reads.slotRequests(),
    reads.lastWeek(),
    reads.startedApps(),
    linesOfMarkdown(),
    reads.countForOthers(),
  ]);
  const navigation: Navigation = { ...around, tab: "decisions" };
  if (navigation.apps.length === 0) return show(<Begin navigation={navigation} />);
  const asked = requestsIn(navigation);
  const othersWait = decisionsIn(navigation) > 0 || work.failed.rows.length > 0;
  return show(
    <ConsolePage navigation={navigation} title="Decisions" narrow>
      <DecidedNotice done={navigation.done} decided={decided} links={links} />
      <div class="stack wide">
        {started.map((app) => (
          <ToFirstSteps key={app.id} app={app} links={links} />
        ))}
        <section
          id="waiting"
          data-live={versionOf([waiting.rows, forOthers, waiting.rows.length === 0 && othersWait])}
          data-news="What waits for you has changed."
        >
          <div class="head">
            <div>
              <h1>Decisions</h1>
              <p>
                The plans of agents are only proposals until you approve them. Nothing in this list has been
                done yet.
              </p>
            </div>
          </div>
          <WaitingProposals
            {...waiting}
            lineOf={lineOf}
            count={sumOf(navigation.counts, "waiting")}
            forOthers={forOthers}
            othersWait={othersWait}
            now={now}
            links={links}
          />
        </section>
        <AgentWorkLists work={work} lineOf={lineOf} now={now} links={links} />
        <div
          id="asked"
          data-live={versionOf([requests, asked])}
          data-news="The requests for slots have changed."
        >
          {requests.length > 0 && (
            <section class="stack" aria-labelledby="asked-title">
              <h2 id="asked-title">Slot requests</h2>
              <SlotRequestLines rows={requests} links={links} now={now} />
              {asked > requests.length && (
                <p class="muted">
                  {`${requests.length} of ${asked} requests are shown. These requests expire first. To see all requests of an app, open its Testing page.`}
                </p>
              )}
            </section>
          )}
        </div>
        <div
          id="tests-below"
          data-live={versionOf(navigation.testsBelow)}
          data-news="The tests with too few testers have changed."
        >
          {navigation.testsBelow.length > 0 && (
            <section class="stack" aria-labelledby="tests-below-title">
              <h2 id="tests-below-title">Tests with too few testers</h2>
              <TestBelowLines rows={navigation.testsBelow} links={links} />
            </section>
          )}
        </div>
        <Apps navigation={navigation} lastWeek={lastWeek} />
      </div>
    </ConsolePage>,
  );
}

/** Returns a page of the waiting proposals. The query parameters select the page and the order. */
async function waitingPage({ reads, links, query }: SignedInVisit) {
  const newestFirst = query("order") === "newest";
  const cursor = query("cursor");
  const { items, nextCursor } = await reads.waitingProposals({ newestFirst, cursor });
  const at = (values: Record<string, string>) => {
    const given = new URLSearchParams({ ...(newestFirst ? { order: "newest" } : {}), ...values });
    return given.size === 0 ? links.home : `${links.home}?${given}`;
  };
  return {
    rows: items,
    newestFirst,
    ordered: (newest: boolean) => (newest ? `${links.home}?order=newest` : links.home),
    first: cursor === "" ? undefined : at({}),
    next: nextCursor === null ? undefined : at({ cursor: nextCursor }),
  };
}

const Apps = ({
  navigation: { apps, links, counts },
  lastWeek: { reports, resolved, replies },
}: {
  readonly navigation: Navigation;
  /** The numbers of new reports, resolved threads and replies in the last seven days, in all apps. */
  readonly lastWeek: { readonly reports: number; readonly resolved: number; readonly replies: number };
}) => (
  <section
    id="apps"
    class="stack"
    data-live={versionOf([apps, [...counts]])}
    data-news="The waiting items in your apps have changed."
  >
    <div class="row spread">
      <h2>Your apps</h2>
      <a class="button small" href={links.newApp}>
        New app
      </a>
    </div>
    <p class="muted">
      {`All apps, last 7 days: ${counted(reports, "new report", "new reports")}, ${resolved} resolved, ${counted(replies, "reply", "replies")}.`}
    </p>
    <ul class="list linked">
      <InTurns>
        {apps.map((app) => (
          <li key={app.id}>
            <a class="to" href={links.inbox(app.id)}>
              <Line text={app.name} />
            </a>
            <p class="under">
              <Waits {...(counts.get(app.id) ?? { unread: 0, waiting: 0 })} />
              <span>Feedback {app.feedbackEnabled ? "on" : "off"}</span>
              <span>Release notes {app.changelogEnabled ? "on" : "off"}</span>
              <span>
                <a href={links.numbers(app.id)}>
                  Numbers
                  <span class="unseen">
                    {" of "}
                    <Line text={app.name} />
                  </span>
                </a>
              </span>
            </p>
          </li>
        ))}
      </InTurns>
    </ul>
  </section>
);

const Waits = ({ unread, waiting }: AppCounts) => (
  <>
    {unread > 0 && (
      <span>
        <b>{shownCount(unread)} unread</b>
      </span>
    )}
    {waiting > 0 && <span>{counted(waiting, "proposal waits", "proposals wait")}</span>}
  </>
);

interface WaitingProposalsProps {
  readonly rows: readonly WaitingProposal[];
  /** Returns the beginning of a Markdown text without the Markdown syntax. */
  readonly lineOf: (markdown: string) => string;
  /** The number of waiting proposals on all pages. The server does not count further than 100. */
  readonly count: number;
  /** The number of waiting proposals in apps in which the person may only read. */
  readonly forOthers: number;
  /** Whether other lists on the page contain something that waits for the person. */
  readonly othersWait: boolean;
  readonly newestFirst: boolean;
  /** Returns the address of the first page in this order. */
  readonly ordered: (newestFirst: boolean) => string;
  /** The address of the first page; undefined if this is the first page. */
  readonly first: string | undefined;
  /** The address of the next page; undefined if this is the last page. */
  readonly next: string | undefined;
  readonly now: Date;
  readonly links: Links;
}

const WaitingProposals = (props: WaitingProposalsProps) => {
  const { rows, count, forOthers, othersWait, first, next } = props;
  if (rows.length === 0 && first === undefined) {
    return (
      <Empty title={othersWait ? "No proposal is waiting" : "Nothing is waiting for you"}>
        <ForOthers count={forOthers} />
        <p>
          When an agent proposes a plan for a thread, the proposal appears here. The oldest proposal comes
          first.
        </p>
      </Empty>
    );
  }
  return (
    <>
      {count > 1 && <Orders {...props} />}
      <ol class="list linked" aria-label="Proposals">
        <InTurns>
          {rows.map((row, at) => (
            <WaitingRow key={row.id} row={row} at={at} {...props} />
          ))}
        </InTurns>
      </ol>
      <Pager first={first} next={next} firstWords="Back to the first page" nextWords="More" />
      <ForOthers count={forOthers} />
    </>
  );
};

/** Tells a viewer how many proposals wait for other members. */
const ForOthers = ({ count }: { readonly count: number }) =>
  count === 0 ? null : (
    <p>
      {counted(count, "proposal waits", "proposals wait")} for members who may decide. You can read{" "}
      {count === 1 ? "it" : "them"}, but not decide.
    </p>
  );

const Orders = ({ count, newestFirst, ordered }: WaitingProposalsProps) => (
  <div class="filters">
    <p class="muted">{counted(count, "proposal to decide", "proposals to decide")}</p>
    <nav class="pills" aria-label="Order">
      {[false, true].map((newest) => (
        <a key={newest} href={ordered(newest)} aria-current={newest === newestFirst ? "page" : undefined}>
          {newest ? "Newest first" : "Longest waiting first"}
        </a>
      ))}
    </nav>
  </div>
);

const WaitingRow = ({
  row,
  at,
  lineOf,
  now,
  links,
  newestFirst,
}: { readonly row: WaitingProposal; readonly at: number } & WaitingProposalsProps) => (
  <li>
    <a class="to" href={`${threadInQueue(links, row, { at, newestFirst })}#proposal`}>
      <Line text={row.subject} />
    </a>
    <p class="clip">
      <Line text={lineOf(row.summary)} />
    </p>
    <p class="under">
      <span>
        <Line text={row.appName} />
      </span>
      <span>
        proposed <Ago at={row.createdAt} now={now} />
      </span>
      {!isUnfinished(row.status) && (
        <span>
          <StatusBadge status={row.status} />
        </span>
      )}
    </p>
  </li>
);

interface AgentWorkProps {
  readonly work: Readonly<Record<"approved" | "inWork" | "failed" | "sentBack", ShortList>>;
  /** Returns the beginning of a Markdown text without the Markdown syntax. */
  readonly lineOf: (markdown: string) => string;
  readonly now: Date;
  readonly links: Links;
}

/** Four lists: approved plans, work in progress, failed work, and requests for a new plan. */
const AgentWorkLists = ({ work, lineOf, now, links }: AgentWorkProps) => (
  <div id="work" class="stack wide" data-live={versionOf(work)} data-news="The work of agents has changed.">
    {parts.map(({ list, id, title, happened }) => {
      const { rows, more } = work[list];
      return rows.length === 0 ? null : (
        <section key={id} class="stack" aria-labelledby={id}>
          <h2 id={id}>{title}</h2>
          <ul class="list linked">
            <InTurns>
              {rows.map((row) => (
                <WorkRow key={row.runId} {...{ row, happened, lineOf, now, links }} />
              ))}
            </InTurns>
          </ul>
          {more && <p class="muted">{`Only ${rows.length} are shown.`}</p>}
        </section>
      );
    })}
  </div>
);

const parts = [
  { list: "approved", id: "approved", title: "Approved, not claimed", happened: "approved" },
  { list: "inWork", id: "in-work", title: "In work", happened: "last activity" },
  { list: "failed", id: "failed", title: "Failed in the last 30 days", happened: "failed" },
  { list: "sentBack", id: "sent-back", title: "Waiting for a new plan", happened: "changes requested" },
] as const;

const WorkRow = ({
  row,
  happened,
  lineOf,
  now,
  links,
}: Pick<AgentWorkProps, "lineOf" | "now" | "links"> & {
  readonly row: AgentWork;
  readonly happened: string;
}) => (
  <li>
    <a class="to" href={`${links.thread(row.appId, row.feedbackId)}#proposal`}>
      <Line text={row.subject} />
    </a>
    {row.text !== null && (
      <p class="clip">
        <Line text={lineOf(row.text)} />
      </p>
    )}
    <p class="under">
      <span>
        <Line text={row.appName} />
      </span>
      {row.worker !== null && (
        <span>
          <Line text={row.worker} />
        </span>
      )}
      <span>
        {happened} <Ago at={row.at} now={now} />
      </span>
    </p>
  </li>
);

const homePage = definePage({
  at: (links) => links.home,
  needs: "account",
  show: showHome,
});

export const definitions: Definitions = [homePage];
