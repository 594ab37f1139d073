import type { UnknownValue } from "./found.ts";

/** Returns what a page or a command says about an unknown value of an operator. */
export const unknownValueText = ({ operator, value, allowed }: UnknownValue): string =>
  `${operator}:${value} was searched as words. The search understands: ${allowed.join(", ")}.`;
