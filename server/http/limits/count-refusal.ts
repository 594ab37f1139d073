import type { Endpoint } from "../../../src/contract/endpoint.ts";
import type { Deps } from "../../deps.ts";
import { asApiError } from "../errors.ts";
import { spend } from "../idempotency/save.ts";
import type { IncomingRequest } from "../invocation.ts";

/**
 * Counts a request that was refused, cut off or too large, or that meant nothing there is, against the rate limit of its
 * sender, where the endpoint says so: to find out what is wrong with it cost as much as to take it. Throws what was thrown, or `rate_limited`.
 */
export async function countRefusal(
  deps: Deps,
  { endpoint, caller }: { readonly endpoint: Endpoint; readonly caller: IncomingRequest["caller"] },
  thrown: unknown,
): Promise<never> {
  if (!endpoint.countsRefusals || !caller || !deps.settings.rateLimited) throw thrown;
  if (![400, 404, 413].includes(asApiError(thrown).status)) throw thrown;
  await deps.database.write((tx) => spend(tx, caller.id, endpoint, deps));
  throw thrown;
}
