import type { Reader, Value } from "./database.ts";

type Row = Readonly<Record<string, Value>>;

/** The statement that adds one row. */
export function insertStatement(table: string, row: Row): { sql: string; values: Value[] } {
  return { sql: insertSql(table, Object.keys(row)), values: Object.values(row) };
}

/** The statement that adds one row. It takes the values in the order of `columns`. */
export function insertSql(table: string, columns: readonly string[]): string {
  return textFor(single, table, columns);
}

/** SQLite: the statement that adds all rows of one JSON array. Each row is an array of values in the order of `columns`. */
export function bulkInsertSql(table: string, columns: readonly string[]): string {
  return textFor(bulk, table, columns);
}

const single = (table: string, columns: readonly string[]) =>
  `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;

// With `json_each` SQLite would write each row as text, and parse that text for each column.
const bulk = (table: string, columns: readonly string[]) =>
  `INSERT INTO ${table} (${columns.join(", ")})
   SELECT ${columns.map((_, index) => `value ->> ${index}`).join(", ")} FROM jsonb_each(?)`;

type Shape = (table: string, columns: readonly string[]) => string;

const texts = new Map<Shape, Map<string, string>>([
  [single, new Map()],
  [bulk, new Map()],
]);

function textFor(shape: Shape, table: string, columns: readonly string[]): string {
  const name = `${table}(${columns.join()})`;
  const known = texts.get(shape)?.get(name);
  if (known !== undefined) return known;
  for (const word of [table, ...columns]) assertIdentifier(word);
  const sql = shape(table, columns);
  texts.get(shape)?.set(name, sql);
  return sql;
}

function assertIdentifier(word: string): void {
  if (!/^[a-z][a-z0-9_]*$/.test(word)) throw new Error(`"${word}" is not the name of a table or column.`);
}

interface Assignments {
  /** The text after SET; empty if no value is given. */
  readonly sql: string;
  readonly values: readonly Value[];
}

/**
 * The part of an UPDATE that sets the columns whose value is given. Column names come from the code, never from a
 * request.
 */
export function assignments(columns: Readonly<Record<string, Value | undefined>>): Assignments {
  const given = Object.entries(columns).filter((entry): entry is [string, Value] => entry[1] !== undefined);
  return {
    sql: given.map(([column]) => `${column} = ?`).join(", "),
    values: given.map(([, value]) => value),
  };
}

const mark = "/* planned each time */ ";

/**
 * Marks a statement whose best plan depends on its values, so that PostgreSQL plans it for each execution. Without the mark
 * the statement is named, and after five executions PostgreSQL uses one plan for all values. SQLite ignores the mark.
 */
export const plannedEachTime = (sql: string): string => mark + sql;

/** Whether `plannedEachTime` made this statement. */
export const isPlannedEachTime = (sql: string): boolean => sql.startsWith(mark);

/** Rejects if the database does not answer. */
export async function ping(reader: Reader): Promise<void> {
  await reader.get("SELECT 1 AS one");
}
