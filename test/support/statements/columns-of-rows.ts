/** All field names of a row type; for a union of two types, those of both. */
type NamesIn<Row> = Row extends unknown ? keyof Row & string : never;

/** True, or a sentence that says how a type of rows differs from the columns. A record of cells has any columns. */
export type Compared<Row, Columns extends string> = Row extends string
  ? Row
  : string extends NamesIn<Row>
    ? true
    : [Exclude<NamesIn<Row>, Columns>] extends [never]
      ? [Exclude<Columns, NamesIn<Row>>] extends [never]
        ? true
        : `The statement returns ${Exclude<Columns, NamesIn<Row>>}, which the type of its rows does not name.`
      : `The type of the rows names ${Exclude<NamesIn<Row>, Columns>}, which the statement does not return.`;

/** The row type of a statement that was created from the description of a table. */
export type RowsOf<Text> = Text extends { readonly rows?: infer Row }
  ? NonNullable<Row>
  : "The rows have no type.";

/** Does not compile if the type is a sentence. */
export type Same<Verdict extends true> = Verdict;
