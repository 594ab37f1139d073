import { text } from "../../src/contract/fields.ts";

/**
 * Returns why nobody can search for a text, for example because it is too long; undefined if it is a possible search.
 * `most` is the maximum number of characters.
 */
export function searchFaultOf(q: string, most: number): string | undefined {
  const fault = q === "" ? undefined : text(1, most).safeParse(q).error?.issues[0]?.message;
  if (fault === undefined) return undefined;
  const { length } = [...q];
  return length > most ? `The search ${fault}. It has ${length}.` : `The search ${fault}.`;
}
