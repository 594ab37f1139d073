import type { Engine, Reader } from "../../../server/database/database.ts";

/**
 * Everything that a database has besides rows: each table, column, key, index, trigger, function, sequence and view, as texts
 * without spaces and line ends.
 */
export async function catalogOf(reader: Reader): Promise<string[]> {
  const parts: string[] = [];
  for (const sql of statements[reader.engine])
    for (const row of await reader.all(sql)) parts.push(Object.values(row).join(" ").replaceAll(/\s+/g, ""));
  return parts.sort();
}

const here = "CAST(current_schema() AS regnamespace)";

const statements: Readonly<Record<Engine, readonly string[]>> = {
  sqlite: [
    // Without the tables in which SQLite stores the search index and its own counts.
    `SELECT type, name, tbl_name, sql FROM sqlite_schema
     WHERE tbl_name IN (SELECT name FROM pragma_table_list WHERE type <> 'shadow') AND tbl_name NOT LIKE 'sqlite_%'`,
    `SELECT 'column' AS what, t.name AS of, c.* FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
     WHERE t.schema = 'main' AND t.type <> 'shadow' AND t.name NOT LIKE 'sqlite_%'`,
    `SELECT 'key' AS what, t.name AS of, k.* FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) k
     WHERE t.schema = 'main'`,
    // The order of the indexes of a table may decide which one a plan takes.
    `SELECT 'index' AS what, t.name AS of, i.* FROM pragma_table_list t JOIN pragma_index_list(t.name) i
     WHERE t.schema = 'main' AND t.type <> 'shadow' AND t.name NOT LIKE 'sqlite_%'`,
  ],
  postgres: [
    `SELECT 'column' AS what, c.relname AS of, row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum) AS place,
       a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attcollation,
       pg_get_expr(d.adbin, d.adrelid)
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE c.relnamespace = ${here} AND c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped`,
    `SELECT 'relation' AS what, relname, relkind, relpersistence, array_to_string(reloptions, ',')
     FROM pg_class WHERE relnamespace = ${here}`,
    // Newer versions of PostgreSQL also have a constraint for each NOT NULL.
    `SELECT 'constraint' AS what, c.conrelid::regclass::text AS of, c.conname, pg_get_constraintdef(c.oid), c.convalidated
     FROM pg_constraint c WHERE c.connamespace = ${here} AND c.contype <> 'n'`,
    `SELECT 'index' AS what, i.indisvalid, pg_get_indexdef(i.indexrelid)
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = ${here}`,
    `SELECT 'trigger' AS what, t.tgenabled, pg_get_triggerdef(t.oid)
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = ${here} AND NOT t.tgisinternal`,
    `SELECT 'function' AS what, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = ${here}`,
    `SELECT 'view' AS what, viewname, definition FROM pg_views WHERE schemaname = current_schema()`,
    `SELECT 'statistics' AS what, pg_get_statisticsobjdef(oid) FROM pg_statistic_ext WHERE stxnamespace = ${here}`,
    `SELECT 'type' AS what, typname, typtype FROM pg_type WHERE typnamespace = ${here} AND typtype IN ('e', 'd')`,
  ],
};
