import type { RateLimitName } from "../../../src/contract/limits.ts";
import type { Transaction } from "../../database/database.ts";
import type { RateVerdict } from "./store.ts";

/** A limit, and the credential that it limits. */
export interface Spending {
  readonly who: string;
  readonly rateLimit: RateLimitName;
}

/** Takes back what a request has used up of its limit. */
export type GiveBack = () => void;

/** What one mutation uses up. Its transaction may be repeated: only the last use counts. */
export interface MutationUse {
  /** Uses up one use of the limit. Throws `rate_limited` with the seconds to wait. */
  spend(tx: Transaction, spending: Spending): Promise<void>;
  /** After the transaction: whether it has committed. If not, the use is given back. */
  end(hasCommitted: boolean): void;
}

/** The rate limits of endpoints. (rules H16, H17) */
export interface Limiter {
  /** Uses up one use outside a transaction. Throws `rate_limited` with the seconds to wait. */
  spend(spending: Spending): Promise<void>;
  /** The same at once, for a limit in memory. Returns the function that takes the use back. */
  spendAtOnce(spending: Spending): GiveBack;
  /** The verdict that a use would get. Counts nothing. */
  look(spending: Spending): Promise<RateVerdict>;
  mutation(): MutationUse;
  /** Forgets what is in memory. */
  forget(): void;
}
