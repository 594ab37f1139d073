import pg from "pg";
import type { Value } from "./database.ts";
import { isPlannedEachTime } from "./planned-each-time.ts";

const mostNamed = 500;
/** Bounds the memory for texts that are used once. */
const mostSeen = 2_000;

/** A statement for `pg`: with numbered placeholders, and with a name so that each connection plans it only once. */
export type Query = (sql: string, values: readonly Value[]) => pg.QueryConfig;

/**
 * Creates the statements of one pool. A text gets a name with its second use, because the statements of a new schema are used
 * once. Only 500 texts get one, because each connection keeps what has a name.
 */
export function createQuery(): Query {
  const named = new Map<string, { name?: string; text: string }>();
  const seen = new Set<string>();

  function statementOf(sql: string): { name?: string; text: string } {
    const text = numberPlaceholders(sql);
    if (named.size >= mostNamed || isPlannedEachTime(sql)) return { text };
    if (!seen.delete(sql)) {
      if (seen.size >= mostSeen) seen.clear();
      seen.add(sql);
      return { text };
    }
    const statement = { name: `innkeep_${named.size}`, text };
    named.set(sql, statement);
    return statement;
  }

  return (sql, values) => ({ ...(named.get(sql) ?? statementOf(sql)), values: [...values] });
}

/**
 * Parses values to the types that SQLite gives: numbers for all numeric types, 0 and 1 for booleans, text for JSON and
 * times.
 */
export const types = new pg.TypeOverrides();

const oids = pg.types.builtins;
for (const oid of [oids.INT8, oids.NUMERIC]) types.setTypeParser(oid, Number);
for (const oid of [oids.JSON, oids.JSONB, oids.DATE, oids.TIMESTAMP, oids.TIMESTAMPTZ])
  types.setTypeParser(oid, String);
types.setTypeParser(oids.BOOL, (text) => (text === "t" ? 1 : 0));

/**
 * Replaces each `?` of a statement by PostgreSQL's `$1`, `$2` and so on, except in quoted text, quoted names and
 * comments.
 */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  return sql.replace(quotedOrMark, (found) => (found === "?" ? `$${++count}` : found));
}

const quotedOrMark = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g;
