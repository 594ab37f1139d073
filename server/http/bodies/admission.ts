import type { IncomingMessage } from "node:http";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Deps } from "../../deps.ts";
import { consume, peek } from "../../store/requests/rate-limits.ts";
import type { Callers } from "../handler.ts";
import { isAnswered } from "../idempotency/idempotent-request.ts";
import { accountLimitsOf, refuseSpentAccount } from "../limits/attempts.ts";
import { countBytes, uncountBytes } from "../limits/count-bytes.ts";
import { UploadFailure } from "../uploads/upload-failure.ts";
import type { LargeBody, TurnSender } from "./turn-order.ts";
import { createTurns, type Turn } from "./turns.ts";

/** Bodies of this size and more are checked before they are read. */
const largeBytes = 65_536;

export interface Arriving {
  readonly request: IncomingMessage;
  readonly endpoint: Endpoint;
  readonly caller: Callers[Endpoint["auth"]];
  readonly path: string;
  /** A repeat uses up no rate limit, so it is not refused for one. */
  readonly idempotencyKey: string | undefined;
}

/** A large body that may be read. */
export interface Admitted extends Turn {
  /** Uses up the endpoint's limit for a body that did not arrive whole, if `thrown` was caused by its sender. */
  countFailed(thrown: unknown): Promise<void>;
  /** Must be called when the body has arrived or has ended early. */
  countArrived(): Promise<void>;
}

/**
 * Decides on a large body before the server reads any of it. Gives undefined for a small one. Throws `rate_limited` for
 * a caller that has used up the endpoint's limit, `busy` while too many others are arriving.
 */
export type Admit = (arriving: Arriving) => Promise<Admitted | undefined>;

type Limiting = Pick<Deps, "database" | "clock" | "settings">;
type Needed = Limiting & Pick<Deps, "sealer" | "time">;

export function createAdmit(deps: Needed): Admit {
  const takeTurn = createTurns(deps.settings.budgets);
  return async (arriving) => {
    const { request, endpoint, caller, idempotencyKey } = arriving;
    if (!caller) return undefined;
    if (idempotencyKey === undefined && isLarge(request)) {
      await refuseLimited(endpoint, caller.id, deps);
      await refuseSpentAccount(endpoint, caller, deps);
    }
    const countArrived = await countBytes(endpoint, caller.id, { request, deps }).catch(async (refused) => {
      if (!(await isAnswered(endpoint, arriving, deps))) throw refused;
      return countBytes(endpoint, caller.id, { request, deps, isRepeat: true });
    });
    if (!isLarge(request)) return undefined;
    const turn = await takeTurn(turnSenderOf(caller), largeBodyOf(request, endpoint)).catch(async (busy) => {
      // The server read none of its bytes, so the next attempt must have the same allowance.
      await uncountBytes(endpoint, caller.id, { request, deps });
      throw busy;
    });
    return {
      ...turn,
      countArrived,
      countFailed: (thrown) => countFailed({ endpoint, caller, thrown }, deps),
    };
  };
}

const turnSenderOf = (caller: NonNullable<Arriving["caller"]>): TurnSender => ({
  key: caller.id,
  owner: caller.kind === "appKey" ? caller.ownerId : caller.userId,
});

function largeBodyOf(request: IncomingMessage, { upload }: Endpoint): LargeBody {
  const { socket, headers } = request;
  // Bytes that came with the head and are not read yet belong to the body.
  const before = socket.bytesRead - request.readableLength;
  return {
    bytes: Number(headers["content-length"] ?? upload?.bodyBytes ?? limits.json),
    arrivedBytes: () => socket.bytesRead - before,
  };
}

const isLarge = ({ headers }: IncomingMessage): boolean =>
  Number(headers["content-length"] ?? Number.POSITIVE_INFINITY) >= largeBytes;

/** Throws `rate_limited` if a caller has used up every limit that a request of the endpoint may use. */
async function refuseLimited(
  { rateLimit, otherRateLimit }: Endpoint,
  callerId: string,
  { database, clock, settings }: Limiting,
): Promise<void> {
  if (!rateLimit || !settings.rateLimited) return;
  let retryAfterSeconds = Number.POSITIVE_INFINITY;
  for (const limit of otherRateLimit ? [rateLimit, otherRateLimit] : [rateLimit]) {
    const verdict = await peek(database, {
      key: `${limit}:${callerId}`,
      rule: settings.rateLimits[limit],
      clock,
    });
    if (verdict.allowed) return;
    retryAfterSeconds = Math.min(retryAfterSeconds, verdict.retryAfterSeconds);
  }
  throw new ApiError("rate_limited", { retryAfterSeconds });
}

interface Failed {
  readonly endpoint: Endpoint;
  readonly caller: NonNullable<Arriving["caller"]>;
  readonly thrown: unknown;
}

/** Without this, a client could send bodies that always stop before their end without limit. */
async function countFailed(
  { endpoint, caller, thrown }: Failed,
  { database, clock, settings }: Limiting,
): Promise<void> {
  const wasCut = thrown instanceof ApiError && thrown.code === "busy";
  if (!settings.rateLimited || !(wasCut || thrown instanceof UploadFailure)) return;
  const { rateLimit, countsRefusals } = endpoint;
  // A refusal that the endpoint counts anyway is counted once.
  const counts = rateLimit && (wasCut || !countsRefusals);
  const own = counts ? [{ limit: rateLimit, key: `${rateLimit}:${caller.id}` }] : [];
  await database.write(async (tx) => {
    for (const { limit, key } of [...own, ...accountLimitsOf(endpoint, caller)])
      await consume(tx, { key, rule: settings.rateLimits[limit], clock });
  });
}
