import type { SavedReply } from "../../../src/contract/saved-replies.ts";
import { oneForViewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { assignments } from "../../database/statements.ts";

const columns = `r.id, r.title, r.body, r.created_at AS "createdAt", r.updated_at AS "updatedAt"`;

export interface NewSavedReply extends SavedReply {
  readonly appId: string;
  readonly by: string;
}

export interface SavedReplyChange {
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly at: string;
  readonly by: string;
}

/** The saved replies of apps. (rule F32) */
export const savedReplies = {
  /** By title. */
  list: (reader: Reader, appId: string) =>
    reader.all<SavedReply>(
      `SELECT ${columns} FROM saved_replies r WHERE r.app_id = ? ORDER BY r.title, r.id`,
      appId,
    ),

  find: oneForViewer<SavedReply & { readonly appId: string }>({
    columns: `${columns}, r.app_id AS "appId"`,
    from: "FROM saved_replies r",
    app: "r.app_id",
    where: "r.id = ?",
  }),

  insert: (tx: Transaction, { id, appId, title, body, by, createdAt, updatedAt }: NewSavedReply) =>
    tx.insert("saved_replies", {
      ...{ id, app_id: appId, title, body, updated_by: by },
      ...{ created_at: createdAt, updated_at: updatedAt },
    }),

  async update(tx: Transaction, id: string, { title, body, at, by }: SavedReplyChange): Promise<void> {
    const { sql, values } = assignments({ title, body, updated_by: by, updated_at: at });
    await tx.run(`UPDATE saved_replies SET ${sql} WHERE id = ?`, ...values, id);
  },

  remove: (tx: Transaction, id: string) => tx.run("DELETE FROM saved_replies WHERE id = ?", id),
};
