import type { SavedReply } from "../../../src/contract/correspondence.ts";
import { oneForViewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";
import { listed, select, update } from "../../database/transaction.ts";

const fields = ["id", "title", "body", "createdAt", "updatedAt"] as const;
const repliesOf = select(tables.savedReplies, fields, "WHERE app_id = ? ORDER BY title, id");

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

const updateReply = update(tables.savedReplies, "WHERE id = ?");

/** Queries for the saved replies of apps. (rule F32) */
export const savedReplies = {
  /** Returns the saved replies of an app, sorted by title. */
  list: (reader: Reader, appId: string): Promise<SavedReply[]> => reader.all(repliesOf, appId),

  find: oneForViewer<SavedReply & { readonly appId: string }>({
    columns: listed(tables.savedReplies, [...fields, "appId"], "r"),
    from: "FROM saved_replies r",
    app: "r.app_id",
    where: "r.id = ?",
  }),

  insert: (tx: Transaction, { by, ...reply }: NewSavedReply) =>
    tx.insert(tables.savedReplies, { ...reply, updatedBy: by }),

  async update(tx: Transaction, id: string, { title, body, at, by }: SavedReplyChange): Promise<void> {
    await updateReply(tx, { title, body, updatedBy: by, updatedAt: at }, id);
  },

  remove: (tx: Transaction, id: string) => tx.run("DELETE FROM saved_replies WHERE id = ?", id),
};
