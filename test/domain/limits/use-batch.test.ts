import { describe, expect, it } from "vitest";
import {
  changesIn,
  createUseBatch,
  noteUse,
  type Place,
  textOfBatch,
} from "../../../server/domain/limits/use-batch.ts";

const start = 1_763_900_000_000;
const placeOf = (key: string): Place => ({ key, batch: undefined, place: 0 });

describe("a batch of uses", () => {
  it("gives the changes of each key in their order", () => {
    const batch = createUseBatch();
    const [one, two] = [placeOf("one"), placeOf("two")];
    noteUse(batch, one, start, false);
    noteUse(batch, two, start + 40_000_000_000, false);
    noteUse(batch, one, start - 5, false);
    noteUse(batch, one, start, true);
    expect([...changesIn(textOfBatch(batch))]).toEqual([
      [
        "one",
        [
          { at: start, count: 1 },
          { at: start - 5, count: 1 },
          { at: start, count: -1 },
        ],
      ],
      ["two", [{ at: start + 40_000_000_000, count: 1 }]],
    ]);
  });

  it("names a key once, and again in the next batch", () => {
    const one = placeOf("one");
    const [first, second] = [createUseBatch(), createUseBatch()];
    for (let n = 0; n < 100; n += 1) noteUse(first, one, start + n, false);
    noteUse(second, one, start, false);
    expect(first.keys).toEqual(["one"]);
    expect(second.keys).toEqual(["one"]);
    expect(textOfBatch(first).length).toBeLessThan(600);
  });
});
