import { ApiError } from "../../../src/contract/errors.ts";
import type { RateLimitName } from "../../../src/contract/limits.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { networkOf } from "../../http/network-addresses.ts";
import { consume, giveBack } from "../../http/rate-limits/store.ts";
import { hashOf } from "../../secrets/secrets.ts";

/** An attempt to sign in with a password: the account, which may not exist, and the network address. */
export interface Attempt {
  readonly email: string;
  readonly address: string;
  /** The id of the browser or device, if it has signed in to this account before. */
  readonly known?: string | undefined;
}

/** The limits against which an attempt was counted. */
export type Counted = readonly string[];

type Limiting = Pick<Deps, "database" | "settings" | "clock">;
type Rule = readonly [RateLimitName, string];

/**
 * Counts an attempt as failed before its password is checked, so that simultaneous attempts cannot exceed the limits. A
 * browser or device that has signed in to the account before has a limit of its own, which strangers cannot use up, and
 * after it the limit of all others. Throws `rate_limited`.
 */
export const beginAttempt = (deps: Limiting, attempt: Attempt): Promise<Counted> =>
  beginAs(deps, ownRulesOf(attempt), strangerRulesOf(attempt));

/** An attempt to show a second factor: the account, and where the attempt comes from. */
export interface FactorAttempt {
  readonly userId: string;
  readonly kind: "totp" | "recovery";
  readonly address: string;
  /** The id of the browser, device or session, if it has shown all factors of this account before. */
  readonly known: string | undefined;
}

/**
 * Counts a code of a second factor as wrong before it is checked. A browser or device that has signed in to the account before
 * has limits of its own, and after them those of all others. Throws `rate_limited`. (rule S24)
 */
export function beginFactorAttempt(deps: Limiting, attempt: FactorAttempt): Promise<Counted> {
  const { userId, kind, address, known } = attempt;
  const network = networkOf(address);
  if (kind === "recovery") return begin(deps, [["recoveryCodes", `recoveryCodes:${userId}:${network}`]]);
  const own = known === undefined ? [] : factorRulesOf(userId, hashOf(known), "known");
  return beginAs(deps, own, factorRulesOf(userId, network, "others"));
}

/** The limit of the day comes last: who is stopped by the limits of one place does not use up that of all. */
const factorRulesOf = (userId: string, place: string, group: "known" | "others"): readonly Rule[] => [
  ["secondFactor", `secondFactor:${userId}:${group}:${place}`],
  ["secondFactorByPlace", `secondFactorByPlace:${userId}:${group}:${place}`],
  ["secondFactorByDay", `secondFactorByDay:${userId}:${group}`],
];

/**
 * Counts a registration as refused before it is known whether the e-mail address has an account, so that nobody can ask for many.
 * Throws `rate_limited`. (rule S15)
 */
export const beginRegistration = (deps: Limiting, address: string): Promise<Counted> =>
  begin(deps, [["refusedRegistrationsByAddress", `refusedRegistrations:${networkOf(address)}`]]);

const begin = (deps: Limiting, rules: readonly Rule[]): Promise<Counted> => beginAs(deps, [], rules);

/** Counts by the own rules, if there are any and they allow it, otherwise by those of all. */
async function beginAs(deps: Limiting, own: readonly Rule[], rules: readonly Rule[]): Promise<Counted> {
  if (!deps.settings.rateLimited) return [];
  return deps.database.write(async (tx) => {
    if (own.length > 0 && (await count(tx, own, deps)) === undefined) return keysOf(own);
    const retryAfterSeconds = await count(tx, rules, deps);
    if (retryAfterSeconds !== undefined) throw new ApiError("rate_limited", { retryAfterSeconds });
    return keysOf(rules);
  });
}

/** Removes the count of an attempt that succeeded. */
export async function succeed(tx: Transaction, counted: Counted): Promise<void> {
  for (const key of counted) await giveBack(tx, key);
}

/** Uses up the limits. Returns the seconds to wait if one of them is used up. */
async function count(
  tx: Transaction,
  rules: readonly Rule[],
  { settings, clock }: Limiting,
): Promise<number | undefined> {
  for (const [name, key] of rules) {
    const verdict = await consume(tx, { key, rule: settings.rateLimits[name], clock });
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
