import type { UnknownValue } from "./found.ts";

/** Returns the sentence about an unknown value, for a page and a command. */
export const unknownValueText = ({ operator, value, allowed }: UnknownValue): string =>
  `${operator}:${value} was searched as words. What the search understands: ${allowed.join(", ")}.`;
