import { expect, it } from "vitest";
import { createSharedQueue } from "../../../server/store/engine/shared-queue.ts";
import { eventually } from "../../support/eventually.ts";

it("items that wait share a call, but two of the same name never do", async () => {
  const calls: string[][] = [];
  const queue = createSharedQueue<string>(
    async (items) => void calls.push([...items]),
    (item) => item.charAt(0),
  );
  for (const item of ["x", "a1", "b1", "a2", "c1", "a3"]) queue.add(item);
  await eventually(() => expect(calls.flat()).toHaveLength(6));
  expect(calls).toEqual([["x"], ["a1", "b1", "c1"], ["a2"], ["a3"]]);
});

it("at most a hundred items share a call", async () => {
  const calls: number[] = [];
  const queue = createSharedQueue<number>(async (items) => void calls.push(items.length));
  for (let item = 0; item < 251; item += 1) queue.add(item);
  await eventually(() => expect(calls).toEqual([1, 100, 100, 50]));
});
