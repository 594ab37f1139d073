import { hash } from "node:crypto";
import { limits } from "../../../src/contract/limits.ts";
import { apps } from "../../access/apps/store.ts";
import { emailOf, nameOf } from "../../access/members/authors.ts";
import type { Engine, Reader, Transaction } from "../../database/database.ts";
import * as contentTables from "../../database/schema/content.ts";
import * as feedbackTables from "../../database/schema/feedback.ts";
import { mailType, type NewUpload } from "../../files/store.ts";
import { type Content, picturesIn, storedContent } from "./rules.ts";

/** The SQL condition that selects, among all uploads, the pictures for FAQ entries and release notes. */
const ofContent = `feedback_id IS NULL AND proof_id IS NULL AND media_type <> '${mailType}'`;

/**
 * The columns with texts that can contain pictures. `of` is the column of `content_versions` with the id of the entry.
 */
const sources = [
  { table: "faqs", of: "faq_id", columns: ["answer", "draft", "translations"] },
  { table: "changelog_entries", of: "entry_id", columns: ["body", "items", "draft", "translations"] },
] as const;

const entriesAtOnce = 20;

/** The SQL function that finds a text in another text. For long texts, this function is faster than LIKE. */
const placeIn: Record<Engine, string> = { sqlite: "instr", postgres: "strpos" };

/** The pictures that the texts of an app show. */
export interface ShownPictures {
  readonly names: ReadonlySet<string>;
  /** The ids of the earlier texts that were read. Earlier texts never change, so they need not be read again. */
  readonly versions: ReadonlySet<string>;
}

/** Queries for the pictures in FAQ entries and release notes. */
export const pictures = {
  insert: (tx: Transaction, picture: NewUpload) => tx.insert(feedbackTables.uploads, picture),

  /** Returns the apps that have pictures from before the given time. */
  appsWithOld: (reader: Reader, before: string) =>
    reader.all<{ appId: string }>(
      `SELECT DISTINCT app_id AS "appId" FROM uploads WHERE ${ofContent} AND created_at < ? ORDER BY app_id`,
      before,
    ),

  /** Returns a page of an app's pictures from before a time. `after` is the last name on the previous page. */
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
   * Returns the pictures in the texts of an app. `removeUnused` later checks texts that were saved after this
   * call.
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
   * Deletes the pictures in `names` that no text shows. Returns their files' hashes. Each name needs several
   * queries. (rule C27)
   */
  async removeUnused(
    tx: Transaction,
    appId: string,
    { names, shown }: { readonly names: readonly string[]; readonly shown: ShownPictures },
  ): Promise<string[]> {
    const wanted = names.filter((name) => !shown.names.has(name));
    if (wanted.length === 0) return [];
    // No text may be saved at the same time.
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

  /** Deletes all pictures of an app. Returns the hashes of the deleted files. The caller must lock the app first. */
  async removeOfApp(tx: Transaction, appId: string): Promise<string[]> {
    const removed = await tx.all<{ sha256: string }>(
      `DELETE FROM uploads WHERE app_id = ? AND ${ofContent} RETURNING sha256`,
      appId,
    );
    return removed.map(({ sha256 }) => sha256);
  },
};

/** The FAQ entry or the release note to which an earlier text belongs. */
type VersionOf = { readonly faqId: string } | { readonly entryId: string };

interface VersionRow {
  readonly id: string;
  readonly content: string;
  readonly at: string;
  /** The mail address of the account that wrote the text; null if it is not known. */
  readonly by: string | null;
  readonly byName: string | null;
}

const columnOf = (of: VersionOf): "faq_id" | "entry_id" => ("faqId" in of ? "faq_id" : "entry_id");

const idOf = (of: VersionOf): string => ("faqId" in of ? of.faqId : of.entryId);

const columns = `v.id, v.content, v.at, ${emailOf("v.written_by")} AS by,
  ${nameOf("v.written_by", "v.app_id")} AS "byName"`;

/** Queries for the history of FAQ entries and release notes. */
export const versions = {
  /** Adds a text to the history. If the history is longer than its limit, deletes the oldest texts. (rule C31) */
  async keep(
    tx: Transaction,
    of: VersionOf,
    version: {
      readonly id: string;
      readonly appId: string;
      readonly content: string;
      readonly at: string;
      readonly writtenBy: string | null;
    },
  ): Promise<void> {
    await tx.insert(contentTables.contentVersions, { ...version, ...of });
    const column = columnOf(of);
    await tx.run(
      `DELETE FROM content_versions WHERE ${column} = ? AND id NOT IN (
         SELECT id FROM content_versions WHERE ${column} = ? ORDER BY id DESC LIMIT ${limits.contentVersions})`,
      idOf(of),
      idOf(of),
    );
  },

  /** Returns the earlier texts, newest first. */
  list: (reader: Reader, of: VersionOf): Promise<VersionRow[]> =>
    reader.all<VersionRow>(
      `SELECT ${columns} FROM content_versions v WHERE v.${columnOf(of)} = ? ORDER BY v.id DESC`,
      idOf(of),
    ),

  find: (reader: Reader, of: VersionOf, id: string): Promise<VersionRow | undefined> =>
    reader.get<VersionRow>(
      `SELECT ${columns} FROM content_versions v WHERE v.${columnOf(of)} = ? AND v.id = ?`,
      idOf(of),
      id,
    ),
};

/**
 * The maximum length in bytes of translations in a query for titles. Longer translations would make the query
 * slow.
 */
const mostBytes = 65_536;

/**
 * Returns SQL that lists one field of all translations as JSON. Lists nothing if all translations together
 * exceed `mostBytes`.
 */
export const fieldOfTranslations = (engine: Engine, row: string, field: string): string => {
  const stored = `CASE WHEN octet_length(${row}.translations) <= ${mostBytes} THEN ${row}.translations END`;
  if (engine === "sqlite")
    return `(SELECT json_group_array(t.value ->> '${field}') FROM json_each(${stored}) AS t)`;
  return `(SELECT CAST(json_agg(t.value ->> '${field}') AS text) FROM json_each(CAST(${stored} AS json)) AS t)`;
};

/** Returns an item for the FROM clause: one row `t` for each translation. `t.key` is the language. */
export const eachTranslation = (engine: Engine, row: string): string =>
  engine === "sqlite"
    ? `json_each(${row}.translations) AS t`
    : `json_object_keys(CAST(${row}.translations AS json)) AS t(key)`;

/** Returns a short hash of a default text. A translation stores the hash of its original text. */
export const baseOf = (content: Content): string => hash("sha256", storedContent(content)).slice(0, 16);
