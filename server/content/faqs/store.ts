import type { Faq, ListedFaq } from "../../../src/contract/faqs.ts";
import { limits } from "../../../src/contract/limits.ts";
import { apps } from "../../access/apps/store.ts";
import { oneForViewer, type Viewer } from "../../access/members/visibility.ts";
import type { Engine, Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/content.ts";
import type { Row } from "../../database/schema/table.ts";
import { select, update } from "../../database/transaction.ts";
import { eachTranslation, fieldOfTranslations } from "../texts/store.ts";
import type { FaqSize } from "./rules.ts";

const fields = ["id", "question", "answer", "sortOrder"] as const;

// Apps show the FAQ in this order. (rule C1)
const listOf = select(
  tables.faqs,
  [...fields, "createdAt", "updatedAt", "pushedHash", "pushedSortOrder", "translations"],
  "WHERE app_id = ? AND unpublished = 0 ORDER BY sort_order, created_at, id",
);
const oneOf = select(tables.faqs, fields, "WHERE app_id = ? AND id = ? AND unpublished = 0");

const storedFields = [
  ...[...fields, "createdAt", "updatedAt", "updatedBy", "textAt", "unpublished"],
  ...["draft", "draftBase", "draftAt", "translations"],
] as const;

/** A published entry. `translations` is JSON. */
export type ListedFaqRow = Omit<ListedFaq, "translations"> & { readonly translations: string | null };
const storedOne = select(tables.faqs, storedFields, "WHERE app_id = ? AND id = ?");
const storedDrafts = select(
  tables.faqs,
  storedFields,
  "WHERE app_id = ? AND draft IS NOT NULL ORDER BY draft_at DESC, id DESC",
);

/** An entry and its draft, published or not. */
export type StoredFaq = Pick<Row<typeof tables.faqs>, (typeof storedFields)[number]>;

/** The question of an entry. `translated` is a JSON list of the question in other languages. */
export type FaqQuestion = Pick<Row<typeof tables.faqs>, "appId" | "id" | "question"> & {
  readonly translated: string | null;
};

/**
 * SQL for the bytes of translations and draft. Omits an unpublished entry's draft, because `question` and
 * `answer` contain this draft.
 */
const otherBytes = `coalesce(octet_length(translations), 0)
  + CASE WHEN unpublished = 1 THEN 0 ELSE coalesce(octet_length(draft), 0) END`;

/** The maximum number of bytes in JSON for one stored byte. For example, `\u0001` has six bytes. */
const mostEscaped = 6;

/** Returns the SQL expression for a text as a JSON string. */
const asJson = (engine: Engine, text: string): string =>
  engine === "sqlite" ? `json_quote(${text})` : `CAST(to_json(${text}) AS text)`;

const setFields = update(tables.faqs, "WHERE id = ?");

const appOfFaq = oneForViewer<{ readonly appId: string }>({
  columns: `f.app_id AS "appId"`,
  from: "FROM faqs f",
  app: "f.app_id",
  where: "f.id = ?",
});

/** Queries for the FAQ entries of apps. */
export const faqs = {
  /**
   * Every change must first lock the FAQ. Otherwise the list can change between the `If-Match` check and the
   * write.
   */
  lock: (tx: Transaction, appId: string) => apps.lock(tx, appId),

  list: (reader: Reader, appId: string): Promise<ListedFaqRow[]> => reader.all(listOf, appId),

  /** Returns the languages of the translations of the published entries. */
  async listLanguages(reader: Reader, appId: string): Promise<string[]> {
    const found = await reader.all<{ language: string }>(
      `SELECT DISTINCT t.key AS language FROM faqs f, ${eachTranslation(reader.engine, "f")}
       WHERE f.app_id = ? AND f.unpublished = 0`,
      appId,
    );
    return found.map(({ language }) => language);
  },

  /** Returns at most `most` published questions of all apps of a person. */
  listQuestions: (reader: Reader, userId: string, most: number) =>
    reader.all<FaqQuestion>(
      `SELECT f.app_id AS "appId", f.id, f.question,
         ${fieldOfTranslations(reader.engine, "f", "question")} AS translated
       FROM app_members v JOIN faqs f ON f.app_id = v.app_id
       WHERE v.user_id = ? AND f.unpublished = 0 ORDER BY f.app_id, f.sort_order, f.created_at, f.id LIMIT ?`,
      ...[userId, most],
    ),

  /** Returns an entry, whether it is published or not. */
  findStored: (reader: Reader, appId: string, id: string): Promise<StoredFaq | undefined> =>
    reader.get(storedOne, appId, id),

  /** Returns the entries that have a draft. The most recently changed draft comes first. */
  listDrafts: (reader: Reader, appId: string): Promise<StoredFaq[]> => reader.all(storedDrafts, appId),

  /** Sets columns of an entry, such as the columns of its draft. */
  set: (tx: Transaction, id: string, change: Partial<Omit<Row<typeof tables.faqs>, "id" | "appId">>) =>
    setFields(tx, change, id),

  /**
   * Counts the entries and their bytes as JSON. Reads the texts only if the stored lengths could be too long.
   * (rule C38)
   */
  async size(tx: Transaction, appId: string): Promise<FaqSize> {
    const stored = await tx.get<FaqSize>(
      `SELECT count(*) AS entries,
         coalesce(sum(octet_length(question) + octet_length(answer) + ${otherBytes}), 0) AS bytes
       FROM faqs WHERE app_id = ?`,
      appId,
    );
    if (!stored) return { entries: 0, bytes: 0 };
    if (stored.bytes * mostEscaped <= limits.faqList) return stored;
    const [question, answer] = [asJson(tx.engine, "question"), asJson(tx.engine, "answer")];
    const written = await tx.get<Pick<FaqSize, "bytes">>(
      `SELECT coalesce(sum(octet_length(${question}) + octet_length(${answer}) - 4 + ${otherBytes}), 0) AS bytes
       FROM faqs WHERE app_id = ?`,
      appId,
    );
    return { ...stored, ...written };
  },

  /**
   * Returns the answers, drafts and translations of the entries `ids`. Only these texts can contain pictures.
   */
  async listAnswers(reader: Reader, appId: string, ids: readonly string[]): Promise<string[]> {
    const answers: string[] = [];
    for (const id of ids) {
      const faq = await faqs.findStored(reader, appId, id);
      if (faq) answers.push(faq.answer, faq.draft ?? "", faq.translations ?? "");
    }
    return answers;
  },

  /** Returns the sort order for a new entry at the end. The caller must lock the list first. (rule C1) */
  async nextSortOrder(tx: Transaction, appId: string): Promise<number> {
    const row = await tx.get<{ next: number }>(
      "SELECT coalesce(max(sort_order), 0) + 1 AS next FROM faqs WHERE app_id = ? AND unpublished = 0",
      appId,
    );
    return row?.next ?? 1;
  },

  insert: (
    tx: Transaction,
    {
      at,
      by,
      ...faq
    }: {
      readonly id: string;
      readonly appId: string;
      readonly question: string;
      readonly answer: string;
      readonly sortOrder: number;
      readonly at: string;
      /** The account of the member who writes the entry. */
      readonly by?: string | undefined;
      readonly pushedHash?: string | undefined;
      readonly pushedSortOrder?: number | undefined;
      /** The text of a draft as JSON. With this field, the entry is not published. */
      readonly draft?: string;
      /** The translations as JSON. */
      readonly translations?: string | null;
    },
  ) =>
    tx.insert(tables.faqs, {
      ...{ ...faq, createdAt: at, updatedAt: at, updatedBy: by },
      ...(faq.draft === undefined ? {} : { unpublished: 1, draftAt: at, draftBy: by }),
    }),

  find: (reader: Reader, appId: string, id: string): Promise<Faq | undefined> => reader.get(oneOf, appId, id),

  /** Returns the app of an entry. Returns undefined if the viewer may not see that app. */
  findApp: (reader: Reader, id: string, viewer: Viewer) => appOfFaq(reader, viewer, id),

  /** Sets all fields of an entry. */
  replace: (
    tx: Transaction,
    { appId, id }: { readonly appId: string; readonly id: string },
    row: {
      readonly question: string;
      readonly answer: string;
      readonly sortOrder: number;
      readonly pushedHash: string | null;
      readonly pushedSortOrder: number | null;
      /** The translations as JSON; null if there are none. */
      readonly translations: string | null;
      /** The time of the change; undefined if only `pushedHash` or `pushedSortOrder` change. */
      readonly at: string | undefined;
      /** Whether the texts change. The author of the entry changes only if the texts change. */
      readonly isRewritten: boolean;
      readonly by?: string | undefined;
    },
  ) =>
    tx.run(
      `UPDATE faqs SET question = ?, answer = ?, sort_order = ?, pushed_hash = ?, pushed_sort_order = ?,
              translations = ?,
              updated_at = coalesce(?, updated_at),
              text_at = CASE WHEN CAST(? AS INTEGER) = 1 THEN NULL WHEN CAST(? AS TEXT) IS NULL THEN text_at
                ELSE coalesce(text_at, updated_at) END,
              updated_by = CASE WHEN CAST(? AS INTEGER) = 1 THEN CAST(? AS TEXT) ELSE updated_by END
       WHERE app_id = ? AND id = ?`,
      row.question,
      row.answer,
      row.sortOrder,
      row.pushedHash,
      row.pushedSortOrder,
      row.translations,
      row.at ?? null,
      row.isRewritten ? 1 : 0,
      row.at ?? null,
      row.isRewritten ? 1 : 0,
      row.by ?? null,
      appId,
      id,
    ),

  remove: (tx: Transaction, appId: string, id: string) =>
    tx.run("DELETE FROM faqs WHERE app_id = ? AND id = ?", appId, id),

  /** Returns the version number of the app's FAQ. Each change of the published FAQ changes it. */
  async version(reader: Reader, appId: string): Promise<number> {
    const row = await reader.get<{ version: number }>(
      "SELECT faqs_version AS version FROM apps WHERE id = ?",
      appId,
    );
    return row?.version ?? 0;
  },

  /** Changes the version number of the app's FAQ, so that cached answers are no longer used. */
  async bumpVersion(tx: Transaction, appId: string): Promise<void> {
    await tx.run("UPDATE apps SET faqs_version = faqs_version + 1 WHERE id = ?", appId);
  },
};
