import type { DeliveryState, EventType } from "../../../src/contract/events.ts";
import type { Engine, Reader, Transaction, Value } from "../../database/database.ts";
import type { Added, Row } from "../../database/schema/table.ts";
import { webhooks as table } from "../../database/schema/webhooks.ts";
import { listed, update } from "../../database/transaction.ts";

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

/** The maximum number of waiting deliveries of a webhook that are counted. */
const mostCounted = 99;

/** Returns a query for the newest delivery of the webhook `w` that has the given status. */
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
 * SQL assignments for a webhook that is switched off or deleted. `clearing = 1` makes a job cancel waiting
 * deliveries.
 */
const givingUp = "generation = generation + 1, clearing = 1";

/** The webhooks of apps, without the deleted webhooks. Addresses and secrets are encrypted. */
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

  /** Returns the webhook if it is on and no job is still cancelling its earlier deliveries. */
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
   * Switches off a webhook whose receiver declines events. Returns false if it is off or has a new address.
   * (rule O28)
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

  /** Increases the `generation` of a webhook. A job cancels the waiting deliveries with a lower generation. */
  giveUp: (tx: Transaction, id: string) => tx.run(`UPDATE webhooks SET ${givingUp} WHERE id = ?`, id),

  /** Marks a webhook as deleted; without `id`, all webhooks of the app. Removes addresses and secrets. */
  remove: (tx: Transaction, { appId, id }: { readonly appId: string; readonly id?: string }, now: string) =>
    tx.run(
      `UPDATE webhooks SET disabled_at = ?, removed_at = ?, url = '', secret = '', old_secret = NULL, ${givingUp}
       WHERE app_id = ? AND id = coalesce(CAST(? AS text), id) AND removed_at IS NULL`,
      ...[now, now, appId, id ?? null],
    ),

  /** Returns a webhook whose deliveries must still be cancelled or deleted. */
  nextToClear: (reader: Reader, appId?: string) =>
    reader.get<ClearedWebhook>(
      `SELECT id, generation, removed_at AS "removedAt" FROM webhooks
       WHERE clearing = 1 ${appId === undefined ? "" : "AND app_id = ?"} ORDER BY id LIMIT 1`,
      ...(appId === undefined ? [] : [appId]),
    ),

  /**
   * Stores that the deliveries of lower generations are cancelled. Does nothing if the generation was increased
   * meanwhile.
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

/** The texts that events contain if an owner has allowed texts. The server reads the texts when it sends. */
export const eventTexts = {
  /** Returns the texts of the thread `id`. If this thread was merged, returns the texts of its report. */
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

/** The state of one event on its way to one webhook. */
interface DeliveryRow {
  /** The id of the event. */
  readonly id: string;
  readonly type: string;
  readonly eventAt: string;
  readonly status: DeliveryState;
  readonly dueAt: string;
  /** The attempts as JSON. */
  readonly attempts: string;
}

/** A delivery that this server sends now. */
export interface DueDelivery {
  readonly eventId: string;
  readonly tries: number;
  readonly dueAt: string;
}

interface QueuedEvent {
  readonly id: string;
  readonly appId: string;
  readonly type: string;
  readonly createdAt: string;
}

/** A webhook that was switched off or deleted, so that its deliveries must be cancelled or deleted. */
export interface ClearedWebhook {
  readonly id: string;
  readonly generation: number;
  readonly removedAt: string | null;
}

/** How many due deliveries of a webhook are selected at most, and until when they are reserved. */
interface DeliveryClaim {
  readonly now: string;
  readonly until: string;
  readonly most: number;
}

/** The SQL condition for a delivery `d` that is no longer sent, because its webhook `w` was switched off. */
const isGivenUp = "d.status = 'waiting' AND d.generation < w.generation";

const deliveryColumns = `e.id, e.type, d.event_at AS "eventAt",
  CASE WHEN ${isGivenUp} THEN 'failed' ELSE d.status END AS status, d.due_at AS "dueAt", d.attempts`;

const onceAgain = `ON CONFLICT (webhook_id, event_id) DO UPDATE SET status = 'waiting', tries = 0,
  due_at = excluded.due_at, queued_at = excluded.queued_at, generation = excluded.generation`;

/** The deliveries of events to webhooks. Each webhook has its own queue. (rule O27) */
export const deliveries = {
  /** Queues an event for the webhooks of its app that get this type. Returns the number of webhooks. */
  queue: (tx: Transaction, { id, appId, type, createdAt }: QueuedEvent) =>
    tx.run(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, app_id, status, tries, due_at, queued_at, event_at,
         generation)
       SELECT id, CAST(? AS TEXT), app_id, 'waiting', 0, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), generation
       FROM webhooks
       WHERE app_id = ? AND disabled_at IS NULL AND (events IS NULL OR events LIKE ?)`,
      ...[id, createdAt, createdAt, createdAt, appId, `%,${type},%`],
    ),

  /** Queues an event for one webhook. If the event was queued for this webhook before, it is sent again. */
  queueFor: (tx: Transaction, webhookId: string, event: QueuedEvent, now: string) =>
    tx.run(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, app_id, status, tries, due_at, queued_at, event_at,
         generation)
       SELECT id, CAST(? AS TEXT), CAST(? AS TEXT), 'waiting', 0, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT),
         generation
       FROM webhooks WHERE id = ?
       ${onceAgain}`,
      ...[event.id, event.appId, now, now, event.createdAt, webhookId],
    ),

  /**
   * Queues up to about `most` events, oldest first. Returns how many it queued, and the time of the last one.
   */
  async queueRange(
    tx: Transaction,
    { id, appId, events }: { readonly id: string; readonly appId: string; readonly events: string | null },
    {
      from,
      to,
      now,
      most,
    }: { readonly from: string; readonly to: string; readonly now: string; readonly most: number },
  ): Promise<{ readonly queued: number; readonly last: string | null }> {
    const chosen = await tx.all<{ at: string }>(
      `SELECT created_at AS at FROM events WHERE app_id = ? AND created_at >= ? AND created_at <= ?
         AND type <> 'webhook.test' AND (CAST(? AS TEXT) IS NULL OR CAST(? AS TEXT) LIKE '%,' || type || ',%')
       ORDER BY created_at, id LIMIT ?`,
      ...[appId, from, to, events, events, most],
    );
    const last = chosen.at(-1)?.at ?? null;
    if (last === null) return { queued: 0, last };
    // Queues all events of the last millisecond, so that the next request can begin with the next millisecond.
    const queued = await tx.run(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, app_id, status, tries, due_at, queued_at, event_at,
         generation)
       SELECT w.id, e.id, e.app_id, 'waiting', 0, CAST(? AS TEXT), CAST(? AS TEXT), e.created_at, w.generation
       FROM events e JOIN webhooks w ON w.id = ?
       WHERE e.app_id = ? AND e.created_at >= ? AND e.created_at <= ?
         AND e.type <> 'webhook.test' AND (CAST(? AS TEXT) IS NULL OR CAST(? AS TEXT) LIKE '%,' || e.type || ',%')
       ${onceAgain}`,
      ...[now, now, id, appId, from, last, events, events],
    );
    return { queued, last };
  },

  /**
   * Returns at most `most` webhooks that have due deliveries. Omits webhooks in `busy`. The longest waiting
   * webhook comes first.
   */
  dueTargets: (reader: Reader, now: string, busy: readonly string[], most: number) =>
    reader.all<{ id: string }>(
      `SELECT id FROM (
         SELECT w.id, (SELECT min(d.due_at) FROM webhook_deliveries d
           WHERE d.webhook_id = w.id AND d.status = 'waiting' AND d.generation = w.generation) AS first_due
         FROM webhooks w WHERE w.disabled_at IS NULL AND w.clearing = 0
           ${busy.length === 0 ? "" : `AND w.id NOT IN (${busy.map(() => "?").join(", ")})`}) AS waiting
       WHERE first_due <= ? ORDER BY first_due, id LIMIT ?`,
      ...[...busy, now, most],
    ),

  /** Reserves due deliveries of a webhook, so that no other server sends them. Returns none if the webhook is off. */
  claimDue: (tx: Transaction, webhookId: string, { now, until, most }: DeliveryClaim) =>
    tx.all<DueDelivery>(
      `UPDATE webhook_deliveries SET due_at = ?, tries = tries + 1
       WHERE webhook_id = ? AND status = 'waiting' AND due_at <= ? AND event_id IN (
         SELECT d.event_id FROM webhook_deliveries d
         JOIN webhooks w ON w.id = d.webhook_id AND w.generation = d.generation AND w.disabled_at IS NULL
         WHERE d.webhook_id = ? AND d.status = 'waiting' AND d.due_at <= ? ORDER BY d.due_at, d.event_id LIMIT ?)
       RETURNING event_id AS "eventId", tries, due_at AS "dueAt"`,
      ...[until, webhookId, now, webhookId, now, most],
    ),

  /** Returns the attempts of a delivery as JSON. No erasure can change them before the end of the transaction. */
  async attempts(tx: Transaction, webhookId: string, eventId: string): Promise<string | undefined> {
    const locking = tx.engine === "postgres" ? "FOR UPDATE" : "";
    const row = await tx.get<{ attempts: string }>(
      `SELECT attempts FROM webhook_deliveries WHERE webhook_id = ? AND event_id = ? ${locking}`,
      webhookId,
      eventId,
    );
    return row?.attempts;
  },

  /**
   * Stores the result of an attempt. If the delivery was queued again meanwhile, stores only `result.attempts`.
   */
  settle: (
    tx: Transaction,
    webhookId: string,
    { eventId, dueAt }: DueDelivery,
    result: { readonly status: DeliveryState; readonly dueAt: string; readonly attempts: string },
  ) =>
    tx.run(
      `UPDATE webhook_deliveries SET status = CASE WHEN due_at = ? THEN ? ELSE status END,
         due_at = CASE WHEN due_at = ? THEN ? ELSE due_at END, attempts = ?
       WHERE webhook_id = ? AND event_id = ? AND status = 'waiting'`,
      ...[dueAt, result.status, dueAt, result.dueAt, result.attempts, webhookId, eventId],
    ),

  /** Ends the reservation of a delivery that got no answer before the server stopped. The attempt does not count. */
  release: (tx: Transaction, webhookId: string, { eventId, dueAt }: DueDelivery, now: string) =>
    tx.run(
      `UPDATE webhook_deliveries SET due_at = ?, tries = tries - 1
       WHERE webhook_id = ? AND event_id = ? AND status = 'waiting' AND due_at = ?`,
      ...[now, webhookId, eventId, dueAt],
    ),

  /**
   * Cancels at most `most` waiting deliveries with a lower `generation`. Returns the number of cancelled
   * deliveries.
   */
  giveUp: (tx: Transaction, { id, generation }: Pick<ClearedWebhook, "id" | "generation">, most: number) =>
    tx.run(
      `UPDATE webhook_deliveries SET status = 'failed'
       WHERE webhook_id = ? AND status = 'waiting' AND event_id IN (
         SELECT event_id FROM webhook_deliveries
         WHERE webhook_id = ? AND status = 'waiting' AND generation < ? ORDER BY due_at LIMIT ?)`,
      ...[id, id, generation, most],
    ),

  /** Deletes deliveries of a webhook, at most `most`. Returns their number. */
  remove: (tx: Transaction, webhookId: string, most: number) =>
    tx.run(
      `DELETE FROM webhook_deliveries WHERE webhook_id = ? AND event_id IN (
         SELECT event_id FROM webhook_deliveries WHERE webhook_id = ? ORDER BY event_at, event_id LIMIT ?)`,
      ...[webhookId, webhookId, most],
    ),

  /** Returns when the next delivery is due. Ignores the webhooks in `busy`. */
  nextDue: (reader: Reader, busy: readonly string[]) =>
    reader.get<{ dueAt: string | null }>(
      `SELECT min((SELECT min(d.due_at) FROM webhook_deliveries d
         WHERE d.webhook_id = w.id AND d.status = 'waiting' AND d.generation = w.generation)) AS "dueAt"
       FROM webhooks w WHERE w.disabled_at IS NULL AND w.clearing = 0
         ${busy.length === 0 ? "" : `AND w.id NOT IN (${busy.map(() => "?").join(", ")})`}`,
      ...busy,
    ),

  find: (reader: Reader, webhookId: string, eventId: string) =>
    reader.get<DeliveryRow>(
      `SELECT ${deliveryColumns} FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
         JOIN webhooks w ON w.id = d.webhook_id
       WHERE d.webhook_id = ? AND d.event_id = ?`,
      webhookId,
      eventId,
    ),

  /** Returns the deliveries of a webhook before a position, newest first. */
  list: (
    reader: Reader,
    webhookId: string,
    page: {
      readonly status: DeliveryState | undefined;
      readonly position: readonly string[];
      readonly limit: number;
    },
  ) =>
    reader.all<DeliveryRow>(
      `SELECT ${deliveryColumns} FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
         JOIN webhooks w ON w.id = d.webhook_id
       WHERE d.webhook_id = ? ${page.status === undefined ? "" : "AND d.status = ?"}
         ${page.status === "waiting" ? "AND d.generation = w.generation" : ""}
         AND (d.event_at, d.event_id) < (?, ?)
       ORDER BY d.event_at DESC, d.event_id DESC LIMIT ?`,
      ...[webhookId, ...(page.status === undefined ? [] : [page.status]), ...page.position, page.limit],
    ),
};

/** The type of an event, or `webhook.test` for the test event of a webhook. */
export type StoredType = EventType | "webhook.test";

/** The content of an event: only ids and states, never texts that people or agents wrote. */
export type Facts = Readonly<Record<string, string | number | boolean | readonly string[] | null>>;

export interface NewEvent {
  readonly id: string;
  readonly appId: string;
  readonly type: StoredType;
  /** The id of the object that the event is about. */
  readonly subjectId: string;
  readonly facts: Facts;
  readonly createdAt: string;
}

export interface EventRow {
  readonly id: string;
  readonly appId: string;
  readonly type: string;
  readonly subjectId: string;
  /** The facts as JSON. */
  readonly facts: string;
  readonly createdAt: string;
}

/** An event with its position in the order of commits. */
export interface PlacedEvent extends EventRow {
  readonly number: string | number;
}

/** A position in the list of events. It is directly after the event with this number and id. */
export interface EventPosition {
  readonly number: string;
  readonly id: string;
}

/** Where a list of events begins: after a position, or at a time. */
export type EventStart = EventPosition | { readonly from: string };

const eventColumns = `id, app_id AS "appId", type, subject_id AS "subjectId", facts, created_at AS "createdAt"`;

/** The SQL for the number of a new event. `?` is the time in milliseconds. */
const newNumber: Record<Engine, string> = {
  // The number is at least the time `?`. So no number is used again after the newest events are deleted.
  sqlite: "max((SELECT coalesce(max(number), 0) + 1 FROM events), CAST(? AS BIGINT))",
  // The number is the transaction id.
  postgres: "CASE WHEN CAST(? AS BIGINT) IS NOT NULL THEN pg_current_xact_id() END",
};

/** The SQL condition for events with a final position. */
const isFinal: Record<Engine, string> = {
  sqlite: "number IS NOT NULL",
  // A transaction with a smaller number may still run. Its events must be listed first.
  postgres: "number < pg_snapshot_xmin(pg_current_snapshot())",
};

const numberShown: Record<Engine, string> = { sqlite: "number", postgres: "CAST(number AS text) AS number" };

const afterPosition: Record<Engine, string> = {
  sqlite: "(number, id) > (CAST(? AS BIGINT), ?)",
  postgres: "(number, id) > (CAST(? AS xid8), CAST(? AS text))",
};

function conditionOf(engine: Engine, start: EventStart): [string, ...Value[]] {
  if ("from" in start) return ["created_at >= ?", start.from];
  return [afterPosition[engine], start.number, start.id];
}

/** The events of apps. The transaction of a change also stores the event about this change. (rules A27, O25) */
export const events = {
  insert: (tx: Transaction, { id, appId, type, subjectId, facts, createdAt }: NewEvent) =>
    tx.run(
      `INSERT INTO events (id, app_id, type, subject_id, facts, created_at, number)
       VALUES (?, ?, ?, ?, ?, ?, ${newNumber[tx.engine]})`,
      ...[id, appId, type, subjectId, JSON.stringify(facts), createdAt, Date.parse(createdAt)],
    ),

  find: (reader: Reader, appId: string, id: string) =>
    reader.get<EventRow>(`SELECT ${eventColumns} FROM events WHERE app_id = ? AND id = ?`, appId, id),

  /** Whether an event about an object was stored at the time `since` or later. */
  exists: async (
    reader: Reader,
    {
      appId,
      type,
      subjectId,
      since,
    }: Omit<NewEvent, "id" | "facts" | "createdAt"> & { readonly since: string },
  ): Promise<boolean> =>
    (await reader.get(
      "SELECT 1 AS one FROM events WHERE app_id = ? AND created_at >= ? AND type = ? AND subject_id = ? LIMIT 1",
      ...[appId, since, type, subjectId],
    )) !== undefined,

  /** Returns the events of an app from `start` on, in the order of their commits. */
  list(reader: Reader, appId: string, start: EventStart, limit: number) {
    const { engine } = reader;
    const [condition, ...values] = conditionOf(engine, start);
    return reader.all<PlacedEvent>(
      `SELECT ${eventColumns}, ${numberShown[engine]} FROM events
       WHERE app_id = ? AND ${condition} AND ${isFinal[engine]} AND type <> 'webhook.test'
       ORDER BY events.number, id LIMIT ?`,
      ...[appId, ...values, limit],
    );
  },

  /** Returns the position after all existing events of an app. */
  async present(reader: Reader, appId: string): Promise<EventPosition> {
    const row = await reader.get<{ number: string | number }>(presentNumber[reader.engine], appId);
    return { number: String(row?.number ?? 0), id: reader.engine === "sqlite" ? lastId : "" };
  },

  /**
   * Returns a text that changes when events get new numbers. The server refuses positions with another
   * text.
   */
  async numbering(reader: Reader): Promise<string> {
    return (await reader.get<{ name: string }>("SELECT name FROM change_counts LIMIT 1"))?.name ?? "";
  },

  /**
   * Removes the numbers of all events after a restore. Otherwise the server would list sent events again.
   * (rule O25)
   */
  forgetNumbers: (tx: Transaction) => tx.run("UPDATE events SET number = NULL"),

  /** Deletes the oldest events of an app, at most `most`. Returns their number. */
  removeOfApp: (tx: Transaction, appId: string, most: number) =>
    tx.run(
      `DELETE FROM events WHERE id IN (
         SELECT id FROM events WHERE app_id = ? ORDER BY created_at, id LIMIT ?)`,
      ...[appId, most],
    ),

  /** Deletes events from before a time with their deliveries, at most `most`. Returns their number. */
  prune: (tx: Transaction, before: string, most: number) =>
    tx.run(
      `DELETE FROM events WHERE id IN (
         SELECT id FROM events WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
      before,
      most,
    ),
};

/** A text that is greater than every id. */
const lastId = "g";

const presentNumber: Record<Engine, string> = {
  sqlite: "SELECT coalesce(max(number), 0) AS number FROM events WHERE app_id = ?",
  postgres:
    "SELECT CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS number WHERE CAST(? AS text) IS NOT NULL",
};

/**
 * The SQL condition that app `a` has a webhook, a reading program, or a member who wants notices about reports.
 */
export const hasReceivers = `(a.events_read_at IS NOT NULL
  OR EXISTS (SELECT 1 FROM webhooks w WHERE w.app_id = a.id AND w.disabled_at IS NULL)
  OR EXISTS (SELECT 1 FROM notice_choices n WHERE n.app_id = a.id AND n.wants_reports = 1))`;

/** The programs that read the events of apps. If an app has such a program, its new reports become events. */
export const readers = {
  /** Stores the day on which a program reads an app's events. Returns whether no day was stored before. */
  note: async (tx: Transaction, appId: string, at: string): Promise<boolean> => {
    const first = await tx.run(
      "UPDATE apps SET events_read_at = ? WHERE id = ? AND events_read_at IS NULL",
      at,
      appId,
    );
    if (first > 0) return true;
    await tx.run("UPDATE apps SET events_read_at = ? WHERE id = ?", at, appId);
    return false;
  },

  /** Whether at least one receiver gets the events of an app. */
  hasReceivers: async (reader: Reader, appId: string): Promise<boolean> =>
    (await reader.get(`SELECT 1 AS one FROM apps a WHERE a.id = ? AND ${hasReceivers}`, appId)) !== undefined,

  /** Returns the day on which a program last read the events of an app. */
  lastAt: async (reader: Reader, appId: string): Promise<string | null> =>
    (await reader.get<{ at: string | null }>(`SELECT events_read_at AS "at" FROM apps WHERE id = ?`, appId))
      ?.at ?? null,

  /**
   * Deletes the day of the last reading for apps whose events nobody has read since `before`. Returns these
   * apps.
   */
  forget: (tx: Transaction, before: string) =>
    tx.all<{ id: string }>(
      "UPDATE apps SET events_read_at = NULL WHERE events_read_at < ? RETURNING id",
      before,
    ),
};
