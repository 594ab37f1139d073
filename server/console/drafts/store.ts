import type { Inserter, Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import type { Row } from "../../database/schema/table.ts";
import { listed, select } from "../../database/transaction.ts";
import type { ObjectKind } from "../forms.tsx";

/** The unsent text of one field on one opened page. */
export type DraftRow = Omit<Row<typeof tables.drafts>, "userId">;

/** The values that identify the drafts of one person in one form on one opened page. */
export interface DraftOwner {
  readonly userId: string;
  readonly form: string;
  readonly writer: string;
}

/** The name of an object and, for a thread, also its number. */
export interface NamedObject {
  readonly id: string;
  readonly number: number | null;
  /** The name of the object. For a thread that was merged into another thread, the subject of the other thread. */
  readonly name: string;
  /** The thread into which a thread was merged; null if it was not merged. */
  readonly intoId: string | null;
  readonly intoNumber: number | null;
}

/** The sender of a report. */
export interface NamedSender {
  /** The id of the report. */
  readonly id: string;
  readonly name: string | null;
  readonly email: string | null;
}

const notMerged = `NULL AS "intoId", NULL AS "intoNumber"`;

/** The query for the names of objects of each kind. `o` is the object, `m` a member of its app. */
const objects: Readonly<Record<ObjectKind, string>> = {
  thread: `SELECT o.id, o.number, t.subject AS name, o.merged_into AS "intoId",
      CASE WHEN o.merged_into IS NOT NULL THEN t.number END AS "intoNumber"
    FROM feedback o JOIN feedback t ON t.id = coalesce(o.merged_into, o.id) AND t.app_id = o.app_id
    JOIN app_members m ON m.app_id = o.app_id WHERE t.status <> 'blocked'`,
  faq: `SELECT o.id, NULL AS number, o.question AS name, ${notMerged}
    FROM faqs o JOIN app_members m ON m.app_id = o.app_id WHERE 1 = 1`,
  note: `SELECT o.id, NULL AS number, o.version || ' ' || o.title AS name, ${notMerged}
    FROM changelog_entries o JOIN app_members m ON m.app_id = o.app_id WHERE 1 = 1`,
  cycle: `SELECT o.id, NULL AS number, l.app_name AS name, ${notMerged} FROM cycles o
    JOIN listings l ON l.id = o.listing_id JOIN app_members m ON m.app_id = l.app_id WHERE 1 = 1`,
  listing: `SELECT o.id, NULL AS number, o.app_name AS name, ${notMerged}
    FROM listings o JOIN app_members m ON m.app_id = o.app_id WHERE 1 = 1`,
};

/** A row with this `field` marks a form on an opened page as ended. A late save stores nothing. */
const ended = "";

const fields = ["id", "page", "form", "field", "writer", "content", "updatedAt"] as const;
const columns = listed(tables.drafts, fields);
const draftsOf = select(
  tables.drafts,
  fields,
  `WHERE user_id = ? AND field <> '${ended}' ORDER BY updated_at DESC, id DESC`,
);

/** Texts that were typed but not sent. Only the person who typed a text can read it. (rule O17) */
export const drafts = {
  /** Returns all drafts of a person, newest first. */
  list: (reader: Reader, userId: string) => reader.all(draftsOf, userId),

  /** Returns the drafts that were typed on a page or in one of these forms, newest first. */
  async listOfPage(
    reader: Reader,
    userId: string,
    { page, forms }: { page: string; forms: readonly string[] },
  ) {
    const places = forms.map(() => "?").join(", ");
    return reader.all<DraftRow>(
      `SELECT ${columns} FROM drafts WHERE user_id = ? AND field <> '${ended}' AND (page = ?${places && ` OR form IN (${places})`})
       ORDER BY updated_at DESC, id DESC`,
      userId,
      page,
      ...forms,
    );
  },

  /** Returns the names of the objects. Leaves out objects that the person may not read. */
  async named(
    reader: Reader,
    userId: string,
    { kind, ids }: { readonly kind: ObjectKind; readonly ids: readonly string[] },
  ): Promise<NamedObject[]> {
    if (ids.length === 0) return [];
    const places = ids.map(() => "?").join(", ");
    return reader.all<NamedObject>(
      `${objects[kind]} AND m.user_id = ? AND o.id IN (${places})`,
      ...[userId, ...ids],
    );
  },

  /** Returns the ids of the given apps of which the person is a member. */
  async appsOf(reader: Reader, userId: string, appIds: readonly string[]): Promise<string[]> {
    if (appIds.length === 0) return [];
    const rows = await reader.all<{ appId: string }>(
      `SELECT app_id AS "appId" FROM app_members WHERE user_id = ? AND app_id IN (${appIds.map(() => "?").join(", ")})`,
      ...[userId, ...appIds],
    );
    return rows.map(({ appId }) => appId);
  },

  /** Returns the senders of these reports. Leaves out hidden reports, and those that the person may not read. */
  async senders(reader: Reader, userId: string, ids: readonly string[]): Promise<NamedSender[]> {
    if (ids.length === 0) return [];
    const places = ids.map(() => "?").join(", ");
    return reader.all<NamedSender>(
      `SELECT f.id, f.sender_name AS name, f.sender_email AS email
       FROM feedback f JOIN app_members m ON m.app_id = f.app_id
       WHERE m.user_id = ? AND f.status <> 'blocked' AND f.merged_into IS NULL AND f.id IN (${places})
       UNION ALL SELECT r.id, r.sender_name AS name, r.sender_email AS email
       FROM messages r JOIN feedback f ON f.id = r.feedback_id JOIN app_members m ON m.app_id = f.app_id
       WHERE m.user_id = ? AND f.status <> 'blocked' AND r.category IS NOT NULL AND r.direction <> 'blocked'
         AND r.id IN (${places})`,
      ...[userId, ...ids],
      ...[userId, ...ids],
    );
  },

  insert: (tx: Inserter, userId: string, row: DraftRow) => tx.insert(tables.drafts, { ...row, userId }),

  /** Removes the drafts of one form on one opened page. */
  removeOfWriter: (tx: Transaction, { userId, form, writer }: DraftOwner) =>
    tx.run("DELETE FROM drafts WHERE user_id = ? AND form = ? AND writer = ?", userId, form, writer),

  /** Removes the drafts of one form on one opened page, and marks this form as ended. */
  async endWriter(tx: Transaction, owner: DraftOwner, row: Omit<DraftRow, "form" | "field" | "writer">) {
    const { userId, form, writer } = owner;
    await drafts.removeOfWriter(tx, owner);
    await drafts.insert(tx, userId, { ...row, form, field: ended, writer });
  },

  /** Returns the drafts that one open page of a browser (`writer`) stored for one form. */
  ofWriter: (reader: Reader, { userId, form, writer }: DraftOwner) =>
    reader.all<DraftRow>(
      `SELECT ${columns} FROM drafts WHERE user_id = ? AND form = ? AND writer = ? AND field <> '${ended}'`,
      ...[userId, form, writer],
    ),

  /**
   * Returns the content of the row that marks a form on an opened page as ended; undefined without such a row.
   */
  markOf: async (reader: Reader, { userId, form, writer }: DraftOwner): Promise<string | undefined> =>
    (
      await reader.get<{ content: string }>(
        `SELECT content FROM drafts WHERE user_id = ? AND form = ? AND writer = ? AND field = '${ended}'`,
        ...[userId, form, writer],
      )
    )?.content,

  /** Removes a draft. Returns false if the person has no such draft. */
  remove: async (tx: Transaction, userId: string, id: string): Promise<boolean> =>
    (await tx.run("DELETE FROM drafts WHERE user_id = ? AND id = ?", userId, id)) === 1,

  /**
   * Removes the oldest drafts above `count` rows or `length` characters. Rows that mark a form as ended count
   * separately.
   */
  trim: (
    tx: Transaction,
    userId: string,
    { count, length }: { readonly count: number; readonly length: number },
  ) =>
    tx.run(
      `DELETE FROM drafts WHERE id IN (SELECT id FROM (
         SELECT id, ROW_NUMBER() OVER (PARTITION BY field = '${ended}' ORDER BY updated_at DESC, id DESC) AS place,
                SUM(LENGTH(content)) OVER (PARTITION BY field = '${ended}' ORDER BY updated_at DESC, id DESC) AS total
         FROM drafts WHERE user_id = ?) AS kept WHERE place > ? OR total > ?)`,
      userId,
      count,
      length,
    ),

  /** Removes at most `most` drafts that were last changed before the time `before`. Returns their number. */
  prune: (tx: Transaction, before: string, most: number) =>
    tx.run(
      "DELETE FROM drafts WHERE id IN (SELECT id FROM drafts WHERE updated_at < ? LIMIT ?)",
      before,
      most,
    ),
};
