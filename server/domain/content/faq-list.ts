/** An entry of the wanted list. An entry without an id is new. */
export interface WantedFaq {
  readonly id?: string | undefined;
  readonly question: string;
  readonly answer: string;
  readonly sortOrder?: number | null | undefined;
}

export interface PresentFaq {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly sortOrder: number;
}

type NewFaq = Omit<PresentFaq, "id">;

/**
 * The changes that turn the present list into the wanted one, or the positions in the wanted list whose ids are wrong.
 */
export type FaqListPlan =
  | { readonly wrong: readonly { readonly at: number; readonly why: string }[] }
  | {
      readonly create: readonly NewFaq[];
      readonly update: readonly PresentFaq[];
      readonly remove: readonly string[];
    };

/** Compares two lists. An entry without `sortOrder` gets its position in the wanted list, counted from 1. */
export function planFaqList(present: readonly PresentFaq[], wanted: readonly WantedFaq[]): FaqListPlan {
  const byId = new Map(present.map((faq) => [faq.id, faq]));
  const wrong = wrongIds(byId, wanted);
  if (wrong.length > 0) return { wrong };
  const placed = wanted.map((faq, at) => ({ ...faq, sortOrder: faq.sortOrder ?? at + 1 }));
  const kept = placed.flatMap(({ id, ...faq }) => (id === undefined ? [] : [{ id, ...faq }]));
  const keptIds = new Set(kept.map(({ id }) => id));
  return {
    create: placed.filter(({ id }) => id === undefined),
    update: kept.filter((faq) => !isSame(faq, byId.get(faq.id))),
    remove: present.map(({ id }) => id).filter((id) => !keptIds.has(id)),
  };
}

function wrongIds(byId: ReadonlyMap<string, PresentFaq>, wanted: readonly WantedFaq[]) {
  const seen = new Set<string>();
  return wanted.flatMap(({ id }, at) => {
    if (id === undefined) return [];
    if (!byId.has(id)) return [{ at, why: "is not the id of an entry of this app" }];
    if (seen.has(id)) return [{ at, why: "is the id of an earlier element, too" }];
    seen.add(id);
    return [];
  });
}

const isSame = (one: PresentFaq, other: PresentFaq | undefined): boolean =>
  one.question === other?.question && one.answer === other.answer && one.sortOrder === other.sortOrder;
