import { apps } from "../../access/apps/store.ts";
import type { Engine, Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";
import { mailType, type NewUpload } from "../../files/uploads-store.ts";
import { picturesIn } from "./rules.ts";

/** The condition for uploads that are pictures of FAQ entries and release notes. */
const ofContent = `feedback_id IS NULL AND proof_id IS NULL AND media_type <> '${mailType}'`;

/**
 * The columns with the present texts of FAQ entries and release notes. `of` is the column of `content_versions` with
 * the id of the entry or note to which an earlier text belongs.
 */
const sources = [
  { table: "faqs", of: "faq_id", columns: ["answer", "draft", "translations"] },
  { table: "changelog_entries", of: "entry_id", columns: ["body", "items", "draft", "translations"] },
] as const;

/** How many entries one query reads. */
const entriesAtOnce = 20;

/**
 * The SQL function that returns the position of a text in another text, or 0. It searches a long text faster than LIKE.
 */
const placeIn: Record<Engine, string> = { sqlite: "instr", postgres: "strpos" };

/** The pictures that the texts of an app show. */
export interface ShownPictures {
  readonly names: ReadonlySet<string>;
  /** The ids of the earlier texts that were read. An earlier text gets no new pictures. */
  readonly versions: ReadonlySet<string>;
}

/** The pictures of FAQ entries and release notes. They are uploads that belong to no report and no proof. */
export const pictures = {
  insert: (tx: Transaction, picture: NewUpload) => tx.insert(tables.uploads, picture),

  /** Returns the apps with pictures that were added before a time. */
  appsWithOld: (reader: Reader, before: string) =>
    reader.all<{ appId: string }>(
      `SELECT DISTINCT app_id AS "appId" FROM uploads WHERE ${ofContent} AND created_at < ? ORDER BY app_id`,
      before,
    ),

  /** Returns pictures of an app that were added before a time. `after` is the last name on the previous page. */
  listOld: (
    reader: Reader,
    appId: string,
    { before, after, most }: { readonly before: string; readonly after: string; readonly most: number },
  ) =>
    reader.all<{ name: string }>(
      `SELECT name FROM uploads
       WHERE ${ofContent} AND app_id = ? AND created_at < ? AND name > ? ORDER BY name LIMIT ?`,
      ...[appId, before, after, most],
    ),

  /**
   * Returns the pictures that the texts of an app show. Reads the texts in small parts. Texts that are saved in the
   * meantime may be missing, but `removeUnused` reads them.
   */
  async shown(reader: Reader, appId: string): Promise<ShownPictures> {
    const names = new Set<string>();
    const read = new Set<string>();
    const add = (texts: readonly (string | null)[]) => {
      for (const name of picturesIn(texts.filter((text) => text !== null))) names.add(name);
    };
    for (const { table, of, columns } of sources) {
      for (let after: string | undefined = ""; after !== undefined; ) {
        const from: string = after;
        const found = await reader.all<{ id: string } & Record<string, string | null>>(
          `SELECT id, ${columns.join(", ")} FROM ${table} WHERE app_id = ? AND id > ? ORDER BY id LIMIT ?`,
          ...[appId, from, entriesAtOnce],
        );
        for (const { id, ...texts } of found) {
          add(Object.values(texts));
          const versions = await reader.all<{ id: string; content: string | null }>(
            `SELECT id, CASE WHEN ${placeIn[reader.engine]}(content, '/uploads/') > 0 THEN content END AS content
             FROM content_versions WHERE ${of} = ?`,
            id,
          );
          add(versions.map(({ content }) => content));
          for (const version of versions) read.add(version.id);
        }
        after = found.length < entriesAtOnce ? undefined : found.at(-1)?.id;
      }
    }
    return { names, versions: read };
  },

  /**
   * Deletes those of the given pictures that no text of the app shows. Call it with only a few pictures. Returns the
   * hashes of the deleted files. `shown` says which rows of `content_versions` were already read, so that only the rows
   * that were added since then are read. The lock of the app waits for texts that are being saved. (rule C27)
   */
  async removeUnused(
    tx: Transaction,
    appId: string,
    { names, shown }: { readonly names: readonly string[]; readonly shown: ShownPictures },
  ): Promise<string[]> {
    const wanted = names.filter((name) => !shown.names.has(name));
    if (wanted.length === 0) return [];
    await apps.lock(tx, appId);
    const texts: (string | null)[] = [];
    for (const { table, columns } of sources)
      for (const column of columns)
        for (const name of wanted) {
          const row = await tx.get<{ text: string | null }>(
            `SELECT ${column} AS text FROM ${table} WHERE app_id = ? AND ${placeIn[tx.engine]}(${column}, ?) > 0 LIMIT 1`,
            appId,
            name,
          );
          texts.push(row?.text ?? null);
        }
    const versions = await tx.all<{ id: string }>("SELECT id FROM content_versions WHERE app_id = ?", appId);
    for (const { id } of versions.filter((version) => !shown.versions.has(version.id))) {
      const row = await tx.get<{ content: string }>("SELECT content FROM content_versions WHERE id = ?", id);
      texts.push(row?.content ?? null);
    }
    const unused = wanted.filter((name) => !texts.some((text) => text?.includes(name)));
    if (unused.length === 0) return [];
    const hashes: string[] = [];
    for (const name of unused) {
      const removed = await tx.all<{ sha256: string }>(
        `DELETE FROM uploads WHERE app_id = ? AND name = ? AND ${ofContent} RETURNING sha256`,
        appId,
        name,
      );
      hashes.push(...removed.map(({ sha256 }) => sha256));
    }
    return hashes;
  },

  /** Deletes all pictures of an app. Returns the hashes of their files. The caller must lock the app first. */
  async removeOfApp(tx: Transaction, appId: string): Promise<string[]> {
    const removed = await tx.all<{ sha256: string }>(
      `DELETE FROM uploads WHERE app_id = ? AND ${ofContent} RETURNING sha256`,
      appId,
    );
    return removed.map(({ sha256 }) => sha256);
  },
};
