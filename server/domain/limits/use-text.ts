/** How many uses there were at a time, in milliseconds since 1970. */
export interface Use {
  readonly at: number;
  count: number;
}

/** Begins a text. Older servers put several texts behind each other, began with `u`, or stored 13 digits for each use. */
const mark = ";";
const olderMark = "u";

/** Uses as a text: each as the distance from the one before it, in base 36, and its count if that is not 1. */
export function textOf(uses: readonly Use[]): string {
  let before = 0;
  const parts = uses.map(({ at, count }) => {
    const distance = (at - before).toString(36);
    before = at;
    return count === 1 ? distance : `${distance}.${count.toString(36)}`;
  });
  return mark + parts.join(" ");
}

/** The uses in a text of `textOf`, or in that of an older server, with later changes. A use that was taken back has the count -1. */
export function usesIn(text: string, changes: readonly Use[] = []): Use[] {
  const isOldest = text !== "" && !text.startsWith(mark);
  const stored = isOldest ? olderUsesIn(text) : text.split(mark).flatMap(partsIn);
  const uses: Use[] = [];
  for (const change of stored) apply(uses, change);
  for (const change of changes) apply(uses, change);
  return uses;
}

function apply(uses: Use[], { at, count }: Use): void {
  // The uses are in order, so this ends soon.
  const place = uses.findLastIndex((use) => use.at <= at);
  const use = uses[place];
  if (use?.at === at) use.count += count;
  else if (count > 0) uses.splice(place + 1, 0, { at, count });
  if (use && use.count <= 0) uses.splice(place, 1);
}

const olderUsesIn = (text: string): Use[] =>
  text.startsWith(olderMark)
    ? partsIn(text.slice(olderMark.length))
    : (text.match(/\d{13}/g) ?? []).map((at) => ({ at: Number(at), count: 1 }));

function partsIn(text: string): Use[] {
  let before = 0;
  return text
    .split(" ")
    .filter((part) => part !== "")
    .map((part) => {
      const [distance = "", count = "1"] = part.split(".");
      before += Number.parseInt(distance, 36);
      return { at: before, count: Number.parseInt(count, 36) };
    });
}
