import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { networkOf } from "../../http/address.ts";
import { hashOf } from "../../secrets.ts";
import type { Transaction } from "../../store/database.ts";
import { consume, giveBack } from "../../store/rate-limits.ts";

/** Somebody tries a password: for which account, known or not, and from where. */
export interface Attempt {
  readonly email: string;
  readonly address: string;
}

type Limiting = Pick<Deps, "database" | "settings" | "clock">;

/**
 * Counts an attempt as failed before its password is looked at: however many come at once, no more are tried than
 * the limits allow. Throws `rate_limited`.
 */
export async function beginAttempt({ database, settings, clock }: Limiting, attempt: Attempt): Promise<void> {
  if (!settings.rateLimited) return;
  await database.write(async (tx) => {
    for (const [name, key] of keysOf(attempt)) {
      const verdict = await consume(tx, key, settings.rateLimits[name], clock);
      if (!verdict.allowed)
        throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
    }
  });
}

/** Takes the count of an attempt back, because it succeeded. */
export async function succeed(
  { settings }: Pick<Deps, "settings">,
  tx: Transaction,
  attempt: Attempt,
): Promise<void> {
  if (!settings.rateLimited) return;
  for (const [, key] of keysOf(attempt)) await giveBack(tx, key);
}

const keysOf = ({ email, address }: Attempt) =>
  [
    ["signInByAccount", `signInByAccount:${hashOf(email)}`],
    ["signInByAddress", `signInByAddress:${networkOf(address)}`],
  ] as const;
