import type { IncomingMessage } from "node:http";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Deps } from "../../deps.ts";
import type { Callers } from "../handler.ts";
import { isAnswered } from "../idempotency.ts";
import { addBytes, giveBackBytes, useBytes } from "../rate-limits/byte-uses.ts";
import { accountLimitsOf, refuseLimited } from "../rate-limits/rate-limits.ts";
import { consume } from "../rate-limits/store.ts";
import type { LargeBody, TurnSender } from "./turn-order.ts";
import { createTurns, type Turn } from "./turns.ts";
import { UploadFailure } from "./upload.ts";

/** Bodies of this size and more are checked before they are read. */
const largeBytes = 65_536;

export interface Arriving {
  readonly request: IncomingMessage;
  readonly endpoint: Endpoint;
  readonly caller: Callers[Endpoint["auth"]];
  readonly path: string;
  /** A repeat of a request uses up no rate limit, so it is not refused for one. */
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

type Limiting = Pick<Deps, "database" | "clock" | "limiter" | "settings">;
type Needed = Limiting & Pick<Deps, "sealer" | "time">;

export function createAdmit(deps: Needed): Admit {
  const takeTurn = createTurns(deps.settings.budgets);
  return async (arriving) => {
    const { request, endpoint, caller, idempotencyKey } = arriving;
    if (!caller) return undefined;
    if (idempotencyKey === undefined && isLarge(request)) await refuseLimited(endpoint, caller, deps);
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

/** Whether a body is so small that it is admitted without a look at anything. */
export function needsNoAdmission({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return length !== undefined && Number(length) < countedFrom;
}

const isLarge = ({ headers }: IncomingMessage): boolean =>
  Number(headers["content-length"] ?? Number.POSITIVE_INFINITY) >= largeBytes;

interface Failed {
  readonly endpoint: Endpoint;
  readonly caller: NonNullable<Arriving["caller"]>;
  readonly thrown: unknown;
}

/** Without this, a client could send bodies that always stop before their end without limit. */
async function countFailed(
  { endpoint, caller, thrown }: Failed,
  { database, clock, limiter, settings }: Limiting,
): Promise<void> {
  const wasCut = thrown instanceof ApiError && thrown.code === "busy";
  if (!settings.rateLimited || !(wasCut || thrown instanceof UploadFailure)) return;
  const { rateLimit, countsRefusals } = endpoint;
  // A refusal that the endpoint counts anyway is counted once.
  // One that is over its limit anyway is not counted.
  if (rateLimit && (wasCut || !countsRefusals))
    await limiter.spend({ who: caller.id, rateLimit }).catch(ignoreRefusal);
  const accountLimits = accountLimitsOf(endpoint, caller);
  if (accountLimits.length === 0) return;
  await database.write(async (tx) => {
    for (const { limit, key } of accountLimits)
      await consume(tx, { key, rule: settings.rateLimits[limit], clock });
  });
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}

/** Smaller bodies are limited by the number of requests. */
const countedFrom = 8_192;

interface Counted {
  readonly request: IncomingMessage;
  readonly deps: Limiting;
  /** Whether the request was answered before: its bytes are given back when its content proves to be the same. */
  readonly isRepeat?: boolean;
}

/**
 * Counts the bytes of a body against the hourly limit of its key, before any of them is read. A request that was
 * answered before may use twice as many. Gives a function to call when the body has arrived, because a body of unknown
 * length is counted only then. Throws `rate_limited`.
 */
async function countBytes(
  endpoint: Endpoint,
  keyId: string,
  { request, deps, isRepeat = false }: Counted,
): Promise<() => Promise<void>> {
  const isUnknown = request.headers["content-length"] === undefined;
  const bytes = isUnknown ? 0 : countedBytes(endpoint, request, deps);
  if (!isCounted(endpoint, deps) || (!isUnknown && bytes === 0)) return nothing;
  const use = {
    keyId,
    bytes: Math.max(1, bytes),
    most: deps.settings.feedbackBytesPerHour * (isRepeat ? 2 : 1),
    now: deps.clock.now(),
  };
  const verdict = await deps.database.write((tx) => useBytes(tx, use));
  if (!verdict.allowed) throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
  if (!isUnknown) return nothing;
  // Bytes that came with the head and are not read yet belong to the body.
  const before = request.socket.bytesRead - request.readableLength;
  return async () => {
    const came = { keyId, bytes: Math.max(0, request.socket.bytesRead - before), now: deps.clock.now() };
    await deps.database.write((tx) => addBytes(tx, came));
  };
}

const nothing = async () => {};

/** Gives back the bytes that were counted for a request that was a repeat, or that got no turn. */
export async function uncountBytes(
  endpoint: Endpoint,
  keyId: string,
  { request, deps }: Counted,
): Promise<void> {
  const bytes = countedBytes(endpoint, request, deps);
  if (bytes > 0) await deps.database.write((tx) => giveBackBytes(tx, keyId, bytes));
}

const isCounted = ({ countsBytes }: Endpoint, { settings }: Limiting): boolean =>
  countsBytes === true && settings.rateLimited && Number.isFinite(settings.feedbackBytesPerHour);

function countedBytes(endpoint: Endpoint, { headers }: IncomingMessage, deps: Limiting): number {
  const bytes = Number(headers["content-length"] ?? 0);
  return isCounted(endpoint, deps) && bytes >= countedFrom && bytes <= (endpoint.upload?.bodyBytes ?? 0)
    ? bytes
    : 0;
}
