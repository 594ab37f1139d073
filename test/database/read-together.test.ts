import { expect, it } from "vitest";
import { type Reads, readTogether } from "../../server/database/read-together.ts";

/**
 * Reads that record their items. An item that is not a number fails alone; a common read that contains 13 fails
 * completely.
 */
function notedReads() {
  const calls: unknown[] = [];
  const reads: Reads<number, string> = {
    async one(item) {
      calls.push(item);
      if (Number.isNaN(item)) throw new Error("no number");
      return `alone ${item}`;
    },
    async many(items) {
      calls.push(items);
      if (items.includes(13)) throw new Error("13");
      return items.map((item) =>
        item < 0 ? { error: new Error(`below 0: ${item}`) } : { value: `together ${item}` },
      );
    },
  };
  return { calls, read: readTogether(reads) };
}

it("items that are requested at the same moment are read together, and each has its own result", async () => {
  const { calls, read } = notedReads();
  const outcomes = await Promise.allSettled([1, -2, 3].map(read));
  expect(outcomes).toEqual([
    { status: "fulfilled", value: "together 1" },
    { status: "rejected", reason: new Error("below 0: -2") },
    { status: "fulfilled", value: "together 3" },
  ]);
  expect(calls).toEqual([[1, -2, 3]]);
});

it("an item that is requested alone is read alone, and a later item is not part of an earlier read", async () => {
  const { calls, read } = notedReads();
  expect(await read(1)).toBe("alone 1");
  await Promise.all([read(2), read(3)]);
  await expect(read(Number.NaN)).rejects.toThrow("no number");
  expect(calls).toEqual([1, [2, 3], Number.NaN]);
});

it("each item is read alone if the common read fails", async () => {
  const { calls, read } = notedReads();
  const outcomes = await Promise.allSettled([12, 13, Number.NaN].map(read));
  expect(outcomes).toEqual([
    { status: "fulfilled", value: "alone 12" },
    { status: "fulfilled", value: "alone 13" },
    { status: "rejected", reason: new Error("no number") },
  ]);
  expect(calls).toEqual([[12, 13, Number.NaN], 12, 13, Number.NaN]);
});

it("at most 32 items are read together", async () => {
  const { calls, read } = notedReads();
  const items = Array.from({ length: 65 }, (_, item) => 100 + item);
  expect(await Promise.all(items.map(read))).toHaveLength(65);
  expect(calls).toEqual([items.slice(0, 32), items.slice(32, 64), 164]);
});
