/** One figure: what was measured, the ratio or amount that came out, and the goal. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** `>=` or `<=` and a number. */
  readonly goal: readonly [">=" | "<=", number];
  readonly detail: string;
}

/** The figures as a table for people. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, goal: [sign, limit], detail }) => [
    name,
    `${value.toFixed(value < 10 ? 3 : 0)} ${unit}`.trim(),
    `${sign} ${limit}`,
    (sign === ">=" ? value >= limit : value <= limit) ? "met" : "MISSED",
    detail,
  ]);
  const all = [["figure", "measured", "goal", "", "detail"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
