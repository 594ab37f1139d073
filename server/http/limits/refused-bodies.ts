import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { createUseLog, giveUseBack, sizeOf, takeUse, type UseLog } from "../../domain/limits/use-log.ts";
import type { Sender } from "../bodies/body-memory.ts";
import { createRecentEntries } from "./recent-entries.ts";

/**
 * Counts a request before its head is judged. Throws `rate_limited`. Gives the function that takes the use back, for a
 * request whose body could be read.
 */
export type CountBody = (sender: Sender) => () => void;

interface Counted {
  readonly key: string;
  readonly log: UseLog;
  weight: number;
}

/** So many times of uses stay in memory. Over that, networks that sent nothing lately are forgotten. */
const mostTimes = 200_000;

/**
 * The limit on refused bodies of senders without a credential. (rule H18) It is counted in memory alone: it protects the
 * time of this process, and a write to the database would cost more than the refusal.
 */
export function createCountBody({ clock, settings }: Pick<Deps, "clock" | "settings">): CountBody {
  const networks = createRecentEntries<Counted>(({ log }) => 1 + sizeOf(log), mostTimes);
  const logOf = (key: string): Counted => {
    const known = networks.find(key);
    if (known) return known;
    networks.makeRoom(() => []);
    const added = { key, log: createUseLog(), weight: 0 };
    networks.add(added);
    return added;
  };

  return ({ id, anonymous }) => {
    if (!anonymous || !settings.rateLimited) return () => {};
    const counted = logOf(id);
    const verdict = takeUse(counted.log, clock.now().getTime(), settings.rateLimits.refusedBodiesByAddress);
    networks.weigh(counted);
    if (!verdict.allowed)
      throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
    return () => {
      giveUseBack(counted.log, verdict.at);
      networks.weigh(counted);
    };
  };
}
