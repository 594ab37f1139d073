/** The position of an entry. Entries are listed by `sortOrder`. */
export interface FaqPosition {
  readonly id: string;
  readonly sortOrder: number;
}

export type Direction = "up" | "down";

/**
 * The new positions when an entry swaps places with its neighbour. `faqs` are all entries in their order. Two entries
 * change, and more only if entries shared a number. Empty if there is no such entry or neighbour.
 */
export function moveFaq(faqs: readonly FaqPosition[], id: string, direction: Direction): FaqPosition[] {
  const from = faqs.findIndex((faq) => faq.id === id);
  const to = direction === "up" ? from - 1 : from + 1;
  const [moving, neighbour] = [faqs[from], faqs[to]];
  if (!moving || !neighbour) return [];
  const wanted = faqs.with(from, neighbour).with(to, moving);
  const places = distinctPositions(faqs);
  return wanted.flatMap((faq, at) => {
    const sortOrder = places[at] ?? at;
    return faq.sortOrder === sortOrder ? [] : [{ id: faq.id, sortOrder }];
  });
}

function distinctPositions(faqs: readonly FaqPosition[]): number[] {
  let last = Number.NEGATIVE_INFINITY;
  return faqs.map(({ sortOrder }) => {
    last = Math.max(sortOrder, last + 1);
    return last;
  });
}
