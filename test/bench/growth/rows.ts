/** Rows to insert: the table with its columns, how many, and the SELECT list over the numbers `n` from 1 on that fit `where`. */
export interface Rows {
  readonly into: string;
  readonly count: number;
  readonly select: string;
  readonly where?: string;
}
