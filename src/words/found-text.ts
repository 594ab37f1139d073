import type { UnknownValue } from "../contract/found.ts";

/** Returns what a page or a command says about an unknown value of an operator. */
export const unknownValueText = ({ operator, value, allowed }: UnknownValue): string =>
  `${operator}:${value} was searched as words. The search understands: ${allowed.join(", ")}.`;

/**
 * Returns what a page or a command says about `OR`, `AND` and `NOT` in a query, which the search takes as ordinary
 * words. Returns undefined if there is none, or if the whole query is in capital letters.
 */
export function logicWordsText(query: string): string | undefined {
  const unquoted = query.replaceAll(/"[^"]*"/g, " ");
  const words = unquoted.split(/\s+/).filter((word) => ["OR", "AND", "NOT"].includes(word));
  if (words.length === 0 || query === query.toUpperCase()) return undefined;
  return `The search looks for ${[...new Set(words)].join(", ")} as ordinary words. It finds threads with all words of a query. Put a minus before a word to leave out threads with it.`;
}
