/** The place of an entry among others: they are listed by `sortOrder`. */
export interface Placed {
  readonly id: string;
  readonly sortOrder: number;
}

export type Direction = "up" | "down";

/**
 * What must change for an entry to change places with its neighbour, given all entries in their order: the two, and
 * more only where entries shared a number. Nothing where there is no such entry or neighbour.
 */
export function moveFaq(faqs: readonly Placed[], id: string, direction: Direction): Placed[] {
  const from = faqs.findIndex((faq) => faq.id === id);
  const to = direction === "up" ? from - 1 : from + 1;
  const [moving, neighbour] = [faqs[from], faqs[to]];
  if (!moving || !neighbour) return [];
  const wanted = faqs.with(from, neighbour).with(to, moving);
  const places = distinctPlaces(faqs);
  return wanted.flatMap((faq, at) => {
    const sortOrder = places[at] ?? at;
    return faq.sortOrder === sortOrder ? [] : [{ id: faq.id, sortOrder }];
  });
}

function distinctPlaces(faqs: readonly Placed[]): number[] {
  let last = Number.NEGATIVE_INFINITY;
  return faqs.map(({ sortOrder }) => {
    last = Math.max(sortOrder, last + 1);
    return last;
  });
}
