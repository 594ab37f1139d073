import type { Reader } from "../database/database.ts";
import type { Stored } from "./fields.ts";
import type { RecordKind, StoredRow } from "./records/record-kinds.ts";

/** How many rows are in memory at once. */
const atOnce = 200;

/** The rows of a kind below these parents, in batches: of all of them together if they are few, else of one after another. */
export async function* exportedRows(
  reader: Reader,
  kind: RecordKind,
  parents: readonly string[],
): AsyncGenerator<StoredRow[]> {
  if (parents.length > 1) {
    const marks = parents.map(() => "?").join(", ");
    const together = await reader.all<StoredRow>(
      `${selectOf(kind)} ${parentOf(kind)} IN (${marks}) ${orderOf(kind)} LIMIT ${atOnce + 1}`,
      ...parents,
    );
    if (together.length <= atOnce) {
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
      `${selectOf(kind)} ${parentOf(kind)} = ? ${last ? `AND ${after}` : ""} ${orderOf(kind)} LIMIT ${atOnce}`,
      parent,
      ...values,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < atOnce || order.length === 0) return;
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

/** What else a file says of an app. */
export const exported = {
  /** The people with these ids, as far as they are known. */
  people: async (reader: Reader, ids: readonly string[]): Promise<{ id: string; email: string }[]> => {
    const marks = ids.map(() => "?").join(", ");
    return ids.length === 0
      ? []
      : reader.all(
          `SELECT id, email FROM users WHERE id IN (${marks})
           UNION ALL SELECT id, email FROM imported_people WHERE id IN (${marks}) ORDER BY id`,
          ...ids,
          ...ids,
        );
  },

  /** The names of the uploads of hidden repeats and answers in an app. An export leaves them out. (rule F34) */
  async hiddenUploads(reader: Reader, appId: string): Promise<ReadonlySet<string>> {
    const rows = await reader.all<{ files: string }>(
      `SELECT m.files FROM messages m JOIN feedback f ON f.id = m.feedback_id
       WHERE m.direction = 'blocked' AND m.files IS NOT NULL AND f.app_id = ?`,
      appId,
    );
    return new Set(rows.flatMap(({ files }) => uploadsIn(files)));
  },

  /** The files of an app by their hashes, in the order of these, in batches. Those of hidden feedback alone are left out. */
  async *files(
    reader: Reader,
    appId: string,
    hidden: ReadonlySet<string>,
  ): AsyncGenerator<{ sha256: string; size: number }[]> {
    for (let last = ""; ; ) {
      const page = await reader.all<{ sha256: string; size: number }>(
        `SELECT sha256, max(size) AS size FROM uploads WHERE app_id = ? AND sha256 > ? AND ${ofShownThread}
         GROUP BY sha256 ORDER BY sha256 LIMIT ${atOnce}`,
        appId,
        last,
      );
      const shown = await shownOf(reader, { appId, hidden }, page);
      if (shown.length > 0) yield shown;
      const end = page.at(-1);
      if (!end || page.length < atOnce) return;
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

interface Hidden {
  readonly appId: string;
  readonly hidden: ReadonlySet<string>;
}

/** Those files that have an upload which is not hidden. */
async function shownOf<File extends { readonly sha256: string }>(
  reader: Reader,
  { appId, hidden }: Hidden,
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
