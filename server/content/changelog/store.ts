import { apps } from "../../access/apps/store.ts";
import { oneForViewer, type Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { assignments } from "../../database/statements.ts";

/** A thread that a release note names. */
interface LinkedThread {
  readonly entryId: string;
  readonly feedbackId: string;
}

/** The links from release notes to threads of feedback. */
export const changelogFeedback = {
  /** The links of these release notes, in the order of the threads. */
  list: async (reader: Reader, entryIds: readonly string[]): Promise<readonly LinkedThread[]> =>
    entryIds.length === 0
      ? []
      : reader.all<LinkedThread>(
          `SELECT entry_id AS "entryId", feedback_id AS "feedbackId" FROM changelog_feedback
           WHERE entry_id IN (${placeholders(entryIds)}) ORDER BY feedback_id`,
          ...entryIds,
        ),

  /** The threads of a release note with their subjects. */
  listSubjects: (reader: Reader, entryId: string) =>
    reader.all<{ id: string; subject: string }>(
      `SELECT f.id, f.subject FROM changelog_feedback l JOIN feedback f ON f.id = l.feedback_id
       WHERE l.entry_id = ? ORDER BY f.id`,
      entryId,
    ),

  /** The release notes that name a thread, the newest first, drafts before all. */
  listReleaseNotes: (reader: Reader, feedbackId: string) =>
    reader.all<{ id: string; version: string; title: string; publishedAt: string | null }>(
      `SELECT e.id, e.version, e.title, e.published_at AS "publishedAt"
       FROM changelog_feedback l JOIN changelog_entries e ON e.id = l.entry_id
       WHERE l.feedback_id = ? ORDER BY coalesce(e.published_at, '${draftDate}') DESC, e.created_at DESC, e.id DESC`,
      feedbackId,
    ),

  /** Those of the ids that are threads of the app, in order. */
  async existing(reader: Reader, appId: string, ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const rows = await reader.all<{ id: string }>(
      `SELECT id FROM feedback WHERE app_id = ? AND status <> 'blocked' AND id IN (${placeholders(ids)}) ORDER BY id`,
      appId,
      ...ids,
    );
    return rows.map(({ id }) => id);
  },

  /** Replaces all links of a release note. */
  async replace(tx: Transaction, entryId: string, feedbackIds: readonly string[]): Promise<void> {
    await tx.run("DELETE FROM changelog_feedback WHERE entry_id = ?", entryId);
    for (const id of feedbackIds)
      await tx.insert("changelog_feedback", { entry_id: entryId, feedback_id: id });
  },
};

const placeholders = (values: readonly string[]): string => values.map(() => "?").join(", ");

export interface NewChangelogRow extends ChangelogRow {
  readonly appId: string;
  /** A JSON array of the fields that a person has written since the last import. */
  readonly editedFields: string;
  /** The account of the member who changed it last. */
  readonly updatedBy?: string | null;
}

/** The fields of an entry that may change. `versions`, `items` and `editedFields` are JSON. */
export type ChangelogRowChange = Partial<Omit<NewChangelogRow, "id" | "appId" | "createdAt">>;

export type OwnedChangelogRow = NewChangelogRow;

export type EntryVersion = Pick<ChangelogRow, "id" | "version">;

/** The date by which an unpublished entry is sorted, so that drafts come first. */
export const draftDate = "9999-12-31T23:59:59.999Z";

const sortKey = `(coalesce(published_at, '${draftDate}'), created_at, id)`;

/** A page of the list: the sort key after which it begins, and its length. */
interface EntriesPage {
  readonly position: readonly string[];
  readonly limit: number;
}

const changelogColumns = `id, title, version, versions, release_type AS "releaseType",
  body_format AS "bodyFormat", body, items, published_at AS "publishedAt",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

const entryOf = oneForViewer<OwnedChangelogRow>({
  columns: "e.*",
  from: `FROM (SELECT ${changelogColumns}, app_id AS "appId", edited_fields AS "editedFields"
       FROM changelog_entries) e`,
  app: `e."appId"`,
  where: "e.id = ?",
});

/** Release notes as their maintainers see them, including drafts. */
export const changelogEntries = {
  /** The entries after `position`: drafts first, then newest first. */
  list: (reader: Reader, appId: string, { position, limit }: EntriesPage) =>
    reader.all<ChangelogRow & Pick<NewChangelogRow, "editedFields">>(
      `SELECT ${changelogColumns}, edited_fields AS "editedFields" FROM changelog_entries WHERE app_id = ? AND ${sortKey} < (?, ?, ?)
       ORDER BY coalesce(published_at, '${draftDate}') DESC, created_at DESC, id DESC LIMIT ?`,
      appId,
      ...position,
      limit,
    ),

  /** Locks the app, so that no other transaction adds a version between a search for it and its insert, or deletes the app. */
  lock: (tx: Transaction, appId: string) => apps.lock(tx, appId),

  /** The versions of all entries of an app, including drafts, oldest first. */
  listVersions: (reader: Reader, appId: string) =>
    reader.all<EntryVersion>(
      "SELECT id, version FROM changelog_entries WHERE app_id = ? ORDER BY created_at, id",
      appId,
    ),

  find: (reader: Reader, id: string, viewer: Viewer) => entryOf(reader, viewer, id),

  insert: (tx: Transaction, entry: NewChangelogRow) =>
    tx.insert("changelog_entries", {
      id: entry.id,
      app_id: entry.appId,
      title: entry.title,
      version: entry.version,
      versions: entry.versions,
      release_type: entry.releaseType,
      body_format: entry.bodyFormat,
      body: entry.body,
      items: entry.items,
      published_at: entry.publishedAt,
      created_at: entry.createdAt,
      updated_at: entry.updatedAt,
      edited_fields: entry.editedFields,
      updated_by: entry.updatedBy ?? null,
    }),

  async update(tx: Transaction, id: string, change: ChangelogRowChange): Promise<void> {
    const { sql, values } = assignments({
      edited_fields: change.editedFields,
      title: change.title,
      version: change.version,
      versions: change.versions,
      release_type: change.releaseType,
      body_format: change.bodyFormat,
      body: change.body,
      items: change.items,
      published_at: change.publishedAt,
      updated_at: change.updatedAt,
      updated_by: change.updatedBy,
    });
    if (sql !== "") await tx.run(`UPDATE changelog_entries SET ${sql} WHERE id = ?`, ...values, id);
  },

  remove: (tx: Transaction, id: string) => tx.run("DELETE FROM changelog_entries WHERE id = ?", id),
};

/** The stored form of a release note. `versions` and `items` are JSON. */
export interface ChangelogRow {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly versions: string;
  readonly releaseType: "major" | "minor" | "patch";
  readonly bodyFormat: "markdown" | "items";
  readonly body: string;
  readonly items: string;
  readonly publishedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type PublishedRow = ChangelogRow & { readonly publishedAt: string };

/** The release notes of apps, as their users see them. */
export const changelog = {
  /** The newest entries that are published at `now`. */
  listPublished: (
    reader: Reader,
    appId: string,
    { now, limit }: { readonly now: string; readonly limit: number },
  ) =>
    reader.all<PublishedRow>(
      `SELECT ${changelogColumns} FROM changelog_entries
       WHERE app_id = ? AND published_at <= ? ORDER BY published_at DESC, created_at DESC, id DESC LIMIT ?`,
      appId,
      now,
      limit,
    ),

  /** The versions of all entries that are published at `now`, newest first, without their texts. */
  listPublishedVersions: (reader: Reader, appId: string, now: string) =>
    reader.all<Pick<ChangelogRow, "id" | "version" | "versions">>(
      `SELECT id, version, versions FROM changelog_entries
       WHERE app_id = ? AND published_at <= ? ORDER BY published_at DESC, created_at DESC, id DESC`,
      appId,
      now,
    ),

  /** These entries of the app, newest first. */
  listByIds: (reader: Reader, appId: string, ids: readonly string[]) =>
    reader.all<PublishedRow>(
      `SELECT ${changelogColumns} FROM changelog_entries
       WHERE app_id = ? AND id IN (${ids.map(() => "?").join(", ") || "NULL"})
       ORDER BY published_at DESC, created_at DESC, id DESC`,
      appId,
      ...ids,
    ),

  /** When the next entry with a date in the future appears. */
  nextPublication: (reader: Reader, appId: string, now: string) =>
    reader.get<{ at: string | null }>(
      "SELECT min(published_at) AS at FROM changelog_entries WHERE app_id = ? AND published_at > ?",
      appId,
      now,
    ),

  /** Makes all cached lists of the app out of date. */
  async bumpVersion(tx: Transaction, appId: string): Promise<void> {
    await tx.run("UPDATE apps SET changelog_version = changelog_version + 1 WHERE id = ?", appId);
  },
};
