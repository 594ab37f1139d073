import { cutTo, onOneLine, widthOf } from "./plain-text.ts";

const gap = "  ";
const narrowest = 8;
const idLength = 36;

type Columns = readonly { readonly least: number; readonly most: number }[];

/**
 * The rows of a table. Columns are as wide as their longest cell, or narrower to fit the terminal. A single word
 * (an id, an address, an instant) is never cut: its row continues on an indented line instead.
 */
export function table(rows: readonly (readonly string[])[], columns: number): string[] {
  const cells = rows.map((row) => row.map(onOneLine));
  const lines = packed(measured(cells), columns);
  return cells.map((row) =>
    lines
      .map(({ from, widths }) => widths.map((width, at) => padded(row[from + at] ?? "", width)).join(gap))
      .map((line) => line.trimEnd())
      .filter((line, at) => at === 0 || line !== "")
      .join(`\n${gap}`),
  );
}

/** Whether each row fits on one line. */
export const fitsOnOneLine = (rows: readonly (readonly string[])[], columns: number): boolean =>
  packed(measured(rows.map((row) => row.map(onOneLine))), columns).length === 1;

const measured = (rows: readonly (readonly string[])[]): Columns =>
  (rows[0] ?? []).map((_, at) => {
    const cells = rows.map((row) => row[at] ?? "");
    const most = Math.max(...cells.map(widthOf));
    return { most, least: Math.min(most, Math.max(narrowest, ...cells.map(wordWidth))) };
  });

function wordWidth(cell: string): number {
  const width = widthOf(cell);
  return width > idLength || cell.includes(" ") ? 0 : width;
}

/** The columns that share a line, with their widths. */
function packed(columns: Columns, available: number): { from: number; widths: number[] }[] {
  const starts = [0];
  let used = -gap.length;
  columns.forEach(({ least }, at) => {
    used += gap.length + least;
    if (used <= available || at === 0) return;
    starts.push(at);
    used = gap.length + least;
  });
  return starts.map((from, line) => {
    const room = available - (line === 0 ? 0 : gap.length);
    return { from, widths: fitted(columns.slice(from, starts[line + 1]), room) };
  });
}

/** Narrows the widest column that is above its minimum, until all fit. */
function fitted(columns: Columns, available: number): number[] {
  const widths = columns.map(({ most }) => most);
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - available;
  while (excess > 0) {
    const spare = columns.map(({ least }, at) => ((widths[at] ?? 0) > least ? (widths[at] ?? 0) : 0));
    const most = Math.max(...spare);
    if (most === 0) break;
    widths[spare.indexOf(most)] = most - 1;
    excess -= 1;
  }
  return widths;
}

function padded(cell: string, width: number): string {
  const cut = cutTo(cell, width);
  return cut + " ".repeat(Math.max(0, width - widthOf(cut)));
}
