import { cutTo, onOneLine, widthOf } from "./plain-text.ts";

const gap = "  ";
const narrowest = 8;

/** Lines of a table whose columns are as wide as their longest cell, or narrower where the terminal is. */
export function table(rows: readonly (readonly string[])[], columns: number): string[] {
  const cells = rows.map((row) => row.map(onOneLine));
  const widths = fitted(widest(cells), columns);
  return cells.map((row) =>
    row
      .map((cell, at) => padded(cell, widths[at] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

const widest = (rows: readonly (readonly string[])[]): number[] =>
  (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ""))));

/** Takes from the widest column until all fit. */
function fitted(widths: readonly number[], columns: number): number[] {
  const narrowed = [...widths];
  let excess = narrowed.reduce((sum, width) => sum + width, gap.length * (narrowed.length - 1)) - columns;
  while (excess > 0) {
    const most = Math.max(...narrowed);
    if (most <= narrowest) break;
    narrowed[narrowed.indexOf(most)] = most - 1;
    excess -= 1;
  }
  return narrowed;
}

function padded(cell: string, width: number): string {
  const cut = cutTo(cell, width);
  return cut + " ".repeat(Math.max(0, width - widthOf(cut)));
}
