import { ApiError } from "../../../src/contract/errors.ts";
import type { RateLimitName } from "../../../src/contract/limits.ts";
import type { Clock } from "../../clock.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Database, Transaction } from "../../store/engine/database.ts";
import { peek, type RateVerdict } from "../../store/requests/rate-limits.ts";
import { createLeasedLimits } from "./leased-limits.ts";
import { createLimitsInMemory } from "./limits-in-memory.ts";
import { consumeOrRefuse, type GiveBack, spendExactly, spendExactlyOnWait } from "./spend-exactly.ts";
import type { Due } from "./storing.ts";

/** A limit, and the credential that it limits. */
export interface Spending {
  readonly who: string;
  readonly rateLimit: RateLimitName;
}

/** What one mutation uses up. Its transaction may be repeated: only the last use counts. */
export interface MutationUse {
  /** Uses up one use of the limit. Throws `rate_limited` with the seconds to wait. */
  spend(tx: Transaction, spending: Spending): Promise<void>;
  /** After the transaction: whether it has committed. If not, the use is given back. */
  end(hasCommitted: boolean): void;
}

/**
 * The rate limits of endpoints. On SQLite, which one server writes, they are counted in memory. On PostgreSQL a limit up to
 * 120 is exact in the database, and of a higher one each server takes shares. (decision 100)
 */
export interface Limiter {
  /** Uses up one use outside a transaction. Throws `rate_limited` with the seconds to wait. */
  spend(spending: Spending): Promise<void>;
  /**
   * Makes the function that does the same for many requests that wait for nothing: it gives whether the use is counted. If
   * not, the request may be refused, or counting it needs the database.
   */
  spenderAtOnce(spending: Spending): () => boolean;
  /** The same for a request that may be held, so that its use can be given back. */
  spendOnWait(spending: Spending): Promise<GiveBack>;
  /** The verdict that a use would get. Counts nothing. */
  look(spending: Spending): Promise<RateVerdict>;
  mutation(): MutationUse;
  /** Whether the limit is counted without the database. */
  isInMemory(name: RateLimitName): boolean;
  /** Stores what is counted in memory: everything in its last form, or what is due, so that the work is spread. */
  settle(which?: Due): Promise<void>;
  /** Forgets what is in memory, because all uses were deleted. */
  forget(): void;
}

interface Needed {
  readonly database: Database;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly settings: Pick<Settings, "rateLimits">;
}

/** Up to this limit, servers that share a database count each use there. */
const mostExact = 120;
/** The limit of rule T30 is exact at every moment, also after a crash. */
const alwaysExact: RateLimitName = "sdkSession";

export function createLimiter(deps: Needed): Limiter {
  const { database, clock, settings } = deps;
  const memory = createLimitsInMemory(database, clock);
  const leased = createLeasedLimits(deps);
  const isInMemory = (name: RateLimitName) => database.engine === "sqlite" && name !== alwaysExact;
  const isExact = (name: RateLimitName) =>
    name === alwaysExact || settings.rateLimits[name].limit <= mostExact;
  const limited = (spending: Spending) => limitedUse(spending, deps);

  async function spendInMemory(spending: Spending, tx?: Transaction): Promise<GiveBack> {
    const { key, rule } = limited(spending);
    const taken = memory.take(key, rule, tx);
    const verdict = "allowed" in taken ? taken : await taken;
    if (!verdict.allowed) throw refused(verdict);
    return async () => memory.giveBack(key, verdict.at);
  }

  async function spendShare(spending: Spending): Promise<GiveBack> {
    const { key, rule } = limited(spending);
    const verdict = await leased.take(key, rule);
    if (!verdict.allowed) throw refused(verdict);
    return async () => verdict.giveBack();
  }

  /** Uses up one use inside a transaction. Gives what is done when it has ended. */
  async function spendInside(tx: Transaction, spending: Spending): Promise<AfterTransaction> {
    if (isInMemory(spending.rateLimit)) return { giveBack: await spendInMemory(spending, tx) };
    const use = limited(spending);
    if (isExact(spending.rateLimit)) return consumeOrRefuse(tx, use).then(() => ({}));
    const verdict = await leased.takeIn(tx, use.key, use.rule);
    if (!verdict.allowed) throw refused(verdict);
    return verdict;
  }

  return {
    isInMemory,
    settle: (which = "everything") => (database.engine === "sqlite" ? memory.settle(which) : leased.settle()),
    forget: memory.forget,
    mutation: () => mutationUse(spendInside),

    async spend(spending) {
      if (isInMemory(spending.rateLimit)) await spendInMemory(spending);
      else if (isExact(spending.rateLimit)) await spendExactly(database, limited(spending));
      else await spendShare(spending);
    },

    spenderAtOnce(spending) {
      const { key, rule } = limited(spending);
      if (isInMemory(spending.rateLimit)) return () => memory.takeAtOnce(key, rule);
      return isExact(spending.rateLimit) ? () => false : () => leased.takeAtOnce(key);
    },

    spendOnWait(spending) {
      if (isInMemory(spending.rateLimit)) return spendInMemory(spending);
      return isExact(spending.rateLimit)
        ? spendExactlyOnWait(database, limited(spending))
        : spendShare(spending);
    },

    look(spending) {
      const use = limited(spending);
      if (isInMemory(spending.rateLimit)) return memory.look(use.key, use.rule);
      return isExact(spending.rateLimit) ? peek(database, use) : leased.look(use.key, use.rule);
    },
  };
}

const limitedUse = (
  { rateLimit, who }: Spending,
  { clock, settings }: Pick<Needed, "clock" | "settings">,
) => ({
  key: `${rateLimit}:${who}`,
  rule: settings.rateLimits[rateLimit],
  clock,
});

interface AfterTransaction {
  readonly begin?: () => void;
  readonly giveBack?: () => unknown;
}

function mutationUse(
  spendInside: (tx: Transaction, spending: Spending) => Promise<AfterTransaction>,
): MutationUse {
  let after: AfterTransaction = {};
  return {
    async spend(tx, spending) {
      after.giveBack?.();
      after = {};
      after = await spendInside(tx, spending);
    },
    end(hasCommitted) {
      if (hasCommitted) after.begin?.();
      else after.giveBack?.();
    },
  };
}

const refused = ({ retryAfterSeconds }: { readonly retryAfterSeconds: number }): ApiError =>
  new ApiError("rate_limited", { retryAfterSeconds });
