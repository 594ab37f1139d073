import { consoleChangelog, type EditedChangelogEntry } from "../../../../src/contract/changelog.ts";
import { type Definitions, definePage } from "../../../console/definitions.ts";
import { InTurns } from "../../../console/in-turns.tsx";
import { ConsolePage } from "../../../console/layout.tsx";
import { type AppNavigation, appNavigationOf } from "../../../console/navigation.ts";
import type { LastChange } from "../../../console/page-reads.ts";
import { By, Can, Empty, Line, Notice, Pager } from "../../../console/parts.tsx";
import { type Reply, show } from "../../../console/respond.ts";
import { Ago, TimestampUtc } from "../../../console/times.tsx";
import type { SignedInVisit } from "../../../console/visit.ts";
import { PublicationBadge } from "../badge.tsx";

/** Shows the release notes of an app, drafts first. */
async function showChangelog(visit: SignedInVisit): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "changelog");
  const cursor = visit.query("cursor");
  const params = { appId: navigation.app.id };
  const { items, nextCursor } = await visit.ask(consoleChangelog.list, { params, query: { cursor } });
  const changes = await visit.reads.releaseNoteAuthors(items.map(({ id }) => id));
  return show(<Changelog {...{ navigation, cursor, items, nextCursor, changes }} now={visit.now} />);
}

const Changelog = ({
  navigation,
  cursor,
  items,
  nextCursor,
  changes,
  now,
}: {
  readonly navigation: AppNavigation;
  readonly cursor: string;
  readonly items: readonly EditedChangelogEntry[];
  readonly nextCursor: string | null;
  /** The last change of each entry, by the id of the entry. */
  readonly changes: ReadonlyMap<string, LastChange>;
  readonly now: Date;
}) => {
  const { links, app } = navigation;
  const address = links.changelog(app.id);
  return (
    <ConsolePage navigation={navigation} title="Changelog" narrow>
      <div class="head">
        <div>
          <h1>Changelog</h1>
          <p>Your app reads what is published, newest first. Only members see drafts.</p>
        </div>
        <Can needs="maintainer">
          <a class="button primary" href={links.changelog(app.id, "new")}>
            New release note
          </a>
        </Can>
      </div>
      {!app.changelogEnabled && (
        <Notice kind="attention">
          The changelog is turned off for this app, so apps cannot read it.{" "}
          <Can needs="owner">
            <a href={links.app(app.id)}>Turn it on in the settings</a>
          </Can>
        </Notice>
      )}
      {items.length === 0 ? (
        <Empty title="Nothing released yet">
          <p>Tell your users what changed. A note stays a draft until you publish it.</p>
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
                now={now}
              />
            ))}
          </InTurns>
        </ul>
      )}
      <Pager
        first={cursor === "" ? undefined : address}
        next={nextCursor === null ? undefined : `${address}?${new URLSearchParams({ cursor: nextCursor })}`}
      />
    </ConsolePage>
  );
};

const EntryLine = ({
  entry,
  change,
  href,
  now,
}: {
  readonly entry: EditedChangelogEntry;
  readonly change: LastChange | undefined;
  readonly href: string;
  readonly now: Date;
}) => (
  <li>
    <div class="row spread">
      <a class="to" href={href}>
        <Line text={entry.title} />
      </a>
      <PublicationBadge publishedAt={entry.publishedAt} now={now} />
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
          <TimestampUtc at={entry.publishedAt} />
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
