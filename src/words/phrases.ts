/** Returns a number with its noun: `1 thread`, `2 threads`, `1,200 threads`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
