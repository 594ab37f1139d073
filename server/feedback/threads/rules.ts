import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";

/** Whether a thread with this status is unfinished. Only unfinished threads can be snoozed. */
export const isUnfinished = (status: string): boolean => status === "open" || status === "in_progress";

/**
 * Returns why a thread cannot be snoozed until the given time. Undefined if it can be snoozed. A null time ends the
 * snooze, which is always possible. (rule F42)
 */
export function snoozeRefusal(
  { status, until }: { readonly status: string; readonly until: string | null },
  now: Date,
): ApiError | undefined {
  if (until === null) return undefined;
  const ahead = Date.parse(until) - now.getTime();
  if (!(ahead > 0) || ahead > limits.snoozeDays * 86_400_000)
    return badRequest("snoozedUntil", `must be in the next ${limits.snoozeDays} days`);
  if (isUnfinished(status)) return undefined;
  return new ApiError("wrong_state", { message: "Only an open thread can be snoozed." });
}
