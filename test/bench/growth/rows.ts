/**
 * Rows to insert: the table with its columns, their number, and the SELECT list. It is evaluated for the numbers `n`
 * from 1 on that match `where`.
 */
export interface Rows {
  readonly into: string;
  readonly count: number;
  readonly select: string;
  readonly where?: string;
}
