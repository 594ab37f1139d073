import type { Engine } from "../engine/database.ts";
import { type Condition, sqlOf, valuesOf } from "./conditions.ts";

/** Rows of several scopes (apps, or accounts) that are read as one list, newest first. */
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
}

/** A SELECT of the keys of a page's rows, in no order. The column has the name `found`. */
export function newestOfScopes(engine: Engine, of: RowsOfScopes, page: PageOfScopes): Condition {
  return engine === "sqlite" ? mergedOneByOne(of, page) : firstOfEach(of, page);
}

/**
 * Reads the newest row of each scope, and after each row that it takes the next one of the same scope. So it reads as
 * many rows as there are scopes and rows of the page together. (The rows that wait are the queue of the recursion.)
 */
function mergedOneByOne(
  { scopes, rows, inScope }: RowsOfScopes,
  { position, limit }: PageOfScopes,
): Condition {
  const { from, at, id, conditions } = inScope;
  // With a column on both sides SQLite would read all rows of an instant: `+` makes an expression of it.
  const next = sqlOf([...conditions, [`(${at}, ${id}) < (+s.at, +s.id)`]]);
  const sql = `WITH RECURSIVE merged (scope, at, id, found) AS (
      SELECT o.scope, ?, ?, NULL FROM (${scopes[0]}) o
      UNION ALL
      SELECT s.scope, ${rows.at}, ${rows.id}, ${rows.key} FROM merged s CROSS JOIN ${rows.table}
      WHERE ${rows.key} = (SELECT ${rows.key} FROM ${from} WHERE ${next} ORDER BY ${at} DESC, ${id} DESC LIMIT 1)
      ORDER BY 2 DESC, 3 DESC
    ) SELECT found FROM merged WHERE found IS NOT NULL LIMIT ?`;
  return [sql, ...position, ...valuesOf([scopes, ...conditions]), limit];
}

/** Reads a page of each scope, and takes the newest of them. */
function firstOfEach({ scopes, rows, inScope }: RowsOfScopes, { position, limit }: PageOfScopes): Condition {
  const { from, at, id, conditions } = inScope;
  const after: Condition = [`(${at}, ${id}) < (?, ?)`, ...position];
  const sql = `SELECT e.found FROM (${scopes[0]}) s CROSS JOIN LATERAL (
      SELECT ${rows.key} AS found, ${at} AS at, ${id} AS id FROM ${from}
      WHERE ${sqlOf([...conditions, after])} ORDER BY ${at} DESC, ${id} DESC LIMIT ?
    ) e ORDER BY e.at DESC, e.id DESC LIMIT ?`;
  return [sql, ...valuesOf([scopes, ...conditions, after]), limit, limit];
}
