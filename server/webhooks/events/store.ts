import type { EventType } from "../../../src/contract/events.ts";
import type { Engine, Reader, Transaction, Value } from "../../database/database.ts";

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

const columns = `id, app_id AS "appId", type, subject_id AS "subjectId", facts, created_at AS "createdAt"`;

/**
 * The SQL expression for the number of a new event. `?` is the time in milliseconds. SQLite has one writer, so the
 * numbers increase in the order of commits. They depend on the time, so that no number is used again after the newest
 * events were deleted. On PostgreSQL the number is the id of the transaction.
 */
const newNumber: Record<Engine, string> = {
  sqlite: "max((SELECT coalesce(max(number), 0) + 1 FROM events), CAST(? AS BIGINT))",
  postgres: "CASE WHEN CAST(? AS BIGINT) IS NOT NULL THEN pg_current_xact_id() END",
};

/**
 * The SQL condition for events whose position is final. On PostgreSQL a transaction with a smaller number may still be
 * running. A reader must not miss the events of that transaction, so later events are listed only after it has ended.
 */
const isFinal: Record<Engine, string> = {
  sqlite: "number IS NOT NULL",
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

/** The events of apps. Each is stored in the transaction of its change. (rules A27, O25) */
export const events = {
  insert: (tx: Transaction, { id, appId, type, subjectId, facts, createdAt }: NewEvent) =>
    tx.run(
      `INSERT INTO events (id, app_id, type, subject_id, facts, created_at, number)
       VALUES (?, ?, ?, ?, ?, ?, ${newNumber[tx.engine]})`,
      ...[id, appId, type, subjectId, JSON.stringify(facts), createdAt, Date.parse(createdAt)],
    ),

  find: (reader: Reader, appId: string, id: string) =>
    reader.get<EventRow>(`SELECT ${columns} FROM events WHERE app_id = ? AND id = ?`, appId, id),

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
      `SELECT ${columns}, ${numberShown[engine]} FROM events
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
   * Returns a text that changes when the events of this database get new numbers. Each position in a list of events
   * contains this text, so a position from before a restore is not accepted.
   */
  async numbering(reader: Reader): Promise<string> {
    return (await reader.get<{ name: string }>("SELECT name FROM change_counts LIMIT 1"))?.name ?? "";
  },

  /**
   * Removes the numbers of all events, because these numbers belong to another database. So a restored server does not
   * list events again that were already sent. (rule O25)
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
 * The SQL condition that at least one receiver uses the events of an app `a`. A receiver is a webhook, a
 * program that reads events, or a member who wants notices about reports.
 */
export const hasReceivers = `(a.events_read_at IS NOT NULL
  OR EXISTS (SELECT 1 FROM webhooks w WHERE w.app_id = a.id AND w.disabled_at IS NULL)
  OR EXISTS (SELECT 1 FROM notice_choices n WHERE n.app_id = a.id AND n.wants_reports = 1))`;

/**
 * The programs that read the events of apps. If an app has such a program, reports of feedback are stored as events,
 * too.
 */
export const readers = {
  /**
   * Records the day on which a program reads the events of an app. Returns true if no such day was recorded
   * before.
   */
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
   * Finds the apps whose events no program has read since the time `before`. Stores that no program reads their events,
   * and returns these apps.
   */
  forget: (tx: Transaction, before: string) =>
    tx.all<{ id: string }>(
      "UPDATE apps SET events_read_at = NULL WHERE events_read_at < ? RETURNING id",
      before,
    ),
};
