import { ApiError } from "../../../src/contract/errors.ts";
import type { RateLimitName } from "../../../src/contract/limits.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { limitApplies, networkOf } from "../../http/rate-limits/rate-limits.ts";
import { consume, giveBack } from "../../http/rate-limits/store.ts";
import { verifyPassword } from "../../secrets/passwords.ts";
import { hashOf } from "../../secrets/secrets.ts";
import { type UserRow, users } from "../accounts/store.ts";
import { isFresh } from "./rules.ts";
import { consoleSessions } from "./store.ts";

/**
 * Returns the account with this address and password. Otherwise throws `invalid_credentials`, which does not
 * tell whether the address or the password is wrong.
 */
export async function verifiedUser(
  { database }: Pick<Deps, "database">,
  email: string,
  password: string,
): Promise<UserRow> {
  const user = await users.findByEmail(database, email);
  const verified = await verifyPassword(user?.passwordHash, password);
  if (!user || !verified) throw new ApiError("invalid_credentials");
  return user;
}

/**
 * Throws `wrong_state` if the sign-in is not recent. A stranger at a signed-in browser must not get permanent
 * access.
 */
export async function assertFreshSession(
  { clock, database }: Pick<Deps, "clock" | "database">,
  { id, userId }: ConsoleCaller,
): Promise<void> {
  const now = clock.now();
  const rows = await consoleSessions.list(database, userId, now.toISOString());
  if (isFresh(rows.find(({ tokenHash }) => tokenHash === id)?.createdAt, now)) return;
  throw new ApiError("wrong_state", {
    message:
      "You signed in more than ten minutes ago. Sign out, sign in again, and then do this within ten minutes.",
  });
}

/** An attempt to sign in with a password. An account with this `email` may not exist. */
interface Attempt {
  readonly email: string;
  readonly address: string;
  /** The id of the browser or device, if it has signed in to this account before. */
  readonly known?: string | undefined;
}

/** The keys of the rate limits that counted an attempt. `uncountAttempt` needs them. */
export type Counted = readonly string[];

type LimitDeps = Pick<Deps, "database" | "settings" | "clock">;

type Rule = readonly [RateLimitName, string];

/**
 * Counts an attempt as failed before the check, so that simultaneous attempts cannot exceed the limits. Throws
 * `rate_limited`. (rule S17)
 */
export const beginAttempt = (deps: LimitDeps, attempt: Attempt): Promise<Counted> =>
  beginAs(deps, ownRulesOf(attempt), strangerRulesOf(attempt));

/** Counts a code as wrong before the code is checked. Throws `rate_limited`. (rule S24) */
export function beginFactorAttempt(
  deps: LimitDeps,
  {
    userId,
    kind,
    address,
    known,
  }: {
    readonly userId: string;
    readonly kind: "totp" | "recovery";
    readonly address: string;
    /** The id of the browser, device or session, if it has proved all factors of this account before. */
    readonly known: string | undefined;
  },
): Promise<Counted> {
  const network = networkOf(address);
  if (kind === "recovery") return begin(deps, [["recoveryCodes", `recoveryCodes:${userId}:${network}`]]);
  const own = known === undefined ? [] : factorRulesOf(userId, hashOf(known), "known");
  return beginAs(deps, own, factorRulesOf(userId, network, "others"));
}

/** The limit for a day is last, because an attempt that another limit refuses must not count for the day. */
const factorRulesOf = (userId: string, source: string, group: "known" | "others"): readonly Rule[] => [
  ["secondFactor", `secondFactor:${userId}:${group}:${source}`],
  ["secondFactorByPlace", `secondFactorByPlace:${userId}:${group}:${source}`],
  ["secondFactorByDay", `secondFactorByDay:${userId}:${group}`],
];

/**
 * Counts a registration as refused before the address is looked up. Without this limit, registrations would
 * reveal accounts. Throws `rate_limited`. (rule S15)
 */
export const beginRegistration = (deps: LimitDeps, address: string): Promise<Counted> =>
  begin(deps, [["refusedRegistrationsByAddress", `refusedRegistrations:${networkOf(address)}`]]);

const begin = (deps: LimitDeps, rules: readonly Rule[]): Promise<Counted> => beginAs(deps, [], rules);

/**
 * If `own` is empty or used up, counts an attempt with the limits `others`, otherwise with `own`. Throws
 * `rate_limited`.
 */
async function beginAs(deps: LimitDeps, own: readonly Rule[], others: readonly Rule[]): Promise<Counted> {
  if (!others.every(([name]) => limitApplies(deps.settings, name))) return [];
  return deps.database.write(async (tx) => {
    if (own.length > 0 && (await count(tx, own, deps)) === undefined) return keysOf(own);
    const retryAfterSeconds = await count(tx, others, deps);
    if (retryAfterSeconds !== undefined) throw new ApiError("rate_limited", { retryAfterSeconds });
    return keysOf(others);
  });
}

/** Removes an attempt from the counts, because it did not fail. */
export async function uncountAttempt(tx: Transaction, counted: Counted): Promise<void> {
  for (const key of counted) await giveBack(tx, key);
}

/** Counts an attempt with each limit. Returns the seconds to wait if a limit is used up. */
async function count(
  tx: Transaction,
  rules: readonly Rule[],
  { settings, clock }: LimitDeps,
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
