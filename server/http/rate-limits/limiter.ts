import type { RateLimitName } from "../../../src/contract/limits.ts";
import type { Transaction } from "../../database/database.ts";
import type { RateVerdict } from "./store.ts";

/** A use of a limit: the limit, and the key under which it is counted, such as the id of a credential. */
export interface Spending {
  readonly who: string;
  readonly rateLimit: RateLimitName;
}

/** Undoes the counting of one use. */
export type GiveBack = () => void;

/** The use of one mutation. Its transaction may run several times, but only its last use counts. */
export interface MutationUse {
  /** Counts one use. Throws `rate_limited` with the seconds to wait. */
  spend(tx: Transaction, spending: Spending): Promise<void>;
  /** Call it after the transaction. If it has not committed, the use is undone. */
  end(hasCommitted: boolean): void;
}

/** The rate limits of endpoints. (rules H16, H17) */
export interface Limiter {
  /** Counts one use outside a transaction. Throws `rate_limited` with the seconds to wait. */
  spend(spending: Spending): Promise<void>;
  /** Counts one use of a limit in memory, without waiting. Returns a function that undoes this. */
  spendAtOnce(spending: Spending): GiveBack;
  /** The verdict that a use would get. Counts nothing. */
  look(spending: Spending): Promise<RateVerdict>;
  mutation(): MutationUse;
  /** Deletes all counts in memory. */
  forget(): void;
}
