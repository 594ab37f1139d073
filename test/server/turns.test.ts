import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createTurns, type LargeBody } from "../../server/http/turns.ts";
import type { ApiError } from "../../src/contract/errors.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);
const budgets = { uploads: 2, uploadsPerKey: 2, uploadTurnMilliseconds: 5_000, bodyBytesPerSecond: 16_384 };

/** A body that comes evenly from now on. */
function coming(bytes: number, bytesPerSecond: number): LargeBody {
  const since = performance.now();
  return { bytes, came: () => ((performance.now() - since) / 1_000) * bytesPerSecond };
}

/** Two keys hold both places, with bodies as given. Gives which of them are cut, and what a third key meets after a time. */
async function third(held: readonly LargeBody[], after: number, newcomer: LargeBody) {
  const takeTurn = createTurns(budgets);
  const cut: number[] = [];
  for (const [at, body] of held.entries()) {
    const turn = await takeTurn(`key ${at}`, body);
    turn.onCut(() => {
      cut.push(at);
      turn.over();
    });
  }
  await seconds(after);
  const outcome = takeTurn("another", newcomer).then(
    () => "taken",
    ({ code }: ApiError) => code,
  );
  await seconds(6);
  return { cut, outcome: await outcome };
}

const proof = 5_242_880;

it("large bodies of different keys at twice the least rate come to their end while others wait", async () => {
  const same = () => coming(proof, 32_768);
  for (const after of [10, 31, 60, 120])
    expect(await third([same(), same()], after, same())).toEqual({ cut: [], outcome: "busy" });
});

it("the one that would take the longest loses its place to a shorter one after half a minute", async () => {
  const held = () => [coming(proof, 65_536), coming(proof, 16_384)];
  const newcomer = coming(1_048_576, 65_536);
  expect(await third(held(), 29, newcomer)).toEqual({ cut: [], outcome: "busy" });
  expect(await third(held(), 31, newcomer)).toEqual({ cut: [1], outcome: "taken" });
});

it("one of unknown length, and one that does not come, lose theirs to any whose length is known", async () => {
  const unknown = coming(Number.POSITIVE_INFINITY, 65_536);
  expect(await third([coming(proof, 65_536), unknown], 31, coming(proof, 65_536))).toMatchObject({
    cut: [1],
  });
  expect(await third([coming(proof, 65_536), coming(1, 0)], 31, coming(proof, 65_536))).toMatchObject({
    cut: [1],
  });
  expect(await third([unknown, unknown], 31, unknown)).toEqual({ cut: [], outcome: "busy" });
});

it("a key with two more loses its longest one at once", async () => {
  const takeTurn = createTurns(budgets);
  const cut: string[] = [];
  for (const name of ["first", "second"]) {
    const turn = await takeTurn("greedy", coming(proof, 65_536));
    turn.onCut(() => {
      cut.push(name);
      turn.over();
    });
    await seconds(1);
  }
  await takeTurn("another", coming(proof, 65_536));
  expect(cut).toEqual(["first"]);
});
