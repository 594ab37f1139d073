import type { Faq, FaqChange, ListedFaq } from "../../../src/contract/faqs.ts";
import type { Reader, Transaction } from "../engine/database.ts";
import type { Viewer } from "../feedback/feedback.ts";

export interface NewFaqRow {
  readonly id: string;
  readonly appId: string;
  readonly question: string;
  readonly answer: string;
  readonly sortOrder: number;
  readonly at: string;
}

const columns = `id, question, answer, sort_order AS "sortOrder"`;

/** The FAQ entries of apps. */
export const faqs = {
  list: (reader: Reader, appId: string) =>
    reader.all<ListedFaq>(
      `SELECT ${columns}, created_at AS "createdAt", updated_at AS "updatedAt"
       FROM faqs WHERE app_id = ? ORDER BY sort_order, created_at, id`,
      appId,
    ),

  /** The sort order of a new last entry. Entries that are added at the same time get different numbers. */
  async nextSortOrder(tx: Transaction, appId: string): Promise<number> {
    await tx.lock(`faqs:${appId}`);
    const row = await tx.get<{ next: number }>(
      "SELECT coalesce(max(sort_order), 0) + 1 AS next FROM faqs WHERE app_id = ?",
      appId,
    );
    return row?.next ?? 1;
  },

  insert: (tx: Transaction, { id, appId, question, answer, sortOrder, at }: NewFaqRow) =>
    tx.insert("faqs", {
      id,
      app_id: appId,
      question,
      answer,
      sort_order: sortOrder,
      created_at: at,
      updated_at: at,
    }),

  find: (reader: Reader, appId: string, id: string) =>
    reader.get<Faq>(`SELECT ${columns} FROM faqs WHERE app_id = ? AND id = ?`, appId, id),

  /** The app of an entry, if the viewer may see that app. */
  findApp: (reader: Reader, id: string, viewer: Viewer) =>
    reader.get<{ appId: string }>(
      `SELECT f.app_id AS "appId" FROM faqs f JOIN apps a ON a.id = f.app_id
       WHERE f.id = ? AND a.owner_id = ? AND f.app_id = coalesce(?, f.app_id)`,
      id,
      viewer.userId,
      viewer.appId,
    ),

  /** Sets the given fields; undefined if the app has no such entry. */
  update: (
    tx: Transaction,
    { appId, id }: { readonly appId: string; readonly id: string },
    { at, ...change }: FaqChange & { readonly at: string },
  ) =>
    tx.get<Faq>(
      `UPDATE faqs SET question = coalesce(?, question), answer = coalesce(?, answer),
              sort_order = coalesce(?, sort_order), updated_at = ?
       WHERE app_id = ? AND id = ? RETURNING ${columns}`,
      change.question ?? null,
      change.answer ?? null,
      change.sortOrder ?? null,
      at,
      appId,
      id,
    ),

  remove: (tx: Transaction, appId: string, id: string) =>
    tx.run("DELETE FROM faqs WHERE app_id = ? AND id = ?", appId, id),

  /** Makes all cached lists of the app out of date. */
  bumpVersion: (tx: Transaction, appId: string) =>
    tx.run("UPDATE apps SET faqs_version = faqs_version + 1 WHERE id = ?", appId),
};
