import type { Engine, Value } from "./database.ts";

/** Rows of several scopes (apps, or accounts) that are read as one list, by time. */
export interface RowsOfScopes {
  /** The scopes: a SELECT of one column with the name `scope`. */
  readonly scopes: Condition;
  /** The table of the rows with its alias, the key of a row, and the sort key: an instant and an id. */
  readonly rows: { readonly table: string; readonly key: string; readonly at: string; readonly id: string };
  /** The same, read from an index that has the rows of a scope in order. `s.scope` is the scope. */
  readonly inScope: {
    readonly from: string;
    readonly at: string;
    readonly id: string;
    readonly conditions: readonly Condition[];
  };
}

/** A page of a list: the sort key after which it begins, and its length. */
export interface PageOfScopes {
  readonly position: readonly string[];
  readonly limit: number;
  /** The default is the newest first. */
  readonly oldestFirst?: boolean;
}

/** A SELECT of the keys of a page's rows, in no order. The column has the name `found`. */
export function pageOfScopes(engine: Engine, of: RowsOfScopes, page: PageOfScopes): Condition {
  return engine === "sqlite" ? mergedOneByOne(of, page) : firstOfEach(of, page);
}

/**
 * Reads the first row of each scope, and after each row that it takes the next one of the same scope. So it reads as
 * many rows as there are scopes and rows of the page together. (The rows that wait are the queue of the recursion.)
 */
function mergedOneByOne(
  { scopes, rows, inScope }: RowsOfScopes,
  { position, limit, oldestFirst = false }: PageOfScopes,
): Condition {
  const { from, at, id, conditions } = inScope;
  const [beyond, order] = directionOf(oldestFirst);
  // With a column on both sides SQLite would read all rows of an instant: `+` makes an expression of it.
  const next = sqlOf([...conditions, [`(${at}, ${id}) ${beyond} (+s.at, +s.id)`]]);
  const sql = `WITH RECURSIVE merged (scope, at, id, found) AS (
      SELECT o.scope, ?, ?, NULL FROM (${scopes[0]}) o
      UNION ALL
      SELECT s.scope, ${rows.at}, ${rows.id}, ${rows.key} FROM merged s CROSS JOIN ${rows.table}
      WHERE ${rows.key} = (SELECT ${rows.key} FROM ${from} WHERE ${next} ORDER BY ${at} ${order}, ${id} ${order} LIMIT 1)
      ORDER BY 2 ${order}, 3 ${order}
    ) SELECT found FROM merged WHERE found IS NOT NULL LIMIT ?`;
  return [sql, ...position, ...valuesOf([scopes, ...conditions]), limit];
}

/** Reads a page of each scope, and takes the first of them. */
function firstOfEach(
  { scopes, rows, inScope }: RowsOfScopes,
  { position, limit, oldestFirst = false }: PageOfScopes,
): Condition {
  const { from, at, id, conditions } = inScope;
  const [beyond, order] = directionOf(oldestFirst);
  const after: Condition = [`(${at}, ${id}) ${beyond} (?, ?)`, ...position];
  const sql = `SELECT e.found FROM (${scopes[0]}) s CROSS JOIN LATERAL (
      SELECT ${rows.key} AS found, ${at} AS at, ${id} AS id FROM ${from}
      WHERE ${sqlOf([...conditions, after])} ORDER BY ${at} ${order}, ${id} ${order} LIMIT ?
    ) e ORDER BY e.at ${order}, e.id ${order} LIMIT ?`;
  return [sql, ...valuesOf([scopes, ...conditions, after]), limit, limit];
}

/** How the sort key of the next row compares to that of a row, and the order of both. */
const directionOf = (oldestFirst: boolean) => (oldestFirst ? [">", "ASC"] : ["<", "DESC"]);

/** A part of a statement, such as of its WHERE clause, with its values. */
export type Condition = readonly [sql: string, ...values: Value[]];

/** A condition for a value, if one is given. */
export const given = (sql: string, value: string | undefined): Condition[] =>
  value === undefined ? [] : [[sql, value]];

/** All of these conditions, as one. It is true if there are none. */
export const sqlOf = (conditions: readonly Condition[]): string =>
  conditions.length === 0 ? "1 = 1" : conditions.map(([sql]) => sql).join(" AND ");

/** The values of these conditions, in their order. */
export const valuesOf = (conditions: readonly Condition[]): Value[] =>
  conditions.flatMap(([, ...values]) => values);

/**
 * The same condition, of which PostgreSQL expects that half of all rows match. Otherwise it can expect so few rows for a page that it
 * reads all rows and sorts them, instead of reading them in their order until the page is full.
 */
export const oftenTrue = ([sql, ...values]: Condition): Condition => [
  `CASE WHEN ${sql} THEN TRUE ELSE FALSE END`,
  ...values,
];
