import { diffArrays } from "diff";

/** A line of the comparison of two plans, or a number of lines that both have and that are left out. */
export type DifferenceLine =
  | { readonly kind: "same" | "added" | "removed"; readonly at: number; readonly text: string }
  | { readonly kind: "left-out"; readonly at: number; readonly count: number };

export type PlanDifference =
  | { readonly kind: "same" | "line-ends" | "too-different" }
  | {
      readonly kind: "lines";
      readonly lines: readonly DifferenceLine[];
      readonly added: number;
      readonly removed: number;
    };

/** How many lines may be added and removed in total. More takes too long to find, and is easier to read as a new plan. */
const mostChanges = 400;
/** How many lines that both have are shown around a change. */
const around = 3;

/** Compares two plans line by line. Two kinds of line end count as the same. (rule A51) */
export function planDifference(earlier: string, later: string): PlanDifference {
  if (earlier === later) return { kind: "same" };
  const changes = diffArrays(linesOf(earlier), linesOf(later), { maxEditLength: mostChanges });
  if (!changes) return { kind: "too-different" };
  const lines = changes
    .flatMap(({ added, removed, value }) => {
      const kind = added ? ("added" as const) : removed ? ("removed" as const) : ("same" as const);
      return value.map((text) => ({ kind, text }));
    })
    .map((line, at) => ({ ...line, at }));
  const countOf = (kind: string) => lines.filter((line) => line.kind === kind).length;
  const [added, removed] = [countOf("added"), countOf("removed")];
  if (added + removed === 0) return { kind: "line-ends" };
  return { kind: "lines", lines: withoutDistant(lines), added, removed };
}

const linesOf = (text: string): string[] => text.split(/\r?\n/);

/** Leaves out the lines that are far from every change. */
function withoutDistant(lines: readonly Extract<DifferenceLine, { text: string }>[]): DifferenceLine[] {
  const near = new Set(
    lines.flatMap(({ kind, at }) =>
      kind === "same" ? [] : Array.from({ length: 2 * around + 1 }, (_, step) => at - around + step),
    ),
  );
  const shown: DifferenceLine[] = [];
  for (const line of lines) {
    const last = shown.at(-1);
    if (near.has(line.at)) shown.push(line);
    else if (last?.kind === "left-out") shown[shown.length - 1] = { ...last, count: last.count + 1 };
    else shown.push({ kind: "left-out", at: line.at, count: 1 });
  }
  return shown;
}
