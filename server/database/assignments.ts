import type { Value } from "./database.ts";

export interface Assignments {
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
