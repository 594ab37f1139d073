import type { View } from "../../../src/contract/views.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";
import { listed, update } from "../../database/statements.ts";

/** A view. `query` is JSON. `userId` is null for a shared view. */
export interface ViewRow extends Omit<View, "query" | "shared" | "unknownFilters"> {
  readonly appId: string;
  readonly userId: string | null;
  readonly query: string;
}

const fields = ["id", "appId", "userId", "name", "query", "createdAt", "updatedAt"] as const;
const updateView = update(tables.savedViews, "WHERE id = ?");

/** The saved views of apps. A shared view belongs to the app. Each other view belongs to a member. (rule F44) */
export const savedViews = {
  /** Returns the views of a member and the shared views, sorted by name. */
  list: (reader: Reader, appId: string, userId: string): Promise<ViewRow[]> =>
    reader.all<ViewRow>(
      `SELECT ${listed(tables.savedViews, fields, "w")} FROM saved_views w
       WHERE w.app_id = ? AND (w.user_id IS NULL OR w.user_id = ?) ORDER BY w.name, w.id`,
      ...[appId, userId],
    ),

  find: (reader: Reader, appId: string, userId: string, id: string): Promise<ViewRow | undefined> =>
    reader.get<ViewRow>(
      `SELECT ${listed(tables.savedViews, fields, "w")} FROM saved_views w
       WHERE w.id = ? AND w.app_id = ? AND (w.user_id IS NULL OR w.user_id = ?)`,
      ...[id, appId, userId],
    ),

  insert: (tx: Transaction, row: ViewRow) => tx.insert(tables.savedViews, row),

  async update(tx: Transaction, id: string, change: Partial<ViewRow>): Promise<void> {
    await updateView(tx, change, id);
  },

  remove: (tx: Transaction, id: string) => tx.run("DELETE FROM saved_views WHERE id = ?", id),
};
