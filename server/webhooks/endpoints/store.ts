import type { Reader, Transaction } from "../../database/database.ts";
import type { Added, Row } from "../../database/schema/table.ts";
import { webhooks as table } from "../../database/schema/webhooks.ts";
import { listed, update } from "../../database/statements.ts";
import type { ClearedWebhook } from "./deliveries-store.ts";

const fields = [
  ...["id", "appId", "url", "secret", "oldSecret", "oldUntil", "events", "texts", "createdAt"],
  ...["disabledAt", "disabledBecause"],
] as const;

export type WebhookRow = Pick<Row<typeof table>, (typeof fields)[number]>;

/** A webhook with the state of its queue. */
export interface WebhookState extends WebhookRow {
  readonly waiting: number;
  readonly lastStatus: "delivered" | "failed" | null;
}

const columns = listed(table, fields, "w");
const change = update(table, "WHERE app_id = ? AND id = ?");

interface OfApp {
  readonly appId: string;
  readonly id: string;
}

/** The most waiting deliveries that are counted. */
const mostCounted = 99;

/** Returns a query for the newest delivery of a webhook `w` with this result. */
const newestWith = (status: "delivered" | "failed") =>
  `SELECT * FROM (SELECT d.status, d.event_at, d.event_id FROM webhook_deliveries d
     WHERE d.webhook_id = w.id AND d.status = '${status}' ORDER BY d.event_at DESC, d.event_id DESC LIMIT 1) AS ${status}`;

const stateColumns = `${columns},
  CASE WHEN w.disabled_at IS NOT NULL THEN 0 ELSE (
    SELECT count(*) FROM (SELECT 1 AS one FROM webhook_deliveries d
      WHERE d.webhook_id = w.id AND d.status = 'waiting' AND d.generation = w.generation
      LIMIT ${mostCounted}) AS waiting) END AS waiting,
  (SELECT last.status FROM (${newestWith("delivered")} UNION ALL ${newestWith("failed")}) AS last
     ORDER BY last.event_at DESC, last.event_id DESC LIMIT 1) AS "lastStatus"`;

/**
 * The SQL assignments for a webhook that is switched off or deleted. They tell a job to give up the waiting deliveries
 * of the webhook.
 */
const givingUp = "generation = generation + 1, clearing = 1";

/** The webhooks of apps, without those that are deleted. Addresses and secrets are sealed. */
export const webhooks = {
  list: (reader: Reader, appId: string) =>
    reader.all<WebhookState>(
      `SELECT ${stateColumns} FROM webhooks w WHERE w.app_id = ? AND w.removed_at IS NULL ORDER BY w.created_at, w.id`,
      appId,
    ),

  find: (reader: Reader, { appId, id }: OfApp) =>
    reader.get<WebhookState>(
      `SELECT ${stateColumns} FROM webhooks w WHERE w.app_id = ? AND w.id = ? AND w.removed_at IS NULL`,
      appId,
      id,
    ),

  /** Returns the webhook if it is on and no job is still giving up its earlier deliveries. */
  findEnabled: (reader: Reader, id: string) =>
    reader.get<WebhookRow>(
      `SELECT ${columns} FROM webhooks w WHERE w.id = ? AND w.disabled_at IS NULL AND w.clearing = 0`,
      id,
    ),

  async count(reader: Reader, appId: string): Promise<number> {
    const row = await reader.get<{ count: number }>(
      "SELECT count(*) AS count FROM webhooks WHERE app_id = ? AND removed_at IS NULL",
      appId,
    );
    return Number(row?.count ?? 0);
  },

  insert: (tx: Transaction, row: Added<typeof table>) =>
    tx.insert(table, {
      id: row.id,
      appId: row.appId,
      url: row.url,
      secret: row.secret,
      events: row.events,
      texts: row.texts,
      createdAt: row.createdAt,
    }),

  update: (
    tx: Transaction,
    { appId, id }: OfApp,
    set: Partial<
      Pick<
        WebhookRow,
        "url" | "events" | "texts" | "secret" | "oldSecret" | "oldUntil" | "disabledAt" | "disabledBecause"
      >
    >,
  ) => change(tx, set, appId, id),

  /**
   * Switches off a webhook whose receiver declines further events. Returns false if its address has changed in the
   * meantime, or if it is already off. (rule O28)
   */
  switchOffGone: async (
    tx: Transaction,
    { id, url }: Pick<WebhookRow, "id" | "url">,
    now: string,
  ): Promise<boolean> =>
    (await tx.run(
      `UPDATE webhooks SET disabled_at = ?, disabled_because = 'gone', ${givingUp}
       WHERE id = ? AND url = ? AND disabled_at IS NULL`,
      ...[now, id, url],
    )) > 0,

  /**
   * Increases the generation of a webhook, so that all waiting deliveries belong to an earlier generation. Then a job
   * gives these deliveries up.
   */
  giveUp: (tx: Transaction, id: string) => tx.run(`UPDATE webhooks SET ${givingUp} WHERE id = ?`, id),

  /**
   * Marks one webhook of an app, or all of them, as deleted. Removes their addresses and secrets, so that nothing is
   * sent.
   */
  remove: (tx: Transaction, { appId, id }: { readonly appId: string; readonly id?: string }, now: string) =>
    tx.run(
      `UPDATE webhooks SET disabled_at = ?, removed_at = ?, url = '', secret = '', old_secret = NULL, ${givingUp}
       WHERE app_id = ? AND id = coalesce(CAST(? AS text), id) AND removed_at IS NULL`,
      ...[now, now, appId, id ?? null],
    ),

  /** Returns a webhook whose deliveries must still be given up or deleted. */
  nextToClear: (reader: Reader, appId?: string) =>
    reader.get<ClearedWebhook>(
      `SELECT id, generation, removed_at AS "removedAt" FROM webhooks
       WHERE clearing = 1 ${appId === undefined ? "" : "AND app_id = ?"} ORDER BY id LIMIT 1`,
      ...(appId === undefined ? [] : [appId]),
    ),

  /**
   * Stores that all deliveries from earlier generations are given up. Does nothing if a newer generation has begun.
   */
  cleared: (tx: Transaction, { id, generation }: ClearedWebhook) =>
    tx.run("UPDATE webhooks SET clearing = 0 WHERE id = ? AND generation = ?", id, generation),

  /** Deletes the row of a webhook that has no more deliveries. */
  removeRow: (tx: Transaction, id: string) =>
    tx.run("DELETE FROM webhooks WHERE id = ? AND removed_at IS NOT NULL", id),
};

interface ThreadTexts {
  readonly subject: string;
  readonly message: string;
}

/** The texts that a webhook gets if an owner has allowed this. They are read when an event is sent. */
export const eventTexts = {
  /** Returns the texts of a thread. The report of a merged thread is a message with the id of that thread. */
  ofThread: (reader: Reader, id: string) =>
    reader.get<ThreadTexts>(
      `SELECT subject, message FROM feedback WHERE id = ? AND status <> 'blocked'
       UNION ALL
       SELECT coalesce(m.subject, f.subject), m.body FROM messages m JOIN feedback f ON f.id = m.feedback_id
       WHERE m.id = ? AND m.direction <> 'blocked' AND f.status <> 'blocked' LIMIT 1`,
      ...[id, id],
    ),

  ofMessage: (reader: Reader, id: string) =>
    reader.get<ThreadTexts>(
      `SELECT f.subject, m.body AS message FROM messages m JOIN feedback f ON f.id = m.feedback_id
       WHERE m.id = ? AND m.direction <> 'blocked'`,
      id,
    ),

  ofProposal: (reader: Reader, id: string) =>
    reader.get<{ subject: string; summary: string; plan: string }>(
      `SELECT f.subject, r.summary, r.plan FROM runs r JOIN feedback f ON f.id = r.feedback_id WHERE r.id = ?`,
      id,
    ),

  ofReleaseNote: (reader: Reader, id: string) =>
    reader.get<{ title: string; version: string }>(
      "SELECT title, version FROM changelog_entries WHERE id = ?",
      id,
    ),
};
