import type { SearchFacts } from "../../../src/contract/found.ts";
import { type SearchedThread, search } from "../../../src/contract/search.ts";
import { type Definitions, definePage } from "../../console/definitions.ts";
import { ConsolePage } from "../../console/layout.tsx";
import { type Navigation, navigationOf } from "../../console/navigation.ts";
import { Empty, Line, Pager } from "../../console/parts.tsx";
import { type Reply, show } from "../../console/respond.ts";
import { Ago } from "../../console/times.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import { nameIn, StatusBadge, typeNames } from "../threads/badges.tsx";
import { type Destination, destinationsOf } from "./destinations.ts";
import { FoundStatuses, FoundSubject, FoundText, SearchHints } from "./parts.tsx";

/** Shows the results of a search in all apps of the person. */
async function showSearch(visit: SignedInVisit): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const q = visit.query("q").trim();
  const status = visit.query("status") || "all";
  const cursor = visit.query("cursor");
  const { now } = visit;
  if (q === "") return show(<SearchPage {...{ navigation, q, status, cursor, now }} found={undefined} />);
  const query = { q, status: status === "all" ? "" : status, cursor };
  const list = await visit.ask(search.list, { query });
  const isFirst = status === "all" && cursor === "";
  const [faqs, releases] = isFirst
    ? await Promise.all([visit.reads.faqQuestions(), visit.reads.releaseTitles()])
    : [[], []];
  const given = { apps: navigation.apps, faqs, releases };
  const destinations = isFirst ? destinationsOf(q, visit.links, given) : [];
  return show(<SearchPage {...{ navigation, q, status, cursor, now }} found={{ ...list, destinations }} />);
}

interface SearchPageProps {
  readonly navigation: Navigation;
  readonly q: string;
  readonly status: string;
  readonly cursor: string;
  /** The results. Undefined if there is no query. */
  readonly found: Found | undefined;
  readonly now: Date;
}

interface Found {
  readonly items: readonly SearchedThread[];
  readonly nextCursor: string | null;
  readonly search?: SearchFacts | undefined;
  readonly destinations: readonly Destination[];
}

const SearchPage = ({ navigation, q, status, cursor, found, now }: SearchPageProps) => {
  const { links } = navigation;
  const address = (change: Record<string, string>) => {
    const given = Object.entries({ q, status, ...change }).filter(([, value]) => value !== "");
    return `${links.search}?${new URLSearchParams(given)}`;
  };
  return (
    <ConsolePage navigation={navigation} title="Search" narrow>
      <h1>Search</h1>
      <search>
        <form class="row query" method="get" action={links.search}>
          <label class="unseen" for="q">
            Search all your apps
          </label>
          <input id="q" type="search" name="q" value={q} placeholder="Search all your apps" maxLength={200} />
          <button class="primary" type="submit">
            Search
          </button>
        </form>
      </search>
      {found === undefined ? (
        <Help />
      ) : (
        <div class="stack">
          <FoundStatuses
            counts={found.search?.counts}
            status={status}
            address={(name) => address({ status: name })}
          />
          <SearchHints
            q={q}
            facts={found.search}
            address={(corrected) => address({ q: corrected, status: "all" })}
          />
          <Results found={found} links={links} now={now} />
          <Pager
            first={cursor === "" ? undefined : address({})}
            next={found.nextCursor === null ? undefined : address({ cursor: found.nextCursor })}
          />
        </div>
      )}
    </ConsolePage>
  );
};

/** The lists of results. A script also shows them over other pages. */
const Results = ({
  found: { items, nextCursor, destinations },
  links,
  now,
}: {
  readonly found: Found;
  readonly links: Navigation["links"];
  readonly now: Date;
}) => (
  <div id="results" class="stack">
    {destinations.length > 0 && (
      <ul class="list linked close" aria-label="Pages, FAQ and release notes">
        {destinations.map(({ kind, name, app, href }) => (
          <li key={href}>
            <div class="row spread">
              <a class="to" href={href}>
                <Line text={name} />
              </a>
              <span class="muted small">
                {kind}
                {app !== undefined && (
                  <>
                    {" · "}
                    <Line text={app} />
                  </>
                )}
              </span>
            </div>
          </li>
        ))}
      </ul>
    )}
    {items.length > 0 && (
      <ul class="list linked" aria-label="Feedback">
        {items.map((thread) => (
          <ThreadLine
            key={thread.id}
            thread={thread}
            href={links.thread(thread.appId, thread.id)}
            now={now}
          />
        ))}
      </ul>
    )}
    {items.length + destinations.length === 0 && (
      <Empty title={nextCursor === null ? "Nothing matches" : "Nothing found yet"}>
        <p>
          {nextCursor === null
            ? "No feedback of your apps matches your search."
            : "No new feedback matches your search. Older feedback was not searched yet."}
        </p>
      </Empty>
    )}
  </div>
);

const ThreadLine = ({
  thread,
  href,
  now,
}: {
  readonly thread: SearchedThread;
  readonly href: string;
  readonly now: Date;
}) => (
  <li>
    <div class="row spread">
      <a class="to" href={href}>
        <FoundSubject subject={thread.subject} found={thread.found} />
      </a>
      {thread.status !== "open" && <StatusBadge status={thread.status} />}
    </div>
    {thread.found && <FoundText found={thread.found} />}
    <p class="under">
      <span>
        <Line text={thread.appName} />
        {thread.number != null && ` #${thread.number}`}
      </span>
      <span>{nameIn(typeNames, thread.category)}</span>
      <span>
        <Line text={thread.senderName ?? thread.senderEmail ?? "Anonymous"} />
      </span>
      <span>
        <Ago at={thread.activeAt} now={now} />
      </span>
    </p>
  </li>
);

const operators: readonly (readonly [example: string, meaning: string])[] = [
  ["sync list", "both words, anywhere in a thread"],
  ['"best before"', "these words, one after the other"],
  ["crash -barcode", "crash, but not barcode"],
  ["#12", "the thread with this number"],
  ["is:open", "open, in_progress, resolved or archived; also unread or snoozed"],
  ["type:bug", "a type: bug, feature, question, general"],
  ["tag:crash", "a tag, also in quotation marks"],
  ["from:ada@example.org", "the address of a sender, or a word of a sender's name"],
  ["source:ios", "a source"],
  ["has:image", "image, video, file, answer, reply, note, plan or issue"],
  ["assignee:me", "me, none or an address"],
  ["after:YYYY-MM-DD before:YYYY-MM", "a day, a month or a year, in UTC"],
];

/** The operators of a search. */
const Help = () => (
  <section class="stack" aria-labelledby="help-title">
    <p class="muted">
      A search looks for the words in all texts of a thread: in its reports, answers, replies, notes, plans,
      tags, and the names of its files and senders.
    </p>
    <h2 id="help-title">What you can type</h2>
    <dl class="operators">
      {operators.map(([example, meaning]) => (
        <div key={example}>
          <dt>
            <code>{example}</code>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  </section>
);

export const definitions: Definitions = [
  definePage({ at: (links) => links.search, needs: "account", show: showSearch }),
];
