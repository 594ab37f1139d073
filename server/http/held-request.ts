import { limits } from "../../src/contract/limits.ts";
import type { Deps } from "../deps.ts";
import type { Request } from "./handler.ts";

/** The signals and limits of a waiting request; see `Waiting`. */
export interface Holding<Found> {
  readonly topics: readonly string[];
  readonly look: () => Promise<Found>;
  readonly enough: (found: Found) => boolean;
  readonly milliseconds: number;
  readonly listen?: (wake: () => void) => () => void;
  readonly attend?: (isResting: () => boolean) => () => void;
}

/**
 * Lets a request wait until it finds enough, or its time is over. A long wait that found nothing does not count against
 * the rate limit. Neither does a wait that ends because the server stops, because its client asks again. (rules A9,
 * A31)
 */
export async function hold<Found>(
  { clock, stopping, waiting }: Pick<Deps, "clock" | "stopping" | "waiting">,
  { giveBack, signal }: Pick<Request, "giveBack" | "signal">,
  { topics, look, ...options }: Holding<Found>,
): Promise<Found> {
  if (options.milliseconds === 0) return look();
  const since = clock.steadyMs();
  const found = await waiting.until(topics, look, { ...options, signal });
  if (options.enough(found)) return found;
  if (stopping.aborted || clock.steadyMs() - since >= limits.freeWaitSeconds * 1_000) giveBack();
  return found;
}
