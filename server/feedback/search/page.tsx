import type { App } from "../../../src/contract/apps.ts";
import type { Role } from "../../../src/contract/endpoint.ts";
import { suffices } from "../../../src/contract/endpoint.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type SearchedThread, type SearchFacts, search } from "../../../src/contract/threads.ts";
import { type Definitions, definePage, type SignedInVisit } from "../../console/definitions.ts";
import { ConsolePage, type Navigation, navigationOf } from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import type { FaqQuestion, ReleaseTitle } from "../../console/page-reads.ts";
import { Empty, Line, NothingSearched, Pager } from "../../console/parts.tsx";
import { type Reply, show } from "../../console/respond.tsx";
import { searchFaultOf } from "../../console/search-fault.ts";
import { Ago } from "../../console/times.tsx";
import { nameIn, StatusBadge, typeNames } from "../threads/badges.tsx";
import { FoundStatuses, FoundSubject, FoundText, SearchHints } from "./parts.tsx";
import { hasPattern, readQuery } from "./rules.ts";

async function showSearch(visit: SignedInVisit): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const q = visit.query("q").trim();
  const status = visit.query("status") || "all";
  const cursor = visit.query("cursor");
  const { now } = visit;
  const fault = searchFaultOf(q, limits.feedbackSearch);
  if (q === "" || fault !== undefined) {
    const page = <SearchPage {...{ navigation, q, status, cursor, fault, now }} found={undefined} />;
    return show(page, fault === undefined ? undefined : 400);
  }
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
  /** The results; undefined if nothing was searched. */
  readonly found: Found | undefined;
  /** The error message if the query cannot be searched. */
  readonly fault?: string | undefined;
  readonly now: Date;
}

interface Found {
  readonly items: readonly SearchedThread[];
  readonly nextCursor: string | null;
  readonly search?: SearchFacts | undefined;
  readonly destinations: readonly Destination[];
}

const SearchPage = ({ navigation, q, status, cursor, found, fault, now }: SearchPageProps) => {
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
          <input
            id="q"
            type="search"
            name="q"
            value={q}
            placeholder="Search all your apps"
            maxLength={limits.feedbackSearch}
          />
          <button class="primary" type="submit">
            Search
          </button>
        </form>
      </search>
      <NothingSearched fault={fault} />
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

/** The lists of results. A script also shows these lists in a dialog on other pages. */
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
            : "No recent feedback matches your search. Older feedback was not searched yet. Go to the next page."}
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
  ["#12", "the thread with this number in each app"],
  ["is:open", "open, in_progress, resolved or archived; also unread or snoozed"],
  ["type:bug", "a type: bug, feature, question or general"],
  ["tag:crash", "a tag, also in quotation marks"],
  ["from:ada@example.org", "the address of a sender, or a word of a sender's name"],
  ["source:ios", "the source of a report, or a word of it"],
  ["has:image", "threads that contain an image, video, file, answer, reply, note, plan or issue"],
  ["assignee:me", "the member who is responsible: me, none or the address of a member"],
  ["after:YYYY-MM-DD before:YYYY-MM", "a day, a month or a year, in UTC"],
];

/** Explains what a person can type in the search field. */
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

/** The maximum number of results of each kind: pages, FAQ entries and release notes. */
const most = 5;

/** A page of the console, an FAQ entry or a release note that a search has found. */
interface Destination {
  readonly kind: "Page" | "FAQ" | "Release note";
  readonly name: string;
  /** The name of the app; undefined for a page that belongs to no app. */
  readonly app: string | undefined;
  readonly href: string;
}

/** Returns the pages, FAQ entries and release notes whose names have all words of the query. (rule F57) */
function destinationsOf(
  q: string,
  links: Links,
  given: {
    readonly apps: readonly App[];
    readonly faqs: readonly FaqQuestion[];
    readonly releases: readonly ReleaseTitle[];
  },
): Destination[] {
  const { marked, facts, none, readNone, all } = readQuery(q);
  const isPlain = facts.length + none.length + readNone.length === 0 && all.length > 0;
  if (!isPlain || marked.length === 0) return [];
  const hasAll = (...texts: readonly string[]) =>
    marked.every((pattern) =>
      hasPattern(
        texts.map((text) => ({ kind: "subject", text })),
        pattern,
      ),
    );
  const pages = pagesOf(links, given.apps).filter(({ name, app }) => hasAll(name, app ?? ""));
  const apps = new Map(given.apps.map(({ id, name }) => [id, name]));
  const found = <Entry extends { readonly appId: string }>(
    entries: readonly Entry[],
    kind: Destination["kind"],
    of: { readonly names: (entry: Entry) => readonly string[]; readonly href: (entry: Entry) => string },
  ): Destination[] =>
    firstOf(entries, (entry) => {
      const name = of.names(entry).find((one) => hasAll(one));
      return name === undefined
        ? undefined
        : { kind, name, app: apps.get(entry.appId), href: of.href(entry) };
    });
  return [
    ...pages.slice(0, most),
    ...found(given.faqs, "FAQ", {
      names: (entry) => [entry.question, ...translationsIn(entry)],
      href: ({ appId, id }) => links.faq(appId, id),
    }),
    ...found(given.releases, "Release note", {
      names: (entry) => [entry.title, ...translationsIn(entry)].map((title) => `${entry.version}: ${title}`),
      href: ({ appId, id }) => links.entry(appId, id),
    }),
  ];
}

const translationsIn = ({ translated }: { readonly translated: string | null }): string[] => {
  const names: (string | null)[] = translated === null ? [] : JSON.parse(translated);
  return names.filter((name) => name !== null);
};

/** Returns the first `most` results that are not undefined. */
function firstOf<Given, Result>(
  given: readonly Given[],
  resultOf: (one: Given) => Result | undefined,
): Result[] {
  const results: Result[] = [];
  for (const one of given) {
    const result = resultOf(one);
    if (result !== undefined) results.push(result);
    if (results.length === most) break;
  }
  return results;
}

function pagesOf(links: Links, apps: readonly App[]): Destination[] {
  const ofAll: readonly (readonly [string, string])[] = [
    ["Decisions", links.home],
    ["New app", links.newApp],
    ["Your account", links.account],
    ["Tokens", links.tokens],
    ["Devices", links.devices],
    ["Sign-in methods", links.signInMethods],
    ["Erase a person", links.people],
    ["Audit log", links.audit],
    ["Unsent text", links.drafts],
    ["Your notices", links.notices()],
    ["Inbox of all apps", links.allFeedback],
    ["Import an app", links.importApp],
    ["First steps with an app", links.newStart],
  ];
  const ofApp: readonly (readonly [name: string, of: (id: string) => string, needs: Role])[] = [
    ["Inbox", links.inbox, "viewer"],
    ["FAQ", links.faqs, "viewer"],
    ["Release notes", links.changelog, "viewer"],
    ["Testing", links.testing, "viewer"],
    ["Numbers", links.numbers, "viewer"],
    ["Members", links.members, "viewer"],
    ["Settings and keys", links.app, "viewer"],
    ["Tags", links.tags, "viewer"],
    ["Saved replies", links.savedReplies, "viewer"],
    ["Notices", links.notices, "viewer"],
    ["Blocked senders", links.blocked, "maintainer"],
    ["Mail from programs", links.automaticMails, "maintainer"],
    ["Webhooks", links.webhooks, "owner"],
    ["Data and export", links.data, "owner"],
  ];
  const page = (name: string, href: string, app?: string): Destination => ({ kind: "Page", name, app, href });
  return [
    ...ofAll.map(([name, href]) => page(name, href)),
    ...apps.flatMap((app) =>
      ofApp
        .filter(([, , needs]) => suffices(app.role, needs))
        .map(([name, of]) => page(name, of(app.id), app.name)),
    ),
  ];
}

export const definitions: Definitions = [
  definePage({ at: (links) => links.search, needs: "account", show: showSearch }),
];
