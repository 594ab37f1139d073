import { ApiError } from "../../../src/contract/errors.ts";
import type { RateLimitName } from "../../../src/contract/limits.ts";
import type { Deps } from "../../deps.ts";
import { networkOf } from "../../http/connections/client-address.ts";
import { hashOf } from "../../secrets/secrets.ts";
import type { Transaction } from "../../store/engine/database.ts";
import { consume, giveBack } from "../../store/requests/rate-limits.ts";

/** Somebody tries a password: for which account, known or not, and from where. */
export interface Attempt {
  readonly email: string;
  readonly address: string;
  /** The browser or device, where it has signed in to this account before. */
  readonly known?: string | undefined;
}

/** Where an attempt was counted. */
export type Counted = readonly string[];

type Limiting = Pick<Deps, "database" | "settings" | "clock">;
type Rule = readonly [RateLimitName, string];

/**
 * Counts an attempt as failed before its password is looked at: however many come at once, no more are tried than
 * the limits allow. A browser or device that has signed in to the account before has a limit of its own, which strangers
 * cannot use up, and then theirs. Throws `rate_limited`.
 */
export async function beginAttempt(deps: Limiting, attempt: Attempt): Promise<Counted> {
  if (!deps.settings.rateLimited) return [];
  return deps.database.write(async (tx) => {
    const own = ownRulesOf(attempt);
    if (own.length > 0 && (await count(tx, own, deps)) === undefined) return keysOf(own);
    const rules = strangerRulesOf(attempt);
    const retryAfterSeconds = await count(tx, rules, deps);
    if (retryAfterSeconds !== undefined) throw new ApiError("rate_limited", { retryAfterSeconds });
    return keysOf(rules);
  });
}

/** Takes the count of an attempt back, because it succeeded. */
export async function succeed(tx: Transaction, counted: Counted): Promise<void> {
  for (const key of counted) await giveBack(tx, key);
}

/** Uses up the limits. Gives the seconds to wait where one of them is used up. */
async function count(
  tx: Transaction,
  rules: readonly Rule[],
  { settings, clock }: Limiting,
): Promise<number | undefined> {
  for (const [name, key] of rules) {
    const verdict = await consume(tx, key, settings.rateLimits[name], clock);
    if (!verdict.allowed) return verdict.retryAfterSeconds;
  }
  return undefined;
}

const keysOf = (rules: readonly Rule[]): Counted => rules.map(([, key]) => key);

const ownRulesOf = ({ email, known }: Attempt): readonly Rule[] =>
  known === undefined
    ? []
    : [
        ["signInByKnown", `signInByKnown:${hashOf(`${known}\n${email}`)}`],
        ["signInByAllKnown", `signInByAllKnown:${hashOf(email)}`],
      ];

const strangerRulesOf = ({ email, address }: Attempt): readonly Rule[] => {
  const network = networkOf(address);
  return [
    ["signInByAccount", `signInByAccount:${hashOf(`${network}\n${email}`)}`],
    ["signInByAddress", `signInByAddress:${network}`],
  ];
};
