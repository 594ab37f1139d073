import { consoleChangelog, type EditedChangelogEntry } from "../../../../src/contract/changelog.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { type Definitions, definePage, type SignedInVisit } from "../../../console/definitions.ts";
import { ConsolePage } from "../../../console/layout.tsx";
import { type AppNavigation, appNavigationOf } from "../../../console/navigation.ts";
import type { LastChange } from "../../../console/page-reads.ts";
import { By, Can, Empty, Line, NothingSearched, Notice, Pager } from "../../../console/parts.tsx";
import { InTurns, type Reply, show } from "../../../console/respond.tsx";
import { searchFaultOf } from "../../../console/search-fault.ts";
import { Ago, TimestampHere } from "../../../console/times.tsx";
import { PublicationBadge } from "../../texts/parts.tsx";
import { justPublished, type Published, PublishedNotice } from "./published.tsx";

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
  /** Why the search is not possible. Then nothing was searched. */
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
