import type { AuditEntry } from "../../../src/contract/console/audit.ts";
import type { Reader, Transaction } from "../engine/database.ts";

export interface NewAuditEntry extends AuditEntry {
  /** Whose account, or whose app, it concerns. */
  readonly ownerId: string;
  /** The label of a token or key, for when it is deleted. */
  readonly label?: string | null;
}

/** A page of the list, of one app and of one kind of deed where they are given. */
export interface AuditPage {
  readonly appId: string | undefined;
  readonly action: string | undefined;
  readonly position: readonly string[];
  readonly limit: number;
}

/** Who did what, when, from where; kept also when what it tells of is deleted. */
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

  /** Newest first, those that come after `position`: the `at` and the `id` of an entry. */
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
