import type { AuditEntry } from "../../../src/contract/console/audit.ts";
import type { Reader, Transaction } from "../engine/database.ts";

export interface NewAuditEntry extends AuditEntry {
  /** The account that the entry concerns, or that owns the app. */
  readonly ownerId: string;
  /** The label of a token or key. It is stored here because the row of the token or key can be deleted. */
  readonly label?: string | null;
}

/** A page of the list, limited to one app and to one action if they are given. */
export interface AuditPage {
  readonly appId: string | undefined;
  readonly action: string | undefined;
  readonly position: readonly string[];
  readonly limit: number;
}

/** Who did what, when and from where. Entries remain when their target is deleted. */
export const audit = {
  insert: (tx: Transaction, entry: NewAuditEntry) =>
    tx.insert("audit", {
      id: entry.id,
      at: entry.at,
      owner_id: entry.ownerId,
      actor: entry.actor,
      action: entry.action,
      app_id: entry.appId,
      target: entry.target,
      address: entry.address,
      label: entry.label ?? null,
    }),

  /** The entries after `position`, newest first. `position` is the `at` and the `id` of an entry. */
  list: (reader: Reader, ownerId: string, { appId, action, position, limit }: AuditPage) => {
    const given = [appId, action].filter((value) => value !== undefined);
    return reader.all<AuditEntry>(
      `SELECT id, at, actor, action, app_id AS "appId", target, address FROM audit
       WHERE owner_id = ? AND (at, id) < (?, ?)
         ${appId === undefined ? "" : "AND app_id = ?"} ${action === undefined ? "" : "AND action = ?"}
       ORDER BY at DESC, id DESC LIMIT ?`,
      ...[ownerId, ...position, ...given, limit],
    );
  },
};
