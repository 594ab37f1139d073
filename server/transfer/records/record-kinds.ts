import type { Field, Naming, Stored } from "../fields.ts";

/** A stored row without the columns that the database fills itself. */
export type StoredRow = Readonly<Record<string, Stored>>;

/** How the rows of one table stand in an export, and how an import stores them. */
export interface RecordKind {
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
  /** Columns that neither the file nor an import has, and why. */
  readonly left?: Readonly<Record<string, string>>;
  /** What is wrong with values that are right one by one. */
  readonly disagreement?: (line: Readonly<Record<string, unknown>>) => string | undefined;
  /** What an import makes of a row that cannot go on as it was. */
  readonly adjusted?: (row: StoredRow, now: string) => StoredRow;
  /** The records below. Their `parent` holds the id of this one. */
  readonly below?: readonly RecordKind[];
}

/** The name of a column in a line. */
export const nameOf = ({ read }: RecordKind, column: string): string =>
  read?.[column]?.name ?? camelCase(column);

const camelCase = (column: string): string =>
  column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** A kind and all kinds below, parents first. */
export const withBelow = (kind: RecordKind): RecordKind[] => [kind, ...(kind.below ?? []).flatMap(withBelow)];
