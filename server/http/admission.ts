import type { IncomingMessage } from "node:http";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { ApiError } from "../../src/contract/errors.ts";
import type { Deps } from "../deps.ts";
import { peek } from "../store/rate-limits.ts";
import { refuseSpentAccount } from "./attempts.ts";
import type { Callers } from "./handler.ts";

/** Bodies from here on are worth a look before they are taken in. */
const largeBytes = 65_536;
/** So many large bodies are taken in at once; each needs a file descriptor for each of its files. */
const mostAtOnce = 32;

export interface Arriving {
  readonly request: IncomingMessage;
  readonly endpoint: Endpoint;
  readonly caller: Callers[Endpoint["auth"]];
  /** A repeat uses up no rate limit, so it is not refused for one. */
  readonly repeatable: boolean;
}

/**
 * Decides on a large body before a byte of it is read. Gives what must be called when it has been dealt with.
 * Throws `rate_limited` for who has used up the endpoint's limit, `busy` while too many others are arriving.
 */
export type Admit = (arriving: Arriving) => Promise<() => void>;

const nothing = () => {};

export function createAdmit(deps: Pick<Deps, "database" | "clock" | "settings">): Admit {
  let arriving = 0;
  return async ({ request, endpoint, caller, repeatable }) => {
    if (!isLarge(request)) return nothing;
    if (caller && !repeatable) {
      await refuseLimited(endpoint, caller.id, deps);
      await refuseSpentAccount(endpoint, caller, deps);
    }
    if (arriving >= mostAtOnce) throw new ApiError("busy", { retryAfterSeconds: 2 });
    arriving += 1;
    return () => {
      arriving -= 1;
    };
  };
}

const isLarge = ({ headers }: IncomingMessage): boolean =>
  Number(headers["content-length"] ?? Number.POSITIVE_INFINITY) >= largeBytes;

async function refuseLimited(
  { rateLimit }: Endpoint,
  callerId: string,
  { database, clock, settings }: Pick<Deps, "database" | "clock" | "settings">,
): Promise<void> {
  if (!rateLimit || !settings.rateLimited) return;
  const verdict = await peek(database, `${rateLimit}:${callerId}`, settings.rateLimits[rateLimit], clock);
  if (!verdict.allowed) throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
}
