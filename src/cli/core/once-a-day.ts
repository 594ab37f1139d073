import { join } from "node:path";
import { readIfThere, stateFolder, writePrivately } from "../../credentials/folders.ts";
import type { Context } from "./context.ts";

const dayMs = 86_400_000;

/**
 * Whether a day has passed since a time in epoch milliseconds. Also true if that time is in the future, because the
 * clock was changed.
 */
export const isDayOver = (since: number, now: number): boolean => now - since >= dayMs || since > now;

/**
 * Whether a note may be shown now. This machine shows the note at most once a day. If the note may be shown, stores the
 * current time for it.
 */
export function mayShowToday(context: Context, what: string): boolean {
  const file = join(stateFolder(context), `said-${what}`);
  const now = context.clock.now();
  const before = Date.parse(readIfThere(file)?.trim() ?? "");
  if (!Number.isNaN(before) && !isDayOver(before, now.getTime())) return false;
  try {
    writePrivately(file, `${now.toISOString()}\n`, context.newId);
  } catch {
    // If the time cannot be stored, the note is shown more often.
  }
  return true;
}
