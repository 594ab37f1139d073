/** One figure: what was measured, the measured ratio or amount, and the goal. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** `>=` or `<=` and a number. */
  readonly goal: readonly [">=" | "<=", number];
  readonly detail: string;
}

/** A measurement that ended with an error. */
export interface Failure {
  readonly name: string;
  readonly error: unknown;
}

export type Measured = Figure | Failure;

/** Measures figures. A failed measurement becomes a figure with its error, and the others are still measured. */
export async function attempt(
  name: string,
  measure: () => Promise<Measured | Measured[]>,
): Promise<Measured[]> {
  try {
    return [await measure()].flat();
  } catch (error) {
    return [{ name, error }];
  }
}

export const isFailure = (measured: Measured): measured is Failure => "error" in measured;

/** The figures as a table for people. */
export function table(figures: readonly Measured[]): string {
  const rows = figures.map(rowOf);
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

function rowOf(measured: Measured): string[] {
  if (isFailure(measured)) return [measured.name, "", "", "FAILED", String(measured.error)];
  const { name, value, unit, goal, detail } = measured;
  const [sign, limit] = goal;
  const met = sign === ">=" ? value >= limit : value <= limit;
  const amount = `${value.toFixed(value < 10 ? 3 : 0)} ${unit}`.trim();
  return [name, amount, `${sign} ${limit}`, met ? "met" : "MISSED", detail];
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
