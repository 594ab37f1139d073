import type { Endpoint } from "../../../src/contract/endpoint.ts";
import type { Deps } from "../../deps.ts";
import { asApiError } from "../errors.ts";
import { spendRateLimit } from "../idempotency/save.ts";
import type { IncomingRequest } from "../invocation.ts";

/**
 * Counts a refused request against the rate limit of its sender, if the endpoint says so: refusing it cost as much as
 * taking it. This holds for the statuses 400, 404 and 413. Throws `thrown`, or `rate_limited`.
 */
export async function countRefusal(
  deps: Pick<Deps, "database" | "clock" | "settings">,
  { endpoint, caller }: { readonly endpoint: Endpoint; readonly caller: IncomingRequest["caller"] },
  thrown: unknown,
): Promise<never> {
  if (!endpoint.countsRefusals || !caller || !deps.settings.rateLimited) throw thrown;
  if (![400, 404, 413].includes(asApiError(thrown).status)) throw thrown;
  const spending = { who: caller.id, rateLimit: endpoint.rateLimit };
  await deps.database.write((tx) => spendRateLimit(deps, tx, spending));
  throw thrown;
}
