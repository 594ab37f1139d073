import type { Tag, ThreadTag } from "../../../src/contract/tags.ts";
import { oneForViewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";
import { insert, listed, select, update } from "../../database/transaction.ts";
import { tagKeyOf } from "./rules.ts";

export interface NewTag {
  readonly id: string;
  readonly appId: string;
  readonly name: string;
  readonly colour: string | null;
  readonly createdAt: string;
}

const fields = ["id", "name", "colour", "threads"] as const;

const listOf = select(tables.tags, fields, "WHERE app_id = ? ORDER BY name_key");

const findTag = oneForViewer<Tag & { readonly appId: string }>({
  columns: listed(tables.tags, [...fields, "appId"], "t"),
  from: "FROM tags t",
  app: "t.app_id",
  where: "t.id = ?",
});

const insertTag = insert(tables.tags, "ON CONFLICT (app_id, name_key) DO NOTHING");

const updateTag = update(
  tables.tags,
  `WHERE id = ? AND NOT EXISTS (
     SELECT 1 FROM tags o WHERE o.app_id = ? AND o.name_key = ? AND o.id <> ?)`,
);

/** Queries for the tags of apps. (rule F30) */
export const tags = {
  /** Returns the tags of an app, sorted by name. */
  list: (reader: Reader, appId: string): Promise<Tag[]> => reader.all(listOf, appId),

  find: findTag,

  async count(reader: Reader, appId: string): Promise<number> {
    const row = await reader.get<{ count: number }>(
      "SELECT count(*) AS count FROM tags WHERE app_id = ?",
      appId,
    );
    return Number(row?.count ?? 0);
  },

  /** Stores a new tag. Returns false if the app already has a tag with that name. */
  insert: (tx: Transaction, tag: NewTag) => insertTag(tx, { ...tag, nameKey: tagKeyOf(tag.name) }),

  /** Changes a tag. Returns false if the app has another tag with the new name. */
  async update(
    tx: Transaction,
    { id, appId }: Pick<NewTag, "id" | "appId">,
    { name, colour }: { readonly name?: string | undefined; readonly colour?: string | null | undefined },
  ): Promise<boolean> {
    if (name === undefined && colour === undefined) return true;
    const nameKey = name === undefined ? undefined : tagKeyOf(name);
    return (await updateTag(tx, { name, nameKey, colour }, id, appId, nameKey ?? tagKeyOf(""), id)) > 0;
  },

  remove: (tx: Transaction, id: string) => tx.run("DELETE FROM tags WHERE id = ?", id),

  /** Counts the threads of all tags again, because imported counts may be wrong. */
  countAgain: (tx: Transaction) =>
    tx.run("UPDATE tags SET threads = (SELECT count(*) FROM thread_tags x WHERE x.tag_id = tags.id)"),

  /** Removes a tag from at most `most` of its threads. Returns the number of these threads. */
  removeFromSome: (tx: Transaction, id: string, most: number) =>
    tx.run(
      `DELETE FROM thread_tags WHERE tag_id = ? AND feedback_id IN (
         SELECT feedback_id FROM thread_tags WHERE tag_id = ? LIMIT ?)`,
      ...[id, id, most],
    ),

  /** Replaces the tag `from` by `into` in the stored data that undoes merges and bulk changes. (rules F45, F46) */
  async renameInUndo(
    tx: Transaction,
    { appId, from, into }: { readonly appId: string; readonly from: string; readonly into: string },
  ): Promise<void> {
    await tx.run(
      `UPDATE thread_merges SET tags = replace(tags, ?, ?), reopened = replace(reopened, ?, ?)
       WHERE app_id = ? AND (tags LIKE ? OR reopened LIKE ?)`,
      ...[from, into, from, into, appId, `%${from}%`, `%${from}%`],
    );
    await tx.run(
      `UPDATE bulk_threads SET before = replace(before, ?, ?), after = replace(after, ?, ?)
       WHERE change_id IN (SELECT id FROM bulk_changes WHERE app_id = ?) AND (before LIKE ? OR after LIKE ?)`,
      ...[from, into, from, into, appId, `%${from}%`, `%${from}%`],
    );
  },

  /** Replaces the tag `from` by the tag `into` on at most `most` threads. Returns the number of these threads. */
  async moveSome(
    tx: Transaction,
    { from, into }: { readonly from: string; readonly into: string },
    most: number,
  ): Promise<number> {
    const moved = await tx.all<{ id: string }>(
      `DELETE FROM thread_tags WHERE tag_id = ? AND feedback_id IN (
         SELECT feedback_id FROM thread_tags WHERE tag_id = ? LIMIT ?) RETURNING feedback_id AS id`,
      ...[from, from, most],
    );
    if (moved.length === 0) return 0;
    await tx.run(
      `INSERT INTO thread_tags (feedback_id, tag_id, created_at, active_at, status, assignee_id)
       SELECT f.id, CAST(? AS TEXT), f.created_at, coalesce(f.active_at, f.created_at), f.status, f.assignee_id FROM feedback f
       WHERE f.id IN (${moved.map(() => "?").join(", ")})
       ON CONFLICT (feedback_id, tag_id) DO NOTHING`,
      into,
      ...moved.map(({ id }) => id),
    );
    return moved.length;
  },
};

interface Tagged extends ThreadTag {
  readonly feedbackId: string;
}

/** Queries for the tags of threads. */
export const threadTags = {
  /** Returns the tags of these threads by the id of the thread, sorted by name. */
  async of(reader: Reader, threadIds: readonly string[]): Promise<ReadonlyMap<string, ThreadTag[]>> {
    const found = new Map<string, ThreadTag[]>(threadIds.map((id) => [id, []]));
    if (threadIds.length === 0) return found;
    const rows = await reader.all<Tagged>(
      `SELECT x.feedback_id AS "feedbackId", t.id, t.name, t.colour FROM thread_tags x JOIN tags t ON t.id = x.tag_id
       WHERE x.feedback_id IN (${threadIds.map(() => "?").join(", ")}) ORDER BY t.name_key`,
      ...threadIds,
    );
    for (const { feedbackId, ...tag } of rows) found.get(feedbackId)?.push(tag);
    return found;
  },

  async count(reader: Reader, feedbackId: string): Promise<number> {
    const sql = "SELECT count(*) AS count FROM thread_tags WHERE feedback_id = ?";
    return Number((await reader.get<{ count: number }>(sql, feedbackId))?.count ?? 0);
  },

  /** Adds a tag to a thread. The app must already have this tag. */
  add: (tx: Transaction, feedbackId: string, name: string) =>
    tx.run(
      `INSERT INTO thread_tags (feedback_id, tag_id, created_at, active_at, status, assignee_id)
       SELECT f.id, t.id, f.created_at, coalesce(f.active_at, f.created_at), f.status, f.assignee_id
       FROM feedback f JOIN tags t ON t.app_id = f.app_id WHERE f.id = ? AND t.name_key = ?
       ON CONFLICT (feedback_id, tag_id) DO NOTHING`,
      feedbackId,
      tagKeyOf(name),
    ),

  remove: (tx: Transaction, feedbackId: string, name: string) =>
    tx.run(
      `DELETE FROM thread_tags WHERE feedback_id = ? AND tag_id IN (SELECT t.id FROM tags t
         JOIN feedback f ON f.app_id = t.app_id WHERE f.id = ? AND t.name_key = ?)`,
      ...[feedbackId, feedbackId, tagKeyOf(name)],
    ),

  /** Returns the keys for which none of the apps has a tag. */
  async missingOf(
    reader: Reader,
    appIds: readonly string[],
    keys: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (keys.length === 0) return new Set();
    const places = (values: readonly string[]) => values.map(() => "?").join(", ");
    const rows = await reader.all<{ key: string }>(
      `SELECT t.name_key AS key FROM tags t WHERE t.app_id IN (${places(appIds)}) AND t.name_key IN (${places(keys)})`,
      ...[...appIds, ...keys],
    );
    const there = new Set(rows.map(({ key }) => key));
    return new Set(keys.filter((key) => !there.has(key)));
  },

  /** Returns the ids of the tags with these names, the rarest first. Returns undefined if a tag does not exist. */
  async rarestFirst(
    reader: Reader,
    appId: string,
    names: readonly string[],
  ): Promise<readonly string[] | undefined> {
    const keys = [...new Set(names.map(tagKeyOf))];
    const rows = await reader.all<{ id: string }>(
      `SELECT t.id FROM tags t WHERE t.app_id = ? AND t.name_key IN (${keys.map(() => "?").join(", ")})
       ORDER BY t.threads, t.id`,
      appId,
      ...keys,
    );
    return rows.length === keys.length ? rows.map(({ id }) => id) : undefined;
  },
};
