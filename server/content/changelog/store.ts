import type { Reader, Transaction } from "../../database/database.ts";

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

export const changelogColumns = `id, title, version, versions, release_type AS "releaseType",
  body_format AS "bodyFormat", body, items, published_at AS "publishedAt",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

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
