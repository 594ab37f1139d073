import type { Engine, Value } from "./database.ts";

/** A list of rows that belong to several scopes (apps or accounts), in the order of time. */
export interface RowsOfScopes {
  /** A SELECT of the scopes. It has one column with the name `scope`. */
  readonly scopes: Condition;
  /** The table with its alias, its key column, and the columns of the sort key. */
  readonly rows: { readonly table: string; readonly key: string; readonly at: string; readonly id: string };
  /** How to read the rows of one scope in order from an index. The scope is `s.scope`. */
  readonly inScope: {
    readonly from: string;
    readonly at: string;
    readonly id: string;
    readonly conditions: readonly Condition[];
  };
}

/** A page of a list. The page begins after the sort key `position` and has at most `limit` rows. */
export interface PageOfScopes {
  readonly position: readonly string[];
  readonly limit: number;
  /** Whether the oldest row comes first. By default, the newest row comes first. */
  readonly oldestFirst?: boolean;
}

/** Returns a SELECT of the keys of a page's rows, without an order. Its only column is `found`. */
export function pageOfScopes(engine: Engine, of: RowsOfScopes, page: PageOfScopes): Condition {
  return engine === "sqlite" ? mergedOneByOne(of, page) : firstOfEach(of, page);
}

/** Reads the first row of each scope. For each row on the page, reads its scope's next row. */
function mergedOneByOne(
  { scopes, rows, inScope }: RowsOfScopes,
  { position, limit, oldestFirst = false }: PageOfScopes,
): Condition {
  const { from, at, id, conditions } = inScope;
  const [beyond, order] = directionOf(oldestFirst);
  // `+` turns a column into an expression. Without `+`, SQLite would read all rows with the same time.
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

/** Reads one page of each scope, and takes the first rows of all these pages. */
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

/** Returns the SQL operator that compares a sort key to the sort key before it, and the SQL order. */
export const directionOf = (oldestFirst: boolean) => (oldestFirst ? [">", "ASC"] : ["<", "DESC"]);

/** A part of a statement with its values, for example a condition of its WHERE clause. */
export type Condition = readonly [sql: string, ...values: Value[]];

/** Returns the condition for a value, or an empty list if the value is undefined. */
export const given = (sql: string, value: string | undefined): Condition[] =>
  value === undefined ? [] : [[sql, value]];

/** Joins conditions with AND. Returns a condition that is always true if the list is empty. */
export const sqlOf = (conditions: readonly Condition[]): string =>
  conditions.length === 0 ? "1 = 1" : conditions.map(([sql]) => sql).join(" AND ");

/** Returns the values of all `conditions` in order. */
export const valuesOf = (conditions: readonly Condition[]): Value[] =>
  conditions.flatMap(([, ...values]) => values);

/** Puts a condition into a CASE. Then PostgreSQL expects that many rows match, and does not sort all rows. */
export const oftenTrue = ([sql, ...values]: Condition): Condition => [
  `CASE WHEN ${sql} THEN TRUE ELSE FALSE END`,
  ...values,
];
