import { LRUCache } from "lru-cache";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import type { GiveBack, Spending } from "./limiter.ts";
import {
  bytesOf,
  createUseLog,
  giveUseBack,
  lookAtUses,
  takeUse,
  type UseLog,
  type UseVerdict,
} from "./use-log.ts";

export interface UsesInMemory {
  /** Counts one use. Throws `rate_limited`. */
  take(spending: Spending): GiveBack;
  /** The verdict that a use would get. */
  look(spending: Spending): UseVerdict;
  forget(): void;
}

/** What a key takes beside its text and its uses: its place in the cache, and the objects of its log. */
const placeBytes = 300;

/**
 * Counts uses in the memory of this process, which take at most `mostBytes`. Over that, the keys that were not used for the
 * longest time are forgotten.
 */
export function createUsesInMemory(
  { clock, settings }: Pick<Deps, "clock"> & { readonly settings: Pick<Deps["settings"], "rateLimits"> },
  mostBytes: number,
): UsesInMemory {
  const logs = new LRUCache<string, { readonly log: UseLog }>({
    maxSize: mostBytes,
    // A letter takes two bytes, unless all letters of the text are of Latin 1.
    sizeCalculation: ({ log }, key) => placeBytes + 2 * key.length + bytesOf(log),
  });
  const keyOf = ({ who, rateLimit }: Spending) => `${rateLimit}:${who}`;
  return {
    take(spending) {
      const { log } = logs.get(keyOf(spending)) ?? { log: createUseLog() };
      const verdict = takeUse(log, clock.now().getTime(), settings.rateLimits[spending.rateLimit]);
      // In a new object, or the cache would not weigh it again.
      logs.set(keyOf(spending), { log });
      if (!verdict.allowed)
        throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
      return () => void giveUseBack(log, verdict.at);
    },
    look(spending) {
      const { log } = logs.get(keyOf(spending)) ?? { log: createUseLog() };
      return lookAtUses(log, clock.now().getTime(), settings.rateLimits[spending.rateLimit]);
    },
    forget: () => logs.clear(),
  };
}
