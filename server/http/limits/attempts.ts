import type { AttemptLimit, Endpoint } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { hashOf } from "../../secrets/secrets.ts";
import { consume, peek } from "../../store/requests/rate-limits.ts";
import { networkOf } from "../connections/client-address.ts";
import { fieldOf } from "../field-of.ts";
import type { IncomingRequest } from "../invocation.ts";

type Limiting = Pick<Deps, "database" | "clock" | "settings">;

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
export function accountLimitsOf({ attempts = [] }: Endpoint, caller: IncomingRequest["caller"]) {
  return attempts
    .filter(({ by }) => by.every((whose) => whose === "account"))
    .map((attempt) => ({
      limit: attempt.limit,
      key: keyOf(attempt, { caller, address: "", body: undefined }),
    }));
}

/** Throws `rate_limited` for an account that has used up its attempts, before the body is read. Counts nothing. */
export async function refuseSpentAccount(
  endpoint: Endpoint,
  caller: IncomingRequest["caller"],
  { database, clock, settings }: Limiting,
): Promise<void> {
  if (!settings.rateLimited) return;
  for (const { limit, key } of accountLimitsOf(endpoint, caller)) {
    const verdict = await peek(database, { key, rule: settings.rateLimits[limit], clock });
    if (!verdict.allowed)
      throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
  }
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
