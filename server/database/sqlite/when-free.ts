import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "../errors.ts";

const patienceMs = 5_000;

/**
 * Repeats an action for up to five seconds while another process holds the lock of the SQLite file. Does not block the
 * event loop between attempts.
 */
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
