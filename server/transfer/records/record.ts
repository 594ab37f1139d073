import { withoutSenderLinks } from "../../../src/contract/report-texts.ts";
import type { AnyTable } from "../../database/schema/table.ts";
import { type Field, id as idField, type Naming, type Stored } from "../fields.ts";

/** A line of an export, parsed as JSON. */
export type Line = Readonly<Record<string, unknown>>;

/** The version of the format. A file of another version is refused. */
export const formatVersion = 1;

/** Returns all faults in the values of a record. */
export function faultsOf(kind: RecordKind, line: Line): string[] {
  const fields = fieldsOf(kind);
  const faults = fields.flatMap(([name, { fault, isNewer }]) => {
    if (isNewer && !Object.hasOwn(line, name)) return [];
    const found = Object.hasOwn(line, name) ? fault(line[name]) : "is missing";
    return found === undefined ? [] : [`\`${name}\` ${found}`];
  });
  const known = new Set(["type", ...fields.map(([name]) => name)]);
  for (const name of Object.keys(line))
    if (!known.has(name)) faults.push(`\`${name.slice(0, 50)}\` is unknown`);
  const together = faults.length === 0 ? kind.disagreement?.(line) : undefined;
  return together === undefined ? faults : [together];
}

/** Returns the fields of a line. They include the id of a parent record. */
function fieldsOf(kind: RecordKind) {
  const own = Object.entries(kind.columns).map(([column, field]) => [nameOf(kind, column), field] as const);
  return isBelow(kind) ? [...own, [nameOf(kind, kind.parent), idField] as const] : own;
}

/** Whether the parent of a record is another record and not the app. */
const isBelow = ({ parent }: RecordKind): boolean => parent !== "app_id" && parent !== "id";

/** Returns the row that an import stores for a line without faults. */
export function rowOf(kind: RecordKind, line: Line, place: Naming & { readonly appId: string }): StoredRow {
  const own = Object.entries(kind.columns).map(([column, field]): [string, Stored] => [
    column,
    withoutLinks(field.stored(line[nameOf(kind, column)], place)),
  ]);
  const fixed = Object.entries(kind.fixed ?? {}).map(([column, value]): [string, Stored] => [
    column,
    value(place),
  ]);
  const above = isBelow(kind) ? idField.stored(line[nameOf(kind, kind.parent)], place) : place.appId;
  const inApp = (kind.app ?? []).map((column): [string, Stored] => [column, place.appId]);
  const row = Object.fromEntries([...own, ...fixed, [kind.parent, above], ...inApp]);
  return kind.adjusted ? kind.adjusted(row, place.now) : row;
}

/** Removes secret links to senders' pages, which may still work on the old server. (rule M8) */
const withoutLinks = (stored: Stored): Stored =>
  typeof stored === "string" ? withoutSenderLinks(stored) : stored;

export function lineOf(kind: RecordKind, row: StoredRow): Line {
  const own = Object.entries(kind.columns).map(([column, field]) => [
    nameOf(kind, column),
    field.shown(row[column] ?? null),
  ]);
  const above = isBelow(kind) ? [[nameOf(kind, kind.parent), row[kind.parent]]] : [];
  return { type: kind.type, ...Object.fromEntries([...above, ...own]) };
}

/** A row without the columns that the database fills itself. */
export type StoredRow = Readonly<Record<string, Stored>>;

/** How an export writes the rows of one table, and how an import stores them. */
export interface RecordKind<Tables extends string = string> {
  /** The value of `type` in a line. */
  readonly type: string;
  readonly table: string;
  /** The column with the id of the parent. The parent is the app or another record. */
  readonly parent: string;
  /** The columns by which the rows of one parent are sorted. Together with the parent they identify a row. */
  readonly order: readonly string[];
  /** The columns that the file contains. In a line of the file, their names are in camel case. */
  readonly columns: Readonly<Record<string, Field>>;
  /**
   * Columns whose values an export computes with the SQL expression `sql`. `name` is the name in a line of the
   * file.
   */
  readonly read?: Readonly<Record<string, { readonly sql: string; readonly name: string }>>;
  /** The indexed SQL expression for the id of the parent. The default is the column `parent`. */
  readonly parentSql?: string;
  /** The SQL condition for the exported rows. By default, all rows are exported. */
  readonly where?: string;
  /** Columns that the file does not contain, and the functions with which an import creates their values. */
  readonly fixed?: Readonly<Record<string, (naming: Naming) => Stored>>;
  /** Columns in which an import stores the id of the app. */
  readonly app?: readonly string[];
  /** Columns with the id of a person. The file contains a line `person` for each of these people. */
  readonly people?: readonly string[];
  /** Columns that are neither exported nor set by an import, and why. */
  readonly left?: Readonly<Record<string, string>>;
  /** Returns a fault if values contradict each other, although each single value is correct. */
  readonly disagreement?: (line: Readonly<Record<string, unknown>>) => string | undefined;
  /** Changes the row from the file before an import stores it. */
  readonly adjusted?: (row: StoredRow, now: string) => StoredRow;
  /** The kinds of child records. Their column `parent` contains the id of a record of this kind. */
  readonly below?: readonly RecordKind[];
  /** This field is never set. Its type names the tables of this kind and of the kinds in `below`. */
  readonly tables?: Tables;
}

/** A `RecordKind` whose column names are checked by the compiler. */
interface Described<
  Name,
  Own extends string,
  Fixed extends string,
  Left extends string,
  App,
  Below extends string,
> extends Omit<RecordKind, "table" | "tables"> {
  readonly order: readonly (Name & string)[];
  readonly columns: Readonly<Record<Own, Field>>;
  readonly fixed?: Readonly<Record<Fixed, (naming: Naming) => Stored>>;
  readonly app?: readonly (App & string)[];
  readonly people?: readonly (Name & string)[];
  readonly left?: Readonly<Record<Left, string>>;
  readonly below?: readonly RecordKind<Below>[];
}

type ColumnOf<Of extends AnyTable> = keyof Of["columns"] & string;

/** If a column is not described, this argument makes the compiler name the missing column. */
type Unsaid<Column> = [Column] extends [never] ? [] : [neitherExportedNorLeft: { readonly column: Column }];

/**
 * Describes how rows are exported and imported. The compiler finds each column that is not described. (rule X4)
 */
export const recordOf = <
  Of extends AnyTable,
  Parent extends ColumnOf<Of>,
  Own extends ColumnOf<Of>,
  Fixed extends ColumnOf<Of> = never,
  Left extends ColumnOf<Of> = never,
  App extends ColumnOf<Of> = never,
  Below extends string = never,
>(
  table: Of,
  kind: Described<ColumnOf<Of>, Own, Fixed, Left, App, Below> & { readonly parent: Parent },
  ..._unsaid: Unsaid<Exclude<ColumnOf<Of>, Parent | Own | Fixed | Left | App>>
): RecordKind<Of["name"] | Below> => ({ ...kind, table: table.name });

/** Returns the name of a column in a line. */
const nameOf = ({ read }: RecordKind, column: string): string => read?.[column]?.name ?? camelCase(column);

const camelCase = (column: string): string =>
  column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
