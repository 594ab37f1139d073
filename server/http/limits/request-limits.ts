import type { AttemptLimit, Endpoint } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { hashOf } from "../../secrets/secrets.ts";
import { consume, peek } from "../../store/requests/rate-limits.ts";
import { networkOf } from "../connections/client-address.ts";
import { asApiError } from "../errors.ts";
import { fieldOf, type IncomingRequest } from "../invocation.ts";
import type { Spending } from "./limiter.ts";
import { spendExactly } from "./spend-exactly.ts";

type Caller = IncomingRequest["caller"];
export type Limiting = Pick<Deps, "database" | "clock" | "settings" | "limiter">;

/**
 * Refuses a caller that has used up its limits, before the body is read. Counts nothing. Throws `rate_limited` if every
 * limit that a request of the endpoint may use is used up, or one that counts by the account.
 */
export async function refuseLimited(
  endpoint: Endpoint,
  caller: NonNullable<Caller>,
  deps: Limiting,
): Promise<void> {
  if (!deps.settings.rateLimited) return;
  await refuseWithoutRoom(endpoint, caller.id, deps);
  for (const { limit, key } of accountLimitsOf(endpoint, caller)) {
    const verdict = await peek(deps.database, {
      key,
      rule: deps.settings.rateLimits[limit],
      clock: deps.clock,
    });
    if (!verdict.allowed)
      throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
  }
}

async function refuseWithoutRoom(
  { rateLimit, otherRateLimit }: Endpoint,
  callerId: string,
  { limiter }: Limiting,
): Promise<void> {
  if (!rateLimit) return;
  let retryAfterSeconds = Number.POSITIVE_INFINITY;
  for (const limit of otherRateLimit ? [rateLimit, otherRateLimit] : [rateLimit]) {
    const verdict = await limiter.look({ who: callerId, rateLimit: limit });
    if (verdict.allowed) return;
    retryAfterSeconds = Math.min(retryAfterSeconds, verdict.retryAfterSeconds);
  }
  throw new ApiError("rate_limited", { retryAfterSeconds });
}

/**
 * Counts an attempt before anything else of the request is checked. The count stays, whatever the result is. Throws
 * `rate_limited`, and then counts nothing.
 */
export async function countAttempt(
  endpoint: Endpoint,
  incoming: IncomingRequest,
  deps: Limiting,
): Promise<void> {
  const attempts = endpoint.attempts ?? [];
  if (attempts.length === 0 || !deps.settings.rateLimited) return;
  await deps.database.write(async (tx) => {
    for (const attempt of attempts) {
      const { limit } = attempt;
      const verdict = await consume(tx, {
        key: keyOf(attempt, incoming),
        rule: deps.settings.rateLimits[limit],
        clock: deps.clock,
      });
      if (!verdict.allowed)
        throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
    }
  });
}

/** The limits of an endpoint that depend on the account alone, and the keys under which they are counted. */
export function accountLimitsOf({ attempts = [] }: Endpoint, caller: Caller) {
  return attempts
    .filter(({ by }) => by.every((whose) => whose === "account"))
    .map((attempt) => ({
      limit: attempt.limit,
      key: keyOf(attempt, { caller, address: "", body: undefined }),
    }));
}

type Identifying = Pick<IncomingRequest, "caller" | "address" | "body">;

const keyOf = ({ limit, by }: AttemptLimit, incoming: Identifying): string =>
  `${limit}:${hashOf(JSON.stringify(by.map((whose) => partOf(whose, incoming))))}`;

function partOf(whose: AttemptLimit["by"][number], { caller, address, body }: Identifying): string {
  if (whose === "address") return networkOf(address);
  if (whose === "account") return caller && "userId" in caller ? caller.userId : "";
  // An id in capitals must not get a limit of its own.
  return fieldOf(body, whose.slice("body.".length)).toLowerCase();
}

/** The key of the rate limit that a request uses up. Undefined if there is none or if limits are switched off. */
export function limitedByOf(
  endpoint: Endpoint,
  { caller, body }: IncomingRequest,
  { settings }: Pick<Deps, "settings">,
): string | undefined {
  if (!endpoint.rateLimit) return undefined;
  // Only a server for development can switch the limit of rule T30 off.
  if (endpoint.rateLimitBy && (settings.rateLimited || !settings.dev))
    return hashOf(fieldOf(body, endpoint.rateLimitBy));
  return settings.rateLimited ? caller?.id : undefined;
}

/**
 * Uses up one request of a limit for strangers, who may come in a flood: what is over the limit only reads, and waits for
 * no other request. Throws `rate_limited` with the seconds to wait.
 */
export async function spendAsStranger(
  { clock, database, settings }: Pick<Deps, "clock" | "database" | "settings">,
  { who, rateLimit }: Spending,
): Promise<void> {
  const use = { key: `${rateLimit}:${who}`, rule: settings.rateLimits[rateLimit], clock };
  const verdict = await peek(database, use);
  if (!verdict.allowed) throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
  await spendExactly(database, use);
}

/**
 * Counts a refused request against the rate limit of its sender, if the endpoint says so: refusing it cost as much as
 * taking it. This holds for the statuses 400, 404, 413 and 415. Throws `thrown`, or `rate_limited`.
 */
export async function countRefusal(
  deps: Limiting,
  { endpoint, caller }: { readonly endpoint: Endpoint; readonly caller: Caller },
  thrown: unknown,
): Promise<never> {
  const { countsRefusals, rateLimit } = endpoint;
  if (!countsRefusals || !rateLimit || !caller || !deps.settings.rateLimited) throw thrown;
  if (![400, 404, 413, 415].includes(asApiError(thrown).status)) throw thrown;
  await deps.limiter.spend({ who: caller.id, rateLimit });
  throw thrown;
}
