/** What took the place of the commands for continuous copies. */
export const copiesByLitestream =
  'Litestream makes continuous copies of SQLite now, and `litestream restore` restores them: see "Continuous copies" in docs/operating.md.';

/** Commands of earlier versions, and what took their place. */
export const goneCommands: Readonly<Record<string, string>> = { instants: copiesByLitestream };
