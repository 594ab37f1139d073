import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createTurns, type LargeBody, type TurnSender } from "../../server/http/body/admission.ts";
import type { ApiError } from "../../src/contract/errors.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);
const budgets = { uploads: 2, uploadsPerKey: 2, uploadTurnMilliseconds: 5_000, bodyBytesPerSecond: 16_384 };

/** An owner with one key. */
const sender = (name: string): TurnSender => ({ key: `key of ${name}`, owner: name });

/** A body that arrives at a constant rate from now on. */
function coming(bytes: number, bytesPerSecond: number): LargeBody {
  const since = performance.now();
  return { bytes, arrivedBytes: () => ((performance.now() - since) / 1_000) * bytesPerSecond };
}

/**
 * Two owners upload the given bodies and use both places. Returns which bodies are ended, and the result of a third
 * owner after a time.
 */
async function third(held: readonly LargeBody[], after: number, newcomer: LargeBody) {
  const takeTurn = createTurns(budgets);
  const cut: number[] = [];
  for (const [at, body] of held.entries()) {
    const turn = await takeTurn(sender(`owner ${at}`), body);
    turn.onCut(() => {
      cut.push(at);
      turn.over();
    });
  }
  await seconds(after);
  const outcome = takeTurn(sender("another"), newcomer).then(
    () => "taken",
    ({ code }: ApiError) => code,
  );
  await seconds(6);
  return { cut, outcome: await outcome };
}

const proof = 5_242_880;

it("large bodies of different owners at twice the minimum rate are completed while others wait", async () => {
  const same = () => coming(proof, 32_768);
  for (const after of [10, 31, 60, 120])
    expect(await third([same(), same()], after, same())).toEqual({ cut: [], outcome: "busy" });
});

it("the body with the longest remaining time loses its place to a shorter body after half a minute", async () => {
  const held = () => [coming(proof, 65_536), coming(proof, 16_384)];
  const newcomer = coming(1_048_576, 65_536);
  expect(await third(held(), 29, newcomer)).toEqual({ cut: [], outcome: "busy" });
  expect(await third(held(), 31, newcomer)).toEqual({ cut: [1], outcome: "taken" });
});

it("a body that no longer arrives loses its place to any other body", async () => {
  expect(await third([coming(proof, 65_536), coming(1, 0)], 31, coming(proof, 65_536))).toMatchObject({
    cut: [1],
  });
  const slow = () => coming(1_200_000, 20_000);
  expect(await third([slow(), slow()], 31, coming(57_000_000, 65_536))).toMatchObject({
    cut: [0],
    outcome: "taken",
  });
});

it("an owner with two more bodies than another owner loses the longest body immediately", async () => {
  const takeTurn = createTurns(budgets);
  const cut: string[] = [];
  for (const name of ["first", "second"]) {
    const turn = await takeTurn(sender("greedy"), coming(proof, 65_536));
    turn.onCut(() => {
      cut.push(name);
      turn.over();
    });
    await seconds(1);
  }
  await takeTurn(sender("another"), coming(proof, 65_536));
  expect(cut).toEqual(["first"]);
});

it("an owner with many keys loses places to an owner without uploads, among the present uploads and in the queue", async () => {
  const takeTurn = createTurns(budgets);
  const refused: string[] = [];
  const asked = (key: string) =>
    takeTurn({ key, owner: "greedy" }, coming(proof, 65_536)).then(
      (turn) => turn.onCut(() => turn.over()),
      () => void refused.push(key),
    );
  const keys = Array.from({ length: 10 }, (_, at) => `key ${at}`);
  void keys.map(asked);
  expect(await takeTurn(sender("another"), coming(proof, 65_536))).toMatchObject({
    over: expect.any(Function),
  });
  expect(refused).toEqual(["key 9"]);
});
