import { limits } from "../../src/contract/limits.ts";
import { members } from "../access/members/store.ts";
import { everyTable, loadRows, type Table } from "../backup/store.ts";
import { pictures } from "../content/texts/store.ts";
import type { Reader, Transaction } from "../database/database.ts";
import * as tables from "../database/schema/deployment.ts";
import { credentialsTopic, threadsTopic, tokensTopic } from "../database/transaction.ts";
import { depthOf } from "../feedback/merge/rules.ts";
import { merges } from "../feedback/merge/store.ts";
import { statistics } from "../feedback/statistics/store.ts";
import { removeOldestThreads } from "../feedback/threads/store/removal.ts";
import { feedbackThreads } from "../feedback/threads/store/threads.ts";
import { proofs } from "../testing/tester/store.ts";
import type { Stored } from "./fields.ts";
import type { RecordKind, StoredRow } from "./records/record.ts";

/** The maximum number of proposals or threads that one transaction handles. */
const proposalsAtOnce = 200;

/** Returns the tables of the database by their names. */
export async function tablesByName(reader: Reader): Promise<ReadonlyMap<string, Table>> {
  return new Map((await everyTable(reader)).map((table) => [table.name, table]));
}

/** Queries for imports in progress. The app of such an import has no members yet, so nobody can see it. */
export const imports = {
  /** Inserts rows of one kind. All rows must have the same columns. */
  async store(tx: Transaction, table: Table, rows: readonly StoredRow[]): Promise<void> {
    const [first] = rows;
    if (!first) return;
    const columns = table.columns.filter(({ name }) => name in first);
    const lines = rows.map((row) => JSON.stringify(columns.map(({ name }) => row[name] ?? null)));
    await loadRows(tx, { name: table.name, columns }, lines);
  },

  /** Records that the import of an app has begun. The row of the app must exist. */
  begin: (tx: Transaction, appId: string, at: string) => tx.insert(tables.imports, { appId, aliveAt: at }),

  /** Records that an import is still running. Returns false if it was stopped in the meantime. */
  keepAlive: async (tx: Transaction, appId: string, at: string): Promise<boolean> =>
    (await tx.run("UPDATE imports SET alive_at = ? WHERE app_id = ?", at, appId)) === 1,

  /** Whether an import is still running. False if it was stopped in the meantime. */
  isRunning: async (reader: Reader, appId: string): Promise<boolean> =>
    (await reader.get("SELECT 1 AS one FROM imports WHERE app_id = ?", appId)) !== undefined,

  /**
   * Ends the open approvals and claims of a batch of proposals. Returns the last proposal; undefined if none is
   * left. (rule X6)
   */
  async settle(
    tx: Transaction,
    {
      appId,
      after,
      now,
    }: {
      readonly appId: string;
      /** The last proposal of the previous batch. */
      readonly after: RunPosition;
      readonly now: string;
    },
  ): Promise<RunPosition | undefined> {
    const runs = await tx.all<RunPosition & { threadId: string }>(
      `SELECT id, created_at AS "createdAt", feedback_id AS "threadId" FROM runs
       WHERE app_id = ? AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ${proposalsAtOnce}`,
      ...[appId, after.createdAt, after.id],
    );
    const threads = [...new Set(runs.map(({ threadId }) => threadId))];
    const these = `feedback_id IN (${threads.map(() => "?").join(", ")})`;
    if (threads.length === 0) return undefined;
    await tx.run(
      `UPDATE runs SET status = 'rejected', decision = 'expired', decided_at = ?
       WHERE status = 'approved' AND ${these} AND NOT EXISTS (SELECT 1 FROM run_claims c
         WHERE c.run_id = runs.id AND c.released_at IS NULL AND c.outcome_status IS NOT NULL)`,
      ...[now, ...threads],
    );
    await tx.run(
      `UPDATE run_claims SET released_at = ? WHERE released_at IS NULL AND outcome_status IS NULL
         AND run_id IN (SELECT id FROM runs WHERE ${these})`,
      ...[now, ...threads],
    );
    for (const id of threads) await feedbackThreads.setProposalStatus(tx, id);
    return runs.at(-1);
  },

  /** Returns the different pairs of media type and size among the uploads of an app that have this hash. */
  uploadsOf: (reader: Reader, appId: string, sha256: string) =>
    reader.all<{ mediaType: string; size: number }>(
      `SELECT DISTINCT media_type AS "mediaType", size FROM uploads WHERE app_id = ? AND sha256 = ?`,
      ...[appId, sha256],
    ),

  /** Replaces the hash of uploads after their content was changed, for example because metadata was removed. */
  rename: (
    tx: Transaction,
    { appId, sha256, into }: { readonly appId: string; readonly sha256: string; readonly into: string },
  ) => tx.run("UPDATE uploads SET sha256 = ? WHERE app_id = ? AND sha256 = ?", into, appId, sha256),

  /** Returns the number of different files among the uploads of an app. */
  async countFiles(reader: Reader, appId: string): Promise<number> {
    const sql = "SELECT count(DISTINCT sha256) AS count FROM uploads WHERE app_id = ?";
    return (await reader.get<{ count: number }>(sql, appId))?.count ?? 0;
  },

  /**
   * Whether `merged_into` of a thread is wrong or names a missing or merged thread, or merges have a wrong
   * order.
   */
  async hasWrongMerges(reader: Reader, appId: string): Promise<boolean> {
    const found = await reader.get<{ found: number }>(
      `SELECT 1 AS found FROM feedback f WHERE f.app_id = ? AND f.merged_into IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM thread_merges g JOIN feedback t ON t.id = f.merged_into
         WHERE g.feedback_id = f.id AND t.app_id = f.app_id AND t.merged_into IS NULL)
       UNION ALL SELECT 1 FROM thread_merges g JOIN feedback f ON f.id = g.feedback_id
         LEFT JOIN thread_merges n ON n.feedback_id = g.into_id LEFT JOIN feedback i ON i.id = g.into_id
         WHERE g.app_id = ? AND (f.merged_into IS NULL OR n.number <= g.number
           OR coalesce(i.merged_into, i.id) <> f.merged_into) LIMIT 1`,
      ...[appId, appId],
    );
    return found !== undefined;
  },

  /** Whether a thread of the app is the target of more merges than the server allows. */
  hasTooManyMerges: async (reader: Reader, appId: string): Promise<boolean> =>
    (await reader.get(
      `SELECT 1 AS one FROM feedback WHERE app_id = ? AND merged_into IS NOT NULL
       GROUP BY merged_into HAVING count(*) > ? LIMIT 1`,
      ...[appId, limits.mergedThreads],
    )) !== undefined,

  /** Whether a chain of merges is too long. Each thread of a chain was merged into the next one. */
  async hasTooDeepMerges(reader: Reader, appId: string): Promise<boolean> {
    const many = await reader.all<{ id: string }>(
      `SELECT merged_into AS id FROM feedback WHERE app_id = ? AND merged_into IS NOT NULL
       GROUP BY merged_into HAVING count(*) > ?`,
      ...[appId, limits.mergeDepth],
    );
    for (const { id } of many)
      if (depthOf(id, await merges.steps(reader, id)) > limits.mergeDepth) return true;
    return false;
  },

  /**
   * Makes the app visible to its owner. Adds missing counts for the statistics. Returns false if the import was
   * stopped.
   */
  async finish(
    tx: Transaction,
    { appId, ownerId, at }: { readonly appId: string; readonly ownerId: string; readonly at: string },
  ): Promise<boolean> {
    if ((await tx.run("DELETE FROM imports WHERE app_id = ?", appId)) !== 1) return false;
    if (!(await statistics.hasCounts(tx, appId))) await statistics.countStored(tx, appId);
    await members.insert(tx, { appId, userId: ownerId, role: "owner", createdAt: at });
    for (const topic of [credentialsTopic, tokensTopic, threadsTopic]) tx.signal(topic);
    return true;
  },

  /** Returns the ids of apps whose imports have stored nothing since `before`. */
  async abandoned(reader: Reader, before: string): Promise<string[]> {
    const found = await reader.all<{ id: string }>(
      "SELECT app_id AS id FROM imports WHERE alive_at < ?",
      before,
    );
    return found.map(({ id }) => id);
  },

  /** Deletes a batch of a failed import. Returns whether rows may remain, and the hashes of deleted files. */
  async discard(
    tx: Transaction,
    appId: string,
  ): Promise<{ readonly more: boolean; readonly hashes: string[] }> {
    if (!(await imports.isRunning(tx, appId))) return { more: false, hashes: [] };
    const { count, hashes } = await removeOldestThreads(tx, appId, proposalsAtOnce);
    if (count === proposalsAtOnce) return { more: true, hashes: [...hashes] };
    const images = [...(await proofs.removeImages(tx, appId)), ...(await pictures.removeOfApp(tx, appId))];
    await tx.run("DELETE FROM audit WHERE app_id = ?", appId);
    await tx.run("DELETE FROM apps WHERE id = ?", appId);
    return { more: false, hashes: [...hashes, ...images] };
  },
};

/** The position of a proposal in the order of all proposals of the app. */
export interface RunPosition {
  readonly createdAt: string;
  readonly id: string;
}

/** Returns the table of a kind of record. Throws an Error if it does not exist. */
export function tableOf(known: ReadonlyMap<string, Table>, { table }: RecordKind): Table {
  const found = known.get(table);
  if (!found) throw new Error(`There is no table ${table}`);
  return found;
}

/** The maximum number of rows in one batch. */
const rowsAtOnce = 200;

/**
 * Yields rows of one kind that belong to `parents`. One query reads all rows if there are at most `rowsAtOnce`.
 */
export async function* exportedRows(
  reader: Reader,
  kind: RecordKind,
  parents: readonly string[],
): AsyncGenerator<StoredRow[]> {
  if (parents.length > 1) {
    const marks = parents.map(() => "?").join(", ");
    const together = await reader.all<StoredRow>(
      `${selectOf(kind)} ${parentOf(kind)} IN (${marks}) ${orderOf(kind)} LIMIT ${rowsAtOnce + 1}`,
      ...parents,
    );
    if (together.length <= rowsAtOnce) {
      if (together.length > 0) yield together;
      return;
    }
  }
  for (const parent of parents) yield* rowsOfOne(reader, kind, parent);
}

async function* rowsOfOne(reader: Reader, kind: RecordKind, parent: string): AsyncGenerator<StoredRow[]> {
  const { order } = kind;
  const after = `(${order.join(", ")}) > (${order.map(() => "?").join(", ")})`;
  for (let last: StoredRow | undefined; ; ) {
    const values: Stored[] = last ? order.map((column) => last?.[column] ?? null) : [];
    const rows: StoredRow[] = await reader.all<StoredRow>(
      `${selectOf(kind)} ${parentOf(kind)} = ? ${last ? `AND ${after}` : ""} ${orderOf(kind)} LIMIT ${rowsAtOnce}`,
      parent,
      ...values,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < rowsAtOnce || order.length === 0) return;
    last = rows.at(-1);
  }
}

const parentOf = ({ parent, parentSql }: RecordKind): string => parentSql ?? parent;

const orderOf = (kind: RecordKind): string => `ORDER BY ${[parentOf(kind), ...kind.order].join(", ")}`;

function selectOf({ table, parent, order, columns, read = {}, where }: RecordKind): string {
  const names = new Set([parent, ...order, ...Object.keys(columns)]);
  const selected = [...names].map((column) => {
    const sql = read[column]?.sql;
    return sql ? `${sql} AS ${column}` : column;
  });
  return `SELECT ${selected.join(", ")} FROM ${table} WHERE ${where ? `${where} AND` : ""}`;
}

/** Queries for the people and files of an export. */
export const exported = {
  /** Returns the people with these ids. They are accounts or people from an earlier import. */
  people: async (reader: Reader, ids: readonly string[]): Promise<{ id: string; email: string }[]> => {
    const marks = ids.map(() => "?").join(", ");
    return ids.length === 0
      ? []
      : reader.all<{ id: string; email: string }>(
          `SELECT id, email FROM users WHERE id IN (${marks})
           UNION ALL SELECT id, email FROM imported_people WHERE id IN (${marks}) ORDER BY id`,
          ...ids,
          ...ids,
        );
  },

  /** Returns the names of uploads in hidden messages. These uploads are not exported. (rule F34) */
  async hiddenUploads(reader: Reader, appId: string): Promise<ReadonlySet<string>> {
    const rows = await reader.all<{ files: string }>(
      `SELECT m.files FROM messages m JOIN feedback f ON f.id = m.feedback_id
       WHERE m.direction = 'blocked' AND m.files IS NOT NULL AND f.app_id = ?`,
      appId,
    );
    return new Set(rows.flatMap(({ files }) => uploadsIn(files)));
  },

  /**
   * Yields the files of an app in batches, sorted by their hashes. Omits files that belong only to hidden feedback.
   */
  async *files(
    reader: Reader,
    appId: string,
    hidden: ReadonlySet<string>,
  ): AsyncGenerator<{ sha256: string; size: number }[]> {
    for (let last = ""; ; ) {
      const page = await reader.all<{ sha256: string; size: number }>(
        `SELECT sha256, max(size) AS size FROM uploads WHERE app_id = ? AND sha256 > ? AND ${ofShownThread}
         GROUP BY sha256 ORDER BY sha256 LIMIT ${rowsAtOnce}`,
        appId,
        last,
      );
      const shown = await shownOf(reader, appId, hidden, page);
      if (shown.length > 0) yield shown;
      const end = page.at(-1);
      if (!end || page.length < rowsAtOnce) return;
      last = end.sha256;
    }
  },
};

const ofShownThread = `uploads.media_type <> 'message/rfc822'
  AND NOT EXISTS (SELECT 1 FROM feedback f WHERE f.id = uploads.feedback_id AND f.status = 'blocked')`;

function uploadsIn(files: string): string[] {
  const kinds: Record<string, { upload: string }[]> = JSON.parse(files);
  return Object.values(kinds).flatMap((list) => list.map(({ upload }) => upload));
}

/** Returns the files that belong to at least one upload that is not hidden. */
async function shownOf<File extends { readonly sha256: string }>(
  reader: Reader,
  appId: string,
  hidden: ReadonlySet<string>,
  page: readonly File[],
): Promise<File[]> {
  if (hidden.size === 0 || page.length === 0) return [...page];
  const uploads = await reader.all<{ name: string; sha256: string }>(
    `SELECT name, sha256 FROM uploads
     WHERE app_id = ? AND ${ofShownThread} AND sha256 IN (${page.map(() => "?").join(", ")})`,
    appId,
    ...page.map(({ sha256 }) => sha256),
  );
  const shown = new Set(uploads.filter(({ name }) => !hidden.has(name)).map(({ sha256 }) => sha256));
  return page.filter(({ sha256 }) => shown.has(sha256));
}
