import { describe, expect, it } from "vitest";
import { planFaqList } from "../../../server/domain/content/faq-list.ts";

const a = { id: "a", question: "A?", answer: "A.", sortOrder: 1 };
const b = { id: "b", question: "B?", answer: "B.", sortOrder: 2 };
const fresh = { question: "New?", answer: "New." };

describe("the plan from one FAQ list to another", () => {
  it("is empty if nothing differs", () => {
    expect(planFaqList([a, b], [a, b])).toEqual({ create: [], update: [], remove: [] });
  });

  it("creates entries without an id at their position", () => {
    const plan = planFaqList([], [fresh, { ...fresh, sortOrder: 40 }, fresh]);
    expect(plan).toMatchObject({ create: [{ sortOrder: 1 }, { sortOrder: 40 }, { sortOrder: 3 }] });
  });

  it("updates only entries with another text or position", () => {
    const swapped = [b, a].map(({ sortOrder, ...faq }) => faq);
    expect(planFaqList([a, b], swapped)).toMatchObject({
      update: [
        { id: "b", sortOrder: 1 },
        { id: "a", sortOrder: 2 },
      ],
    });
    expect(planFaqList([a, b], [a, { ...b, answer: "Other." }])).toMatchObject({
      update: [{ id: "b", answer: "Other." }],
    });
  });

  it("removes entries that are not in the list", () => {
    expect(planFaqList([a, b], [b])).toMatchObject({ update: [], remove: ["a"] });
  });

  it("fails if an id is unknown or repeated", () => {
    expect(planFaqList([a], [a, { ...fresh, id: "x" }, a])).toEqual({
      wrong: [
        { at: 1, why: "is not the id of an entry of this app" },
        { at: 2, why: "is the id of an earlier element, too" },
      ],
    });
  });
});
