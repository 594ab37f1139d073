import { limits } from "../../src/contract/limits.ts";

/** `7`, or `99+` for more than are counted. (rule F54) */
export const shownCount = (count: number): string =>
  count > limits.mostCounted ? `${limits.mostCounted}+` : String(count);

/** `1 answer`, `2 answers`, `99+ answers`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${shownCount(count)} ${count === 1 ? one : many}`;
