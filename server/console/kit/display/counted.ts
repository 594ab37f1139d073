import { limits } from "../../../../src/contract/limits.ts";

/** A number of things that are counted only so far: `99+` if there are more. */
export const counted = (count: number): string =>
  count > limits.mostCounted ? `${limits.mostCounted}+` : String(count);
