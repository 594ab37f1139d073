import { apps } from "../../access/apps/store.ts";
import { oneForViewer, type Viewer } from "../../access/members/visibility.ts";
import { assignments } from "../../database/assignments.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { type ChangelogRow, changelogColumns } from "./store.ts";

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
export interface EntriesPage {
  readonly position: readonly string[];
  readonly limit: number;
}

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
