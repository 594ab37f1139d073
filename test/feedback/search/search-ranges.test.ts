import { describe, expect, it } from "vitest";
import { rangeOfSearch } from "../../../server/database/schema/search.ts";
import {
  type BackwardSearch,
  continueSearch,
  type Ranges,
  searchBackwards,
} from "../../../server/feedback/search/store/ranges.ts";

const soon = Number.POSITIVE_INFINITY;
const past = Number.NEGATIVE_INFINITY;

/** A search in eleven ranges, each with one thread that matches, which records the ranges that it reads. */
function searching(given: Partial<BackwardSearch> = {}) {
  const searched: Ranges[] = [];
  const searchRanges = async (ranges: Ranges, limit: number) => {
    searched.push(ranges);
    const { newest, oldest } = ranges;
    return Array.from({ length: newest - oldest + 1 }, (_, back) => (newest - back) * rangeOfSearch).slice(
      0,
      limit,
    );
  };
  const search = {
    end: 10 * rangeOfSearch + 7,
    limit: 50,
    until: soon,
    ranges: 1,
    most: 4,
    searchRanges,
    ...given,
  };
  return { search, searched };
}

const inRanges = (...numbers: number[]) => numbers.map((number) => number * rangeOfSearch);

describe("a search that reads threads in ranges", () => {
  it("searches each range once, the newest first, and ends with the oldest range", async () => {
    const { search, searched } = searching();
    const { seqs, reached } = await searchBackwards(search);
    expect(seqs).toEqual(inRanges(10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
    expect(reached).toBeUndefined();
    expect(searched.at(0)).toEqual({ newest: 10, oldest: 10 });
    for (const [at, { newest }] of searched.slice(1).entries())
      expect(newest).toBe((searched[at]?.oldest ?? 0) - 1);
    for (const { newest, oldest } of searched) expect(newest - oldest).toBeLessThan(4);
  });

  it("ends when the page is full", async () => {
    const { search } = searching({ limit: 3 });
    expect(await searchBackwards(search)).toEqual({ seqs: inRanges(10, 9, 8), reached: undefined });
  });

  it("ends when its time is over, but not before the first ranges, and returns its position", async () => {
    const { search, searched } = searching({ until: past, ranges: 2 });
    expect(await searchBackwards(search)).toEqual({ seqs: inRanges(10, 9), reached: 9 * rangeOfSearch });
    expect(searched).toHaveLength(1);
  });

  it("does not end early before the oldest range", async () => {
    const { search } = searching({ until: past, end: 7 });
    expect(await searchBackwards(search)).toEqual({ seqs: [0], reached: undefined });
  });

  it("continues from its position until the page is full", async () => {
    const { search, searched } = searching({ until: past, limit: 3 });
    const first = await searchBackwards(search);
    const more = await continueSearch(first, { ...search, ranges: 2, until: soon });
    expect(more).toEqual({ seqs: inRanges(10, 9, 8), reached: undefined });
    expect(searched).toEqual([
      { newest: 10, oldest: 10 },
      { newest: 9, oldest: 8 },
    ]);
    expect(await continueSearch({ seqs: [1], reached: undefined }, search)).toEqual({
      seqs: [1],
      reached: undefined,
    });
  });

  it("reads nothing more when its time is over after the first ranges", async () => {
    const { search, searched } = searching({ until: past });
    const first = await searchBackwards(search);
    expect(await continueSearch(first, search)).toEqual(first);
    expect(searched).toEqual([{ newest: 10, oldest: 10 }]);
  });
});
