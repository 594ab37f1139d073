import type { AuditEntry } from "../../../src/contract/console/audit.ts";
import type { Reader, Transaction } from "../engine/database.ts";
import type { Viewer } from "../feedback/feedback.ts";

export interface NewAuditEntry extends AuditEntry {
  /** The account that the entry concerns, or that owns the app. */
  readonly ownerId: string;
  /** The label of a token or key. It is stored here because the row of the token or key can be deleted. */
  readonly label?: string | null;
}

/** A page of the list, limited to one app, one action, one actor and a period if they are given. */
export interface AuditPage {
  readonly appId: string | undefined;
  readonly action: string | undefined;
  /** A person's e-mail address, `agent`, or the id of a token. */
  readonly actor?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
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

  /**
   * The entries after `position`, newest first. `position` is the `at` and the `id` of an entry. To a token of one app
   * only the entries of that app are shown.
   */
  list: (reader: Reader, viewer: Viewer, { position, limit, ...filters }: AuditPage) => {
    const given = conditions(viewer, filters);
    return reader.all<AuditEntry>(
      `SELECT id, at, actor, action, app_id AS "appId", target, address FROM audit
       WHERE owner_id = ? AND (at, id) < (?, ?) ${given.map(({ sql }) => `AND ${sql}`).join(" ")}
       ORDER BY at DESC, id DESC LIMIT ?`,
      ...[viewer.userId, ...position, ...given.flatMap(({ values }) => values), limit],
    );
  },
};

interface Condition {
  readonly sql: string;
  readonly values: readonly string[];
}

function conditions(
  viewer: Viewer,
  { appId, action, actor, from, to }: Omit<AuditPage, "position" | "limit">,
): Condition[] {
  const equals = (sql: string, value: string | null | undefined): Condition[] =>
    value === undefined || value === null ? [] : [{ sql, values: [value] }];
  return [
    ...equals("app_id = ?", viewer.appId),
    ...equals("app_id = ?", appId),
    ...equals("action = ?", action),
    ...equals("at >= ?", from),
    ...equals("at < ?", to),
    ...(actor === undefined ? [] : [byActor(actor.toLowerCase())]),
  ];
}

/** What a person did, also with maintainer tokens; or what one token did. */
function byActor(actor: string): Condition {
  const literally = actor.replace(/[\\%_]/g, "\\$&");
  const values = [actor, `${literally}, token %`, `%, token ${literally}`];
  return {
    sql: `(actor = ? OR actor LIKE ? ESCAPE '\\' OR actor LIKE ? ESCAPE '\\')`,
    values,
  };
}
