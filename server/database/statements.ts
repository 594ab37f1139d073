import type { Exactly, Into, Reader, Sql, Transaction, Value } from "./database.ts";
import type { Added, AnyTable, Row } from "./schema/table.ts";

/** Returns the statement that adds one row, with its values. */
export function insertStatement(table: Into<object> | string, row: object): { sql: string; values: Value[] } {
  const { name, columns, values } = addedRow(table, row);
  return { sql: insertSql(name, columns), values };
}

interface AddedRow {
  readonly name: string;
  readonly columns: readonly string[];
  readonly values: Value[];
}

/** Returns the columns of a new row with their values. Fields that are undefined are not included. */
export function addedRow(table: Into<object> | string, row: object): AddedRow {
  if (typeof table === "string")
    return { name: table, columns: Object.keys(row), values: Object.values(row) };
  const columns: string[] = [];
  const values: Value[] = [];
  for (const [field, value] of Object.entries(row)) {
    const column = table.fields.get(field);
    if (column === undefined || value === undefined) continue;
    columns.push(column);
    values.push(value);
  }
  return { name: table.name, columns, values };
}

/** Returns the column of a table that has this field. Throws an error if the table has no such column. */
export function columnOf({ name, fields }: Pick<AnyTable, "name" | "fields">, field: string): string {
  const column = fields.get(field);
  if (column === undefined) throw new Error(`The table ${name} has no column for "${field}".`);
  return column;
}

/** Returns a list of columns for a SELECT or RETURNING clause. Each column gets its TypeScript name. */
export const listed = <Of extends AnyTable>(
  table: Of,
  fields: readonly (keyof Row<Of> & string)[],
  alias?: string,
): string =>
  fields
    .map((field) => {
      const column = columnOf(table, field);
      const named = alias === undefined ? column : `${alias}.${column}`;
      return field === column ? named : `${named} AS "${field}"`;
    })
    .join(", ");

/** Returns the SELECT statement that reads these fields of a table. `rest` comes after the FROM clause. */
export const select = <Of extends AnyTable, Field extends keyof Row<Of> & string>(
  table: Of,
  fields: readonly Field[],
  rest = "",
): Sql<Pick<Row<Of>, Field>> => `SELECT ${listed(table, fields)} FROM ${table.name} ${rest}`;

/** Creates a function that returns the text for a list of columns. It calls `make` only once for each list. */
function textsBy(make: (columns: readonly string[]) => string): (columns: readonly string[]) => string {
  const texts = new Map<string, string>();
  return (columns) => {
    const name = columns.join();
    const sql = texts.get(name) ?? make(columns);
    texts.set(name, sql);
    return sql;
  };
}

/**
 * Creates a function that sets fields of the rows which `rest` selects. The function returns the number of these
 * rows. Fields that are undefined are not changed. If no field is set, the function changes nothing and returns 0.
 */
export function update<Of extends AnyTable>(table: Of, rest: string) {
  const textFor = textsBy(
    (columns) => `UPDATE ${table.name} SET ${columns.map((column) => `${column} = ?`).join(", ")} ${rest}`,
  );
  return async <Given extends Changed<Of> & object>(
    tx: Transaction,
    set: Given & Exactly<Row<Of>, Given>,
    ...values: Value[]
  ): Promise<number> => {
    const { columns, values: given } = addedRow(table, set);
    return columns.length === 0 ? 0 : tx.run(textFor(columns), ...given, ...values);
  };
}

/** The fields that an update sets. */
type Changed<Of> = { readonly [Field in keyof Row<Of>]?: Row<Of>[Field] | undefined };

/**
 * Creates a function that adds a row. `rest` comes after the values, for example an ON CONFLICT clause. The function
 * returns whether a row was added or changed.
 */
export function insert<Of extends AnyTable>(table: Of, rest: string) {
  const textFor = textsBy((columns) => `${single(table.name, columns)} ${rest}`);
  return async <Given extends Added<Of> & object>(
    tx: Transaction,
    row: Given & Exactly<Added<Of>, Given>,
  ): Promise<boolean> => {
    const { columns, values } = addedRow(table, row);
    return (await tx.run(textFor(columns), ...values)) > 0;
  };
}

/** Returns the statement that adds one row. Its values are in the order of `columns`. */
export function insertSql(table: string, columns: readonly string[]): string {
  return textFor(single, table, columns);
}

/**
 * Returns the statement for SQLite that adds all rows of one JSON array. Each row is an array of values in the order of
 * `columns`.
 */
export function bulkInsertSql(table: string, columns: readonly string[]): string {
  return textFor(bulk, table, columns);
}

const single = (table: string, columns: readonly string[]) =>
  `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;

// This uses `jsonb_each` and not `json_each`. With `json_each`, SQLite would write each row as text and parse that
// text again for each column.
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
  if (!/^[a-z][a-z0-9_]*$/.test(word)) throw new Error(`"${word}" is not the name of a table or a column.`);
}

const mark = "/* planned each time */ ";

/**
 * Marks a statement whose best plan depends on its values. PostgreSQL then plans the statement for each execution.
 * Without the mark, a statement may get a name. After five executions, PostgreSQL may then use one plan for all
 * values. SQLite ignores the mark.
 */
export const plannedEachTime = (sql: string): string => mark + sql;

/** Whether `plannedEachTime` created this statement. */
export const isPlannedEachTime = (sql: string): boolean => sql.startsWith(mark);

/** Rejects if the database does not answer. */
export async function ping(reader: Reader): Promise<void> {
  await reader.get("SELECT 1 AS one");
}
