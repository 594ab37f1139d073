import { join } from "node:path";
import { readIfThere, stateFolder, writePrivately } from "../../credentials/folders.ts";
import type { Context } from "./context.ts";

const dayMs = 86_400_000;

/** Whether a day has passed since an instant, as epoch milliseconds; also if the clock was set back. */
export const isDayOver = (since: number, now: number): boolean => now - since >= dayMs || since > now;

/** Whether it is time to say something that is said at most once a day on this machine. Notes that it is said now. */
export function isTimeToSay(context: Context, what: string): boolean {
  const file = join(stateFolder(context), `said-${what}`);
  const now = context.clock.now();
  const before = Date.parse(readIfThere(file)?.trim() ?? "");
  if (!Number.isNaN(before) && !isDayOver(before, now.getTime())) return false;
  try {
    writePrivately(file, `${now.toISOString()}\n`, context.newId);
  } catch {
    // It is said more often then.
  }
  return true;
}
