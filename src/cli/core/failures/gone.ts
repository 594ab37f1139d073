/** What took the place of the commands for continuous copies. */
export const copiesByLitestream =
  'Litestream makes continuous copies of SQLite now, and `litestream restore` restores them: see "Continuous copies" in docs/operating.md.';

/** Commands of earlier versions, by the words with which they are refused, and what took their place. */
const goneCommands: Readonly<Record<string, string>> = { "unknown command 'instants'": copiesByLitestream };

/** What took the place of the command that the message of a refusal names; undefined if it never existed. */
export const insteadOf = (message: string): string | undefined =>
  Object.entries(goneCommands).find(([words]) => message.includes(words))?.[1];
