import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";
import { mailType, type NewUpload } from "../../files/uploads-store.ts";

/** The condition for uploads that are pictures of FAQ entries and release notes. */
const ofContent = `feedback_id IS NULL AND proof_id IS NULL AND media_type <> '${mailType}'`;

/** A picture, and the app that it belongs to. */
interface PictureKey {
  readonly appId: string;
  readonly name: string;
}

/** The pictures of FAQ entries and release notes. They are uploads that belong to no report and no proof. */
export const pictures = {
  insert: (tx: Transaction, picture: NewUpload) => tx.insert(tables.uploads, picture),

  /** Returns pictures that were added before a time, the oldest first. `after` is the last name of the page before. */
  listOld: (
    reader: Reader,
    { before, after, most }: { readonly before: string; readonly after: string; readonly most: number },
  ) =>
    reader.all<PictureKey>(
      `SELECT app_id AS "appId", name FROM uploads
       WHERE ${ofContent} AND created_at < ? AND name > ? ORDER BY name LIMIT ?`,
      before,
      after,
      most,
    ),

  /**
   * Deletes those of the pictures that no text of the app shows any more. Returns the hashes of their files. (rule
   * C27)
   */
  async removeUnused(tx: Transaction, appId: string, names: readonly string[]): Promise<string[]> {
    const hashes: string[] = [];
    for (const name of names) {
      const removed = await tx.all<{ sha256: string }>(
        `DELETE FROM uploads WHERE app_id = ? AND name = ? AND ${ofContent}
           AND NOT EXISTS (SELECT 1 FROM faqs WHERE app_id = ? AND (answer LIKE ? OR draft LIKE ?))
           AND NOT EXISTS (SELECT 1 FROM changelog_entries
                           WHERE app_id = ? AND (body LIKE ? OR items LIKE ? OR draft LIKE ?))
           AND NOT EXISTS (SELECT 1 FROM content_versions WHERE app_id = ? AND content LIKE ?)
         RETURNING sha256`,
        ...[appId, name, appId, `%${name}%`, `%${name}%`],
        ...[appId, `%${name}%`, `%${name}%`, `%${name}%`, appId, `%${name}%`],
      );
      hashes.push(...removed.map(({ sha256 }) => sha256));
    }
    return hashes;
  },

  /** Deletes all pictures of an app. Returns the hashes of their files. The caller has locked the app. */
  async removeOfApp(tx: Transaction, appId: string): Promise<string[]> {
    const removed = await tx.all<{ sha256: string }>(
      `DELETE FROM uploads WHERE app_id = ? AND ${ofContent} RETURNING sha256`,
      appId,
    );
    return removed.map(({ sha256 }) => sha256);
  },
};
