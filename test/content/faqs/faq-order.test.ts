import { describe, expect, it } from "vitest";
import { type FaqPosition, moveFaq, placeFaq } from "../../../server/content/faqs/page/list.tsx";
import { fc } from "../../support/property.ts";

const placed = (...places: number[]): FaqPosition[] =>
  places.map((sortOrder, at) => ({ id: String(at), sortOrder }));

describe("a move of an FAQ entry", () => {
  it("exchanges two positions, and changes nothing else", () => {
    expect(moveFaq(placed(1, 5, 9), "2", "up")).toEqual([
      { id: "2", sortOrder: 5 },
      { id: "1", sortOrder: 9 },
    ]);
  });

  it.each([
    ["the first entry upwards", "0", "up"],
    ["the last entry downwards", "2", "down"],
    ["an entry that does not exist", "7", "up"],
  ] as const)("changes nothing for %s", (_, id, direction) => {
    expect(moveFaq(placed(1, 2, 3), id, direction)).toEqual([]);
  });

  it("is always by one position, even if several entries have the same position", () => {
    const places = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(places, fc.nat(), (unsorted, pick) => {
        const faqs = placed(...unsorted.sort((a, b) => a - b));
        const at = 1 + (pick % (faqs.length - 1));
        const changes = new Map(moveFaq(faqs, String(at), "up").map((faq) => [faq.id, faq.sortOrder]));
        const after = faqs.map((faq) => ({ ...faq, sortOrder: changes.get(faq.id) ?? faq.sortOrder }));
        const order = after.sort((a, b) => a.sortOrder - b.sortOrder).map(({ id }) => Number(id));
        const wanted = faqs.map((_, index) => index);
        wanted.splice(at - 1, 2, at, at - 1);
        expect(order).toEqual(wanted);
      }),
    );
  });

  it("can be to any position, and the other entries keep their order", () => {
    const places = fc.array(fc.integer({ min: -3, max: 9 }), { minLength: 2, maxLength: 9 });
    fc.assert(
      fc.property(places, fc.nat(), fc.nat(), (unsorted, pick, aim) => {
        const faqs = placed(...unsorted.sort((a, b) => a - b));
        const [from, to] = [pick % faqs.length, aim % faqs.length];
        const changes = new Map(placeFaq(faqs, String(from), to).map((faq) => [faq.id, faq.sortOrder]));
        const after = faqs.map((faq) => ({ ...faq, sortOrder: changes.get(faq.id) ?? faq.sortOrder }));
        const order = after.sort((a, b) => a.sortOrder - b.sortOrder).map(({ id }) => Number(id));
        const wanted = faqs.map((_, index) => index);
        wanted.splice(to, 0, ...wanted.splice(from, 1));
        expect(order).toEqual(wanted);
      }),
    );
  });

  it("changes one position if there is a gap, and changes nothing for a position that does not exist", () => {
    expect(placeFaq(placed(1, 5, 9, 20), "3", 1)).toEqual([{ id: "3", sortOrder: 2 }]);
    expect(placeFaq(placed(1, 2, 3, 4), "3", 0)).toEqual([{ id: "3", sortOrder: 0 }]);
    expect(placeFaq(placed(1, 2, 3), "0", 3)).toEqual([]);
    expect(placeFaq(placed(1, 2, 3), "7", 1)).toEqual([]);
  });
});
