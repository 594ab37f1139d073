import { describe, expect, it } from "vitest";
import { textOf, type Use, usesIn } from "../../../server/domain/limits/use-text.ts";
import { fc } from "../../support/property.ts";
import { rounds } from "../../support/torture.ts";

const start = 1_763_900_000_000;
const once = (at: number): Use => ({ at, count: 1 });

describe("the text of uses", () => {
  it("gives the same uses again, and is short", () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 100_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 900 }), (distances, count) => {
        const uses = distances.toSorted((a, b) => a - b).map((distance) => ({ at: start + distance, count }));
        const text = textOf(uses);
        expect(usesIn(text)).toEqual(uses);
        expect(text.length).toBeLessThan(20 + uses.length * 9);
      }),
      { numRuns: rounds(200, 5_000) },
    );
  });

  it.each([
    ["no text", "", []],
    ["13 digits for each use", `${start}${start + 5}`, [once(start), once(start + 5)]],
    ["one text with another mark", `u${start.toString(36)} 5`, [once(start), once(start + 5)]],
    [
      "several texts, of which one takes a use back",
      `${textOf([once(start), once(start + 3)])}${textOf([{ at: start + 3, count: -1 }])}`,
      [once(start)],
    ],
  ])("is read in the form of older servers: %s", (_form, text, uses) => {
    expect(usesIn(text)).toEqual(uses);
  });

  it("is read together with later changes", () => {
    const changes = [once(start + 9), { at: start, count: -1 }, once(start + 9)];
    expect(usesIn(textOf([once(start), once(start + 5)]), changes)).toEqual([
      once(start + 5),
      { at: start + 9, count: 2 },
    ]);
  });
});
