import { apps } from "../../access/apps/store.ts";
import { oneForViewer, type Viewer } from "../../access/members/visibility.ts";
import type { Reader, Sql, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/content.ts";
import type { Row } from "../../database/schema/table.ts";
import { listed, select, update } from "../../database/transaction.ts";
import type { StoredDraft } from "../texts/rules.ts";
import { eachTranslation, fieldOfTranslations } from "../texts/store.ts";

/** The version and the title of a release note. `translated` is a JSON list of the titles in other languages. */
export type ReleaseTitle = Pick<Row<typeof tables.changelogEntries>, "appId" | "id" | "version" | "title"> & {
  readonly translated: string | null;
};

interface LinkedThread {
  readonly entryId: string;
  readonly feedbackId: string;
}

export interface NamedThread {
  readonly id: string;
  /** The number of the thread; null if the thread has no number yet. */
  readonly number: number | null;
  readonly subject: string;
  readonly status: string;
}

export interface WantedThreads {
  readonly ids: readonly string[];
  readonly numbers: readonly number[];
}

/** Queries for the links from release notes to threads. */
export const changelogFeedback = {
  /** Returns the links of these release notes, sorted by the id of the thread. */
  list: async (reader: Reader, entryIds: readonly string[]): Promise<readonly LinkedThread[]> =>
    entryIds.length === 0
      ? []
      : reader.all<LinkedThread>(
          // If a note names a thread that was merged into another thread, the query returns the other thread.
          // (rule F46)
          `SELECT DISTINCT l.entry_id AS "entryId", coalesce(k.merged_into, k.id) AS "feedbackId"
           FROM changelog_feedback l JOIN feedback k ON k.id = l.feedback_id
           WHERE l.entry_id IN (${placeholders(entryIds)}) ORDER BY 2`,
          ...entryIds,
        ),

  /** Returns the ids of the threads that a release note names, sorted. Threads that were merged keep their own id. */
  async listStored(reader: Reader, entryId: string): Promise<readonly string[]> {
    const rows = await reader.all<{ id: string }>(
      `SELECT feedback_id AS "id" FROM changelog_feedback WHERE entry_id = ? ORDER BY feedback_id`,
      entryId,
    );
    return rows.map(({ id }) => id);
  },

  /**
   * Returns the named threads, oldest first. A merged thread has the subject and status of the other thread.
   * (rule F46)
   */
  listNamed: (reader: Reader, appId: string, { ids, numbers }: WantedThreads) =>
    reader.all<NamedThread>(
      `SELECT k.id, k.number, f.subject, f.status FROM (
         SELECT id, number, merged_into FROM feedback
         WHERE app_id = ? AND id IN (${placeholders(ids) || "NULL"})
         UNION SELECT id, number, merged_into FROM feedback
         WHERE app_id = ? AND number IS NOT NULL AND number IN (${placeholders(numbers) || "NULL"})) AS k
       JOIN feedback f ON f.id = coalesce(k.merged_into, k.id) AND f.status <> 'blocked'
       ORDER BY k.id`,
      ...[appId, ...ids, appId, ...numbers],
    ),

  /** Returns the release notes that name a thread. Drafts come first, then the newest notes. */
  listReleaseNotes: (reader: Reader, feedbackId: string) =>
    reader.all<{ id: string; version: string; title: string; publishedAt: string | null }>(
      `SELECT e.id, e.version, e.title, e.published_at AS "publishedAt"
       FROM changelog_entries e WHERE e.id IN (SELECT l.entry_id FROM changelog_feedback l WHERE l.feedback_id IN (
         SELECT k.id FROM feedback k WHERE k.id = ? OR k.merged_into = ?))
       ORDER BY coalesce(e.published_at, '${draftDate}') DESC, e.created_at DESC, e.id DESC`,
      feedbackId,
      feedbackId,
    ),

  /** Returns at most 20 entries that are drafts or have a date after `now`. The newest entry comes first. */
  listOpenNotes: (reader: Reader, appId: string, now: string) =>
    reader.all<{ id: string; version: string; title: string; publishedAt: string | null }>(
      `SELECT id, version, title, "publishedAt" FROM (
         SELECT id, version, title, published_at AS "publishedAt", created_at FROM changelog_entries
         WHERE app_id = ? AND published_at IS NULL
         UNION ALL SELECT id, version, title, published_at AS "publishedAt", created_at FROM changelog_entries
         WHERE app_id = ? AND published_at > ?) AS open
       ORDER BY created_at DESC, id DESC LIMIT 20`,
      ...[appId, appId, now],
    ),

  /** Returns those of the given ids that are ids of threads of the app, sorted. */
  async existing(reader: Reader, appId: string, ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const rows = await reader.all<{ id: string }>(
      `SELECT id FROM feedback WHERE app_id = ? AND (status <> 'blocked' OR merged_into IS NOT NULL) AND id IN (${placeholders(ids)}) ORDER BY id`,
      appId,
      ...ids,
    );
    return rows.map(({ id }) => id);
  },

  async replace(tx: Transaction, entryId: string, feedbackIds: readonly string[]): Promise<void> {
    await tx.run("DELETE FROM changelog_feedback WHERE entry_id = ?", entryId);
    for (const feedbackId of feedbackIds) await tx.insert(tables.changelogFeedback, { entryId, feedbackId });
  },
};

const placeholders = (values: readonly unknown[]): string => values.map(() => "?").join(", ");

const entryFields = [
  ...["id", "title", "version", "versions", "releaseType", "bodyFormat", "body", "items"],
  ...["publishedAt", "createdAt", "updatedAt", "translations"],
] as const;

/** A row of `changelog_entries`. `versions`, `items` and `translations` are JSON. */
export type ChangelogRow = Pick<Row<typeof tables.changelogEntries>, (typeof entryFields)[number]>;

export interface NewChangelogRow extends ChangelogRow, Partial<StoredDraft> {
  /** The account of the member who wrote the draft. */
  readonly draftBy?: string | null;
  readonly appId: string;
  /** A JSON array of the fields that a person has changed since the last import. */
  readonly editedFields: string;
  /** The account of the member who last changed the entry. */
  readonly updatedBy?: string | null;
}

/** The columns of an entry that may change. `versions`, `items`, `translations` and `editedFields` are JSON. */
export type ChangelogRowChange = Partial<Omit<NewChangelogRow, "id" | "appId" | "createdAt">>;

export type OwnedChangelogRow = Omit<NewChangelogRow, "draftBy"> & StoredDraft;

export type EntryVersion = Pick<ChangelogRow, "id" | "version">;

/** The date with which drafts are sorted, so that drafts come first. */
export const draftDate = "9999-12-31T23:59:59.999Z";

const sortKey = `(coalesce(published_at, '${draftDate}'), created_at, id)`;

export type PublishedRow = ChangelogRow & { readonly publishedAt: string };

/** Returns a statement for published entries. The condition `where` must exclude entries that are not published. */
function published(where: string): Sql<PublishedRow> {
  return `SELECT ${listed(tables.changelogEntries, entryFields)} FROM changelog_entries WHERE ${where}`;
}

const newestFirst = "ORDER BY published_at DESC, created_at DESC, id DESC";

const statements = {
  list: select(
    tables.changelogEntries,
    [...entryFields, "editedFields", "draft", "draftBase", "draftAt"],
    `WHERE app_id = ? AND ${sortKey} < (?, ?, ?)
     ORDER BY coalesce(published_at, '${draftDate}') DESC, created_at DESC, id DESC LIMIT ?`,
  ),
  listVersions: select(
    tables.changelogEntries,
    ["id", "version"],
    "WHERE app_id = ? ORDER BY created_at, id",
  ),
  listPublished: published(`app_id = ? AND published_at <= ? ${newestFirst} LIMIT ?`),
  listPublishedVersions: select(
    tables.changelogEntries,
    ["id", "version", "versions"],
    `WHERE app_id = ? AND published_at <= ? ${newestFirst}`,
  ),
};

const entryOf = oneForViewer<OwnedChangelogRow>({
  columns: listed(
    tables.changelogEntries,
    [...entryFields, "appId", "editedFields", "updatedBy", "draft", "draftBase", "draftAt"],
    "e",
  ),
  from: "FROM changelog_entries e",
  app: "e.app_id",
  where: "e.id = ?",
});

const updateEntry = update(tables.changelogEntries, "WHERE id = ?");

/** Queries for release notes including drafts, for members. */
export const changelogEntries = {
  /** Returns the entries that follow the sort key `position`. Drafts come first, then the newest notes. */
  list: (
    reader: Reader,
    appId: string,
    { position, limit }: { readonly position: readonly string[]; readonly limit: number },
  ) => reader.all(statements.list, appId, ...position, limit),

  /** Locks the app. Without this lock, two transactions at the same time could add the same version twice. */
  lock: (tx: Transaction, appId: string) => apps.lock(tx, appId),

  /** Returns the versions of all entries of an app, including drafts, oldest first. */
  listVersions: (reader: Reader, appId: string) => reader.all(statements.listVersions, appId),

  find: (reader: Reader, id: string, viewer: Viewer) => entryOf(reader, viewer, id),

  insert: (tx: Transaction, entry: NewChangelogRow) => tx.insert(tables.changelogEntries, entry),

  update: (tx: Transaction, id: string, change: ChangelogRowChange) => updateEntry(tx, change, id),

  remove: (tx: Transaction, id: string) => tx.run("DELETE FROM changelog_entries WHERE id = ?", id),
};

/** Queries for published release notes, and for the titles in the search of the console. */
export const changelog = {
  /** Returns at most `most` titles of the newest release notes and drafts in all apps of a person. */
  listTitles: (reader: Reader, userId: string, most: number) =>
    reader.all<ReleaseTitle>(
      `SELECT e.app_id AS "appId", e.id, e.version, e.title,
         ${fieldOfTranslations(reader.engine, "e", "title")} AS translated
       FROM app_members v JOIN changelog_entries e ON e.app_id = v.app_id
       WHERE v.user_id = ? ORDER BY e.created_at DESC, e.id DESC LIMIT ?`,
      ...[userId, most],
    ),

  /** Returns the newest entries that are published at `now`. (rule C6) */
  listPublished: (
    reader: Reader,
    appId: string,
    { now, limit }: { readonly now: string; readonly limit: number },
  ) => reader.all(statements.listPublished, appId, now, limit),

  /** Returns the versions of all entries that are published at `now`, without their texts, newest first. */
  listPublishedVersions: (reader: Reader, appId: string, now: string) =>
    reader.all(statements.listPublishedVersions, appId, now),

  /** Returns the languages of the translations of the entries that are published at `now`. */
  async listPublishedLanguages(reader: Reader, appId: string, now: string): Promise<string[]> {
    const found = await reader.all<{ language: string }>(
      `SELECT DISTINCT t.key AS language FROM changelog_entries e, ${eachTranslation(reader.engine, "e")}
       WHERE e.app_id = ? AND e.published_at <= ?`,
      appId,
      now,
    );
    return found.map(({ language }) => language);
  },

  /** Returns those of the app's entries with these ids that are published at `now`, newest first. */
  listByIds: (
    reader: Reader,
    appId: string,
    { now, ids }: { readonly now: string; readonly ids: readonly string[] },
  ) =>
    reader.all<PublishedRow>(
      published(`app_id = ? AND published_at <= ? AND id IN (${placeholders(ids) || "NULL"}) ${newestFirst}`),
      ...[appId, now, ...ids],
    ),

  /** Returns the next date after `now` at which an entry will be published; null if there is none. */
  nextPublication: (reader: Reader, appId: string, now: string) =>
    reader.get<{ at: string | null }>(
      "SELECT min(published_at) AS at FROM changelog_entries WHERE app_id = ? AND published_at > ?",
      appId,
      now,
    ),

  /** Changes the version number of the app's changelog, so that cached answers are no longer used. */
  async bumpVersion(tx: Transaction, appId: string): Promise<void> {
    await tx.run("UPDATE apps SET changelog_version = changelog_version + 1 WHERE id = ?", appId);
  },
};
