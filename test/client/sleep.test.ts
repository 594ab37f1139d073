import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sleep } from "../../src/client/wait.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const year = 365 * 86_400_000;

it("the function sleep can wait a year, which is longer than the longest timer", async () => {
  let over = false;
  const waited = sleep(year).then(() => {
    over = true;
  });
  await vi.advanceTimersByTimeAsync(year - 1);
  expect(over).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await waited;
  expect(vi.getTimerCount()).toBe(0);
});

it("the function sleep ends if the signal aborts, even after the first of several timers", async () => {
  const interruption = new AbortController();
  const waited = sleep(year, interruption.signal);
  const end = expect(waited).rejects.toThrow("enough");
  await vi.advanceTimersByTimeAsync(year / 2);
  interruption.abort(new Error("enough"));
  await end;
  expect(vi.getTimerCount()).toBe(0);
});
