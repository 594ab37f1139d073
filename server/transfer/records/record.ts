import { isNestedDeeperThan, isObject } from "../../../src/contract/json.ts";
import type { AnyTable } from "../../database/schema/table.ts";
import { withoutSenderLinks } from "../../mail/sender/links.ts";
import { type Field, id as idField, type Naming, type Stored } from "../fields.ts";

/** A line of an export, read as JSON. */
export type Line = Readonly<Record<string, unknown>>;

/** The version of the format. A file of another version is refused. */
export const formatVersion = 1;

/** The longest line in bytes. The longest record, a release note, has less. */
export const mostLineBytes = 4 * 1_048_576;

/** How deep a line may be nested. Metadata has five levels. */
const deepest = 16;

/** Reads one line. Returns a text that says what is wrong with it if it is no JSON object. */
export function parseLine(text: string): Line | string {
  if (isNestedDeeperThan(text, deepest)) return `nests deeper than ${deepest} levels`;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : "must be a JSON object";
  } catch {
    return "is not JSON";
  }
}

/** Everything that is wrong with the values of a record. */
export function faultsOf(kind: RecordKind, line: Line): string[] {
  const fields = fieldsOf(kind);
  const faults = fields.flatMap(([name, { fault }]) => {
    const found = Object.hasOwn(line, name) ? fault(line[name]) : "is missing";
    return found === undefined ? [] : [`\`${name}\` ${found}`];
  });
  const known = new Set(["type", ...fields.map(([name]) => name)]);
  for (const name of Object.keys(line))
    if (!known.has(name)) faults.push(`\`${name.slice(0, 50)}\` is unknown`);
  const together = faults.length === 0 ? kind.disagreement?.(line) : undefined;
  return together === undefined ? faults : [together];
}

/** The fields of a line by their names. A record below another one names it. */
function fieldsOf(kind: RecordKind) {
  const own = Object.entries(kind.columns).map(([column, field]) => [nameOf(kind, column), field] as const);
  return isBelow(kind) ? [...own, [nameOf(kind, kind.parent), idField] as const] : own;
}

/** Whether the parent of a record is another record, and not the app. */
const isBelow = ({ parent }: RecordKind): boolean => parent !== "app_id" && parent !== "id";

/** What an import stores of a line without faults. */
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

/** An older version of a server stored and exported links to senders' pages. They may still work there. (rule M8) */
const withoutLinks = (stored: Stored): Stored =>
  typeof stored === "string" ? withoutSenderLinks(stored) : stored;

/** The line of a stored row, whose values stand in the order of `columns`, after those of the parent. */
export function lineOf(kind: RecordKind, row: StoredRow): Line {
  const own = Object.entries(kind.columns).map(([column, field]) => [
    nameOf(kind, column),
    field.shown(row[column] ?? null),
  ]);
  const above = isBelow(kind) ? [[nameOf(kind, kind.parent), row[kind.parent]]] : [];
  return { type: kind.type, ...Object.fromEntries([...above, ...own]) };
}

/** A stored row without the columns that the database fills itself. */
export type StoredRow = Readonly<Record<string, Stored>>;

/** How the rows of one table stand in an export, and how an import stores them. */
export interface RecordKind<Tables extends string = string> {
  /** What a line says in `type`. */
  readonly type: string;
  readonly table: string;
  /** The column with the id of the app or of the record above. */
  readonly parent: string;
  /** The columns by which the rows of one parent are in order. Together with the parent they name one row. */
  readonly order: readonly string[];
  /** The columns that the file holds. A line has their names in camel case. */
  readonly columns: Readonly<Record<string, Field>>;
  /** Columns that the file holds in another form than the table: an expression of SQL, and the name in a line. */
  readonly read?: Readonly<Record<string, { readonly sql: string; readonly name: string }>>;
  /** The expression of an index for the parent, if it is not the column. */
  readonly parentSql?: string;
  /** Which rows the file holds, if not all. */
  readonly where?: string;
  /** Columns that an import sets by itself. */
  readonly fixed?: Readonly<Record<string, (naming: Naming) => Stored>>;
  /** Columns with the id of the app. */
  readonly app?: readonly string[];
  /** Columns with the id of a person, as the file names them. The file holds a line `person` for each. */
  readonly people?: readonly string[];
  /** Columns that the file does not hold, and why. */
  readonly left?: Readonly<Record<string, string>>;
  /** What is wrong with values that are right one by one. */
  readonly disagreement?: (line: Readonly<Record<string, unknown>>) => string | undefined;
  /** What an import makes of a row that cannot go on as it was. */
  readonly adjusted?: (row: StoredRow, now: string) => StoredRow;
  /** The records below. Their `parent` holds the id of this one. */
  readonly below?: readonly RecordKind[];
  /** For the compiler alone: the names of its table and of those below. */
  readonly tables?: Tables;
}

/** What a record says of its table, with the columns that it names as types. */
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

/** Nothing, or an argument that nobody can give: its type names the columns that are missing. */
type Unsaid<Column> = [Column] extends [never] ? [] : [neitherExportedNorLeft: { readonly column: Column }];

/**
 * Describes how the rows of a table stand in an export. It does not compile unless each column of the table is exported, set by
 * the import, or left out with a reason.
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

/** The name of a column in a line. */
const nameOf = ({ read }: RecordKind, column: string): string => read?.[column]?.name ?? camelCase(column);

const camelCase = (column: string): string =>
  column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** A kind and all kinds below, parents first. */
export const withBelow = (kind: RecordKind): RecordKind[] => [kind, ...(kind.below ?? []).flatMap(withBelow)];
