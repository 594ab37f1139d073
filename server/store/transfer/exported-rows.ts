import type { Stored } from "../../domain/transfer/fields.ts";
import type { Reader } from "../engine/database.ts";
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

  /** The files of an app by their hashes, in the order of these, in batches. */
  async *files(reader: Reader, appId: string): AsyncGenerator<{ sha256: string; size: number }[]> {
    for (let last = ""; ; ) {
      const page = await reader.all<{ sha256: string; size: number }>(
        `SELECT sha256, max(size) AS size FROM uploads WHERE app_id = ? AND sha256 > ?
         GROUP BY sha256 ORDER BY sha256 LIMIT ${atOnce}`,
        appId,
        last,
      );
      if (page.length > 0) yield page;
      const end = page.at(-1);
      if (!end || page.length < atOnce) return;
      last = end.sha256;
    }
  },
};
