import { text } from "../../src/contract/fields.ts";

/**
 * Returns why a search text is not allowed; undefined if it is allowed. `most` is the maximum length in
 * characters.
 */
export function searchFaultOf(q: string, most: number): string | undefined {
  const fault = q === "" ? undefined : text(1, most).safeParse(q).error?.issues[0]?.message;
  if (fault === undefined) return undefined;
  const { length } = [...q];
  return length > most ? `The search ${fault}. It has ${length}.` : `The search ${fault}.`;
}
