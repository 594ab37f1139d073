import { type Condition, sqlOf, valuesOf } from "../../../database/conditions.ts";
import type { Reader } from "../../../database/database.ts";
import { plannedEachTime } from "../../../database/planned-each-time.ts";
import { searchedInPostgres, searchedTextInPostgres } from "../../../database/schema/search.ts";
import type { SearchPage } from "./ranges.ts";

// The statements of a search in PostgreSQL. What they ask the index for is an expression of `tsquery`.

/** Whether at most `rare` threads match one of the expressions. */
export async function isAnyRare(reader: Reader, asked: readonly string[], rare: number): Promise<boolean> {
  if (rare < 0) return false;
  // A limit alone would make the planner read threads without the index until it has found enough.
  const sql = `WITH found AS MATERIALIZED (SELECT 1 AS one FROM feedback f WHERE ${searchedInPostgres} @@ CAST(? AS tsquery))
    SELECT one FROM found LIMIT 1 OFFSET ?`;
  for (const one of asked) if (!(await reader.get(plannedEachTime(sql), one, rare))) return true;
  return false;
}

interface Among {
  readonly page: SearchPage;
  readonly among: readonly number[];
}

/**
 * The newest of these threads that have the beginning of a word, too. (The index must not be asked for it: it would read all words with
 * it.) Only the words of the thread are made, which takes a third of the time of all that the index has of it.
 */
export async function findAmong(
  reader: Reader,
  beginning: string,
  { page, among }: Among,
): Promise<number[]> {
  if (among.length === 0) return [];
  // Read in their order, so that no more of them are compared than the page needs.
  const read = `SELECT * FROM feedback WHERE seq IN (${among.join(", ")}) ORDER BY seq DESC OFFSET 0`;
  const rows = await reader.all<{ seq: number }>(
    plannedEachTime(`SELECT f.seq FROM (${read}) f
     WHERE to_tsvector('simple', ${searchedTextInPostgres}) @@ CAST(? AS tsquery) LIMIT ?`),
    beginning,
    page.limit,
  );
  return rows.map(({ seq }) => seq);
}

/** In which order expressions are asked: `newest` first if each asks for a range, or in `any` if each asks for an app. */
type Asking = "newest" | "any";

/**
 * The newest threads that match one of the expressions. Each is asked alone: the index compares each thread that it finds with the whole
 * expression, so one for all of them would take time with the square of their number. They are values of a row, because for texts that it knows
 * the planner may start other processes, which takes 20 ms.
 */
export async function findEach(
  reader: Reader,
  { asked, order }: { readonly asked: readonly string[]; readonly order: Asking },
  page: SearchPage,
): Promise<number[]> {
  const conditions: Condition[] = [[`${searchedInPostgres} @@ CAST(r.asked AS tsquery)`], ...others(page)];
  const where = sqlOf(conditions);
  const rows = await reader.all<{ seq: number }>(
    plannedEachTime(`SELECT found.seq FROM unnest(CAST(ARRAY[${asked.map(() => "?").join(", ")}] AS text[])) WITH ORDINALITY AS r(asked, place)
     CROSS JOIN LATERAL (SELECT f.seq FROM feedback f WHERE ${where} ORDER BY f.seq + 0 DESC LIMIT ?) found
     ORDER BY ${order === "newest" ? "r.place" : "found.seq DESC"} LIMIT ?`),
    ...asked,
    ...valuesOf(conditions),
    page.limit,
    page.limit,
  );
  return rows.map(({ seq }) => seq).sort((a, b) => b - a);
}

// Not `f.seq < ?`: nearly all threads can match that, and the planner must not find them by it.
const others = ({ before, conditions }: SearchPage): Condition[] => [
  ["f.seq + 0 < ?", before],
  ...conditions,
];
