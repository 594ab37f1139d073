import { describe, expect, it } from "vitest";
import { planFaqList } from "../../../../server/content/faqs/rules.ts";

const marks = { pushedHash: null, pushedSortOrder: null, translations: {} };
const at = "2026-11-28T10:00:00.000Z";
const replacing = {
  at,
  baseOf: () => "base",
  pushed: ({ question }: { readonly question: string }) => `hash of ${question}`,
};
const a = { id: "a", question: "A?", answer: "A.", sortOrder: 1, ...marks };
const b = { id: "b", question: "B?", answer: "B.", sortOrder: 2, ...marks };
const textOf = (question: string, answer: string) => ({
  text: { question, answer, pushedHash: `hash of ${question}${answer}` },
});
const fresh = textOf("New?", "New.");
const ids = ({ id }: { id: string }) => ({ id });
/** An entry after a replacement with its text and position. */
const pushed = (faq: typeof a) => ({
  ...faq,
  pushedHash: textOf(faq.question, faq.answer).text.pushedHash,
  pushedSortOrder: faq.sortOrder,
});
const whole = ({ id, question, answer, sortOrder }: typeof a) => ({
  id,
  ...textOf(question, answer),
  sortOrder,
});

const planned = (present: Parameters<typeof planFaqList>[0], wanted: Parameters<typeof planFaqList>[1]) =>
  planFaqList(present, wanted, replacing);

describe("the plan from one FAQ list to another", () => {
  it("is empty if nothing differs", () => {
    const present = [pushed(a), pushed(b)];
    expect(planned(present, [whole(a), whole(b)])).toEqual({ create: [], update: [], remove: [] });
  });

  it("keeps an entry unchanged, with its marks, if the request contains only its id", () => {
    const present = [pushed(a), b];
    expect(planned(present, present.map(ids))).toEqual({ create: [], update: [], remove: [] });
  });

  it("changes only the mark of an entry whose text and position are unchanged", () => {
    expect(planned([a], [whole(a)])).toMatchObject({ update: [{ ...pushed(a), isEdit: false }] });
  });

  it("moves an entry without a change of its text", () => {
    expect(planned([pushed(a)], [{ id: "a", sortOrder: 9 }])).toMatchObject({
      update: [{ ...pushed(a), sortOrder: 9, pushedSortOrder: 9, isEdit: true, isRewritten: false }],
    });
  });

  it("creates entries without an id at their position", () => {
    const plan = planned([], [fresh, { ...fresh, sortOrder: 40 }, fresh]);
    expect(plan).toMatchObject({ create: [{ sortOrder: 1 }, { sortOrder: 40 }, { sortOrder: 3 }] });
  });

  it("updates only entries with another text or position", () => {
    const swapped = [
      { id: "b", sortOrder: 1 },
      { id: "a", sortOrder: 2 },
    ];
    expect(planned([a, b], swapped)).toMatchObject({
      update: [
        { id: "b", sortOrder: 1 },
        { id: "a", sortOrder: 2 },
      ],
    });
    expect(planned([pushed(a), b], [whole(a), whole({ ...b, answer: "Other." })])).toMatchObject({
      update: [{ id: "b", answer: "Other.", isEdit: true, isRewritten: true }],
    });
  });

  it("removes entries that are not in the list", () => {
    expect(planned([a, b], [ids(b)])).toMatchObject({ update: [], remove: ["a"] });
  });

  it("fails if an id is unknown or repeated", () => {
    expect(planned([a], [ids(a), { ...fresh, id: "x" }, ids(a)])).toEqual({
      wrong: [
        { at: 1, why: "is not the id of an entry of this app" },
        { at: 2, why: "is also the id of an earlier element" },
      ],
    });
  });
});
