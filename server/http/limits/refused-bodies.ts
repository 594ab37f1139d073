import { ApiError } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Deps } from "../../deps.ts";
import {
  createUseLog,
  giveUseBack,
  lookAtUses,
  type RateLimit,
  sizeOf,
  takeUse,
  type UseLog,
  type UseVerdict,
} from "../../domain/limits/use-log.ts";
import type { Sender } from "../bodies/body-memory.ts";
import { createRecentEntries } from "./recent-entries.ts";

/** Begins to judge a request of so many bytes, if it says how many it has. Throws `rate_limited`. */
export type CountBody = (sender: Sender, announced?: number) => Judged;

/** How a request that is counted was judged. */
export interface Judged {
  passed(): void;
  /** With the status of the answer. Throws `rate_limited` over the limit of a credential. */
  refused(status: number): void;
}

interface Counted {
  readonly key: string;
  readonly log: UseLog;
  weight: number;
}

/** So many times of uses stay in memory. Over that, networks that sent nothing lately are forgotten. */
const mostTimes = 200_000;

/**
 * The limits on requests that are refused before the limits of their endpoint are asked. (rule H18) They are counted in memory
 * alone: they protect the time of this process, and a write to the database would cost more than the refusal.
 *
 * A sender without a credential is counted before it is judged, so that requests at once are counted, too. For a credential
 * only refusals are counted, by credential and network: many devices may send at once with one app key, and one of them that is
 * broken must not stop the others. Behind one address there are many devices, too: so over the limit what is small is judged
 * still, and only what is refused gets the 429.
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

  const refuse = (verdict: UseVerdict) => {
    if (!verdict.allowed)
      throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
    return verdict.at;
  };
  const take = (key: string, rule: RateLimit) => {
    const counted = logOf(key);
    const verdict = takeUse(counted.log, clock.now().getTime(), rule);
    networks.weigh(counted);
    return { counted, verdict };
  };

  const judgeStranger = (id: string): Judged => {
    const { counted, verdict } = take(id, settings.rateLimits.refusedBodiesByAddress);
    const at = refuse(verdict);
    return {
      passed() {
        giveUseBack(counted.log, at);
        networks.weigh(counted);
      },
      refused() {},
    };
  };

  return ({ id, anonymous, network }, announced = Number.POSITIVE_INFINITY) => {
    if (!settings.rateLimited) return uncounted;
    if (anonymous) return judgeStranger(id);
    const key = `${id} ${network}`;
    const rule = settings.rateLimits.refusedByCredential;
    const before = announced <= limits.anonymousBody ? undefined : networks.find(key);
    if (before) refuse(lookAtUses(before.log, clock.now().getTime(), rule));
    return {
      passed() {},
      refused(status) {
        if (countedStatuses.includes(status)) refuse(take(key, rule).verdict);
      },
    };
  };
}

const uncounted: Judged = { passed() {}, refused() {} };

/** Refusals that a limit makes, and faults of the server, are not the sender's. */
const countedStatuses = [400, 403, 413, 415];
