import type { Attempt, Endpoint } from "../../src/contract/endpoint.ts";
import { ApiError } from "../../src/contract/errors.ts";
import type { Deps } from "../deps.ts";
import { hashOf } from "../secrets.ts";
import { consume, peek } from "../store/rate-limits.ts";
import { networkOf } from "./address.ts";
import type { Incoming } from "./invoke.ts";

/**
 * Counts an attempt before anything else of it is looked at, for good: whatever it leads to, however many come at once.
 * Throws `rate_limited`, and then counts nothing.
 */
export async function countAttempt(endpoint: Endpoint, incoming: Incoming, deps: Deps): Promise<void> {
  const attempts = endpoint.attempts ?? [];
  if (attempts.length === 0 || !deps.settings.rateLimited) return;
  await deps.database.write(async (tx) => {
    for (const attempt of attempts) {
      const { limit } = attempt;
      const verdict = await consume(
        tx,
        keyOf(attempt, incoming),
        deps.settings.rateLimits[limit],
        deps.clock,
      );
      if (!verdict.allowed)
        throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
    }
  });
}

/** Throws `rate_limited` for an account that has used up its attempts, before anything is known of the body. Counts nothing. */
export async function refuseSpentAccount(
  { attempts = [] }: Endpoint,
  caller: Incoming["caller"],
  { database, clock, settings }: Pick<Deps, "database" | "clock" | "settings">,
): Promise<void> {
  if (!settings.rateLimited) return;
  for (const attempt of attempts) {
    if (attempt.by.some((whose) => whose !== "account")) continue;
    const key = keyOf(attempt, { caller, address: "", body: undefined });
    const verdict = await peek(database, key, settings.rateLimits[attempt.limit], clock);
    if (!verdict.allowed)
      throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
  }
}

type Identifying = Pick<Incoming, "caller" | "address" | "body">;

const keyOf = ({ limit, by }: Attempt, incoming: Identifying): string =>
  `${limit}:${hashOf(JSON.stringify(by.map((whose) => partOf(whose, incoming))))}`;

function partOf(whose: Attempt["by"][number], { caller, address, body }: Identifying): string {
  if (whose === "address") return networkOf(address);
  if (whose === "account") return caller && "userId" in caller ? caller.userId : "";
  // The case of an id is not its sender's to choose.
  return fieldOf(body, whose.slice("body.".length)).toLowerCase();
}

/** The text of a field of a body that nothing has checked yet; empty where there is none. */
export function fieldOf(body: unknown, name: string): string {
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, name)) return "";
  const value: unknown = Reflect.get(body, name);
  return typeof value === "string" ? value.trim().slice(0, 500) : "";
}
