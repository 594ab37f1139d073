import { consoleChangelog, type EditedChangelogEntry } from "../../../../src/contract/changelog.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { type Definitions, definePage, type SignedInVisit } from "../../../console/definitions.ts";
import { HiddenFields, IdempotencyField } from "../../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage } from "../../../console/layout.tsx";
import type { Links } from "../../../console/links.ts";
import type { LastChange } from "../../../console/page-reads.ts";
import { By, Can, counted, Empty, Line, NothingSearched, Notice, Pager } from "../../../console/parts.tsx";
import { InTurns, type Reply, show } from "../../../console/respond.tsx";
import { searchFaultOf } from "../../../console/search-fault.ts";
import { Ago, TimestampHere } from "../../../console/times.tsx";
import { isReasonForAll, type ReachCounts, reachInWords } from "../../../mail/outgoing/rules.ts";
import { PublicationBadge } from "../../texts/parts.tsx";
import { currentEntry, type Fixes, fixesOf } from "./form.tsx";

/** Shows the release notes of an app, drafts first. */
async function showChangelog(visit: SignedInVisit): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "changelog");
  const cursor = visit.query("cursor");
  const q = visit.query("q").trim();
  const params = { appId: navigation.app.id };
  const fault = searchFaultOf(q, limits.contentSearch);
  const { items, nextCursor } =
    fault === undefined
      ? await visit.ask(consoleChangelog.list, { params, query: { cursor, q } })
      : { items: [], nextCursor: null };
  const changes = await visit.reads.releaseNoteAuthors(items.map(({ id }) => id));
  const zone = await visit.reads.ownZone();
  const published = await justPublished(visit);
  const shown = { navigation, published, cursor, q, fault, items, nextCursor, changes, zone };
  return show(<Changelog {...shown} now={visit.now} />, fault === undefined ? undefined : 400);
}

const Changelog = ({
  navigation,
  published,
  cursor,
  items,
  nextCursor,
  changes,
  q,
  fault,
  zone,
  now,
}: {
  readonly navigation: AppNavigation;
  /** The note that the person has just published. */
  readonly published: Published | undefined;
  readonly cursor: string;
  /** The typed search words. If they are empty, all notes are shown. */
  readonly q: string;
  /** The reason why the search is not possible; undefined if the search is possible. */
  readonly fault: string | undefined;
  /** The time zone of the reader; undefined if it is not known. */
  readonly zone: string | undefined;
  readonly items: readonly EditedChangelogEntry[];
  readonly nextCursor: string | null;
  /** The last change of each entry, by the id of the entry. */
  readonly changes: ReadonlyMap<string, LastChange>;
  readonly now: Date;
}) => {
  const { links, app } = navigation;
  const address = links.changelog(app.id);
  return (
    <ConsolePage navigation={navigation} title="Release notes" narrow>
      {published && <PublishedNotice published={published} links={links} appId={app.id} />}
      <div class="head">
        <div>
          <h1>Release notes</h1>
          <p>Your app gets the published release notes, newest first. Only members see drafts.</p>
        </div>
        <Can needs="maintainer">
          <a class="button primary" href={links.changelog(app.id, "new")}>
            New release note
          </a>
        </Can>
      </div>
      {!app.changelogEnabled && (
        <Notice kind="attention">
          Release notes are turned off for this app. The app cannot read them.{" "}
          <Can needs="owner">
            <a href={links.app(app.id)}>Turn them on in the settings</a>
          </Can>
        </Notice>
      )}
      {(q !== "" || cursor !== "" || nextCursor !== null || items.length > 10) && (
        <NotesSearch address={address} q={q} />
      )}
      {fault !== undefined ? (
        <NothingSearched fault={fault} />
      ) : q !== "" && items.length === 0 ? (
        <p class="card muted">
          {nextCursor === null
            ? "No release note has all of these words."
            : "None of the newest release notes has all of these words. Older notes are on the next pages."}
        </p>
      ) : items.length === 0 ? (
        <Empty title="Nothing released yet">
          <p>Tell your users what has changed. A release note is a draft until you publish it.</p>
        </Empty>
      ) : (
        <ul class="list linked">
          <InTurns>
            {items.map((entry) => (
              <EntryLine
                key={entry.id}
                entry={entry}
                change={changes.get(entry.id)}
                href={links.entry(app.id, entry.id)}
                zone={zone}
                now={now}
              />
            ))}
          </InTurns>
        </ul>
      )}
      <Pager
        first={cursor === "" ? undefined : `${address}${q && `?${new URLSearchParams({ q })}`}`}
        next={
          nextCursor === null
            ? undefined
            : `${address}?${new URLSearchParams({ ...(q && { q }), cursor: nextCursor })}`
        }
      />
    </ConsolePage>
  );
};

const NotesSearch = ({ address, q }: { readonly address: string; readonly q: string }) => (
  <div class="filters">
    <search>
      <form class="search" method="get" action={address}>
        <input
          type="search"
          name="q"
          value={q}
          maxLength={limits.contentSearch}
          aria-label="Search the release notes"
          placeholder="Search the release notes"
        />
        <button type="submit">Search</button>
      </form>
    </search>
    {q !== "" && (
      <p class="muted">
        <a href={address}>Show all</a>
      </p>
    )}
  </div>
);

const EntryLine = ({
  entry,
  change,
  href,
  zone,
  now,
}: {
  readonly entry: EditedChangelogEntry;
  readonly change: LastChange | undefined;
  readonly href: string;
  readonly zone: string | undefined;
  readonly now: Date;
}) => (
  <li>
    <div class="row spread">
      <a class="to" href={href}>
        <Line text={entry.title} />
      </a>
      <span class="row">
        {entry.publishedAt !== null && entry.draft !== null && (
          <span class="badge">Changes not published</span>
        )}
        <PublicationBadge publishedAt={entry.publishedAt} now={now} />
      </span>
    </div>
    <p class="under">
      <span>
        <Line text={entry.version} />
      </span>
      <span>{entry.releaseType}</span>
      {entry.publishedAt === null ? (
        <span>
          changed <Ago at={entry.updatedAt} now={now} />
          <By change={change} />
        </span>
      ) : (
        <>
          <TimestampHere at={entry.publishedAt} zone={zone} />
          {change && (
            <span>
              changed
              <By change={change} />
            </span>
          )}
        </>
      )}
    </p>
  </li>
);

const changelogPage = definePage({
  at: (links) => links.changelog(":appId"),
  needs: "viewer",
  show: showChangelog,
});

export const definitions: Definitions = [changelogPage];

/** The facts about a note that the list shows after the note was published. */
interface Published {
  /** How many senders get a mail, and why others do not; undefined if this is not known. */
  readonly reach: ReachCounts | undefined;
  /** The ids of the threads that the note fixes and that are not finished. */
  readonly unfinished: readonly string[];
}

/** Returns the query in the address of the page that is shown after a note was published. */
export function publishedQuery(entryId: string, publication: Fixes | undefined): string {
  if (!publication || publication.threads.length === 0)
    return new URLSearchParams({ entry: entryId }).toString();
  const { reasonForAll = "", ...counts } = publication.reach;
  const given = Object.entries({ ...counts, reasonForAll }).filter(([, value]) => value);
  const values = given.map(([name, value]) => [name, String(value)]);
  return new URLSearchParams([["entry", entryId], ...values]).toString();
}

/** Returns the counts in a query from `publishedQuery`. Undefined if the note has no threads. */
function reachIn({ query }: SignedInVisit): ReachCounts | undefined {
  const count = (name: string) => (/^\d{1,6}$/.test(query(name)) ? Number(query(name)) : 0);
  const reason = query("reasonForAll");
  if (count("senders") + count("unaddressed") === 0) return undefined;
  return {
    receivers: count("receivers"),
    reasonForAll: isReasonForAll(reason) ? reason : undefined,
    senders: count("senders"),
    unconfirmed: count("unconfirmed"),
    unsubscribed: count("unsubscribed"),
    mailed: count("mailed"),
    full: count("full"),
    unaddressed: count("unaddressed"),
  };
}

/** Returns the facts about the note that was just published. Undefined if there is no such readable note. */
async function justPublished(visit: SignedInVisit): Promise<Published | undefined> {
  const { ask, query } = visit;
  if (query("done") !== "published" || query("entry") === "") return undefined;
  try {
    const entry = await ask(consoleChangelog.read, { params: { entryId: query("entry") } });
    const { threads } = await fixesOf(visit, currentEntry(entry), true);
    const unfinished = threads.filter(({ status }) => status === "open" || status === "in_progress");
    return { reach: reachIn(visit), unfinished: unfinished.map(({ id }) => id) };
  } catch (error) {
    if (error instanceof ApiError && ["not_found", "bad_request"].includes(error.code)) return undefined;
    throw error;
  }
}

/**
 * Shows who gets a mail, and offers to resolve the fixed threads. The inbox can undo the resolving. (rule F48)
 */
const PublishedNotice = ({
  published: { reach, unfinished },
  links,
  appId,
}: {
  readonly published: Published;
  readonly links: Links;
  readonly appId: string;
}) => (
  <>
    {reach && <Notice>{reachInWords(reach)}</Notice>}
    {unfinished.length > 0 && (
      <Can needs="maintainer">
        <Notice>
          <form class="row spread" method="post" action={links.inbox(appId, "change")}>
            <IdempotencyField />
            <HiddenFields values={unfinished.map((id) => ["id", id])} />
            <span>{`${counted(unfinished.length, "thread")} that the note fixes ${unfinished.length === 1 ? "is" : "are"} not resolved.`}</span>
            <button class="small" type="submit" name="act" value="resolve">
              {unfinished.length === 1 ? "Resolve the thread" : `Resolve ${unfinished.length} threads`}
            </button>
          </form>
        </Notice>
      </Can>
    )}
  </>
);
