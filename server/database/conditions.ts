import type { Value } from "./database.ts";

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
