import { limits } from "../../src/contract/limits.ts";
import type { Deps } from "../deps.ts";
import type { Request } from "./handler.ts";

/** What a waiting request waits for, and for how long. `WaitOptions` in `handler.ts` explains the fields. */
export interface Holding<Found> {
  readonly topics: readonly string[];
  readonly look: () => Promise<Found>;
  readonly enough: (found: Found) => boolean;
  readonly milliseconds: number;
  readonly listen?: (wake: () => void) => () => void;
  readonly attend?: (isResting: () => boolean) => () => void;
}

/** Waits until `enough` accepts a result of `look`, or until the time is over. (rules A9, A31) */
export async function hold<Found>(
  { clock, stopping, waiting }: Pick<Deps, "clock" | "stopping" | "waiting">,
  { giveBack, signal }: Pick<Request, "giveBack" | "signal">,
  { topics, look, ...options }: Holding<Found>,
): Promise<Found> {
  if (options.milliseconds === 0) return look();
  const since = clock.steadyMs();
  const found = await waiting.until(topics, look, { ...options, signal });
  if (options.enough(found)) return found;
  // The request does not count against the rate limit if it waited long or if the server is stopping.
  if (stopping.aborted || clock.steadyMs() - since >= limits.freeWaitSeconds * 1_000) giveBack();
  return found;
}
