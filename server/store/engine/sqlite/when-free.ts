import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "../errors.ts";

const patienceMs = 5_000;

/** Repeats what SQLite refuses because another process holds the lock, for five seconds, without blocking the event loop between. */
export async function whenFree<Result>(action: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    await sleep(5);
  }
}
