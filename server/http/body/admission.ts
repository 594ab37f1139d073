import type { IncomingMessage } from "node:http";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Deps } from "../../deps.ts";
import type { Budgets } from "../../settings/settings.ts";
import { UploadFailure } from "../answers.ts";
import { isAnswered } from "../call-steps.ts";
import type { Callers } from "../handler.ts";
import { accountLimitsOf, refuseLimited } from "../rate-limits/rate-limits.ts";
import { addBytes, consume, giveBackBytes, useBytes } from "../rate-limits/store.ts";

/** The server reads a body of at least this size only if `Admit` allows it. */
const largeBytes = 65_536;

interface Arriving {
  readonly request: IncomingMessage;
  readonly endpoint: Endpoint;
  readonly caller: Callers[Endpoint["auth"]];
  readonly path: string;
  /** The header `Idempotency-Key`. A repeated request is allowed even if the rate limit is used up. */
  readonly idempotencyKey: string | undefined;
}

/** A large body that the server may read now. */
interface Admitted extends Turn {
  /** Counts a failed body against the limits of the endpoint. `thrown` is the error that ended the reading. */
  countFailed(thrown: unknown): Promise<void>;
  /** Call this when the body has arrived or has ended early. */
  countArrived(): Promise<void>;
}

/**
 * Waits until the server may read a large body. Returns undefined for a small body. Throws `rate_limited` or
 * `busy`.
 */
export type Admit = (arriving: Arriving) => Promise<Admitted | undefined>;

type Limiting = Pick<Deps, "database" | "clock" | "limiter" | "settings">;

export function createAdmit(deps: Limiting & Pick<Deps, "sealer" | "time">): Admit {
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
      // The server has not read this body. Its bytes must not use up the limit for the next attempt.
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
  // The bytes that are not read yet (`readableLength`) came together with the headers and belong to the body.
  const before = socket.bytesRead - request.readableLength;
  return {
    bytes: Number(headers["content-length"] ?? upload?.bodyBytes ?? limits.json),
    arrivedBytes: () => socket.bytesRead - before,
  };
}

const isLarge = ({ headers }: IncomingMessage): boolean =>
  Number(headers["content-length"] ?? Number.POSITIVE_INFINITY) >= largeBytes;

/**
 * Counts a body against the rate limits if it was incomplete, malformed, too large or stopped by the server.
 */
async function countFailed(
  {
    endpoint,
    caller,
    thrown,
  }: {
    readonly endpoint: Endpoint;
    readonly caller: NonNullable<Arriving["caller"]>;
    readonly thrown: unknown;
  },
  { database, clock, limiter, settings }: Limiting,
): Promise<void> {
  const wasCut = thrown instanceof ApiError && thrown.code === "busy";
  if (!(wasCut || thrown instanceof UploadFailure)) return;
  const { rateLimit, countsRefusals } = endpoint;
  // With `countsRefusals`, malformed bodies are counted by `countRefusal`. The error `rate_limited` is ignored,
  // because the request already fails.
  if (settings.rateLimited && rateLimit && (wasCut || !countsRefusals))
    await limiter.spend({ who: caller.id, rateLimit }).catch(ignoreRefusal);
  const accountLimits = accountLimitsOf(endpoint, caller, settings);
  if (accountLimits.length === 0) return;
  await database.write(async (tx) => {
    for (const { limit, key } of accountLimits)
      await consume(tx, { key, rule: settings.rateLimits[limit], clock });
  });
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}

/** The bytes of a body below this size are not counted. */
export const countedFrom = 8_192;

interface Counted {
  readonly request: IncomingMessage;
  readonly deps: Limiting;
  /**
   * Whether the request is probably repeated. If the request really is repeated, its bytes are subtracted at
   * the end.
   */
  readonly isRepeat?: boolean;
}

/**
 * Counts a body's bytes. Returns a function that counts a body of unknown length later. Throws `rate_limited`.
 * (rule F12)
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
  // The bytes that are not read yet (`readableLength`) came together with the headers and belong to the body.
  const before = request.socket.bytesRead - request.readableLength;
  return async () => {
    const came = { keyId, bytes: Math.max(0, request.socket.bytesRead - before), now: deps.clock.now() };
    await deps.database.write((tx) => addBytes(tx, came));
  };
}

const nothing = async () => {};

/** Subtracts the bytes of a body from the count of a key. Used for repeated requests and unread bodies. */
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

/** The permission to read one large body now. */
interface Turn {
  /** Calls `listener` when the server stops reading this body in favour of another body. */
  onCut(listener: (why: ApiError) => void): void;
  /** Call this when the body has ended. Then the server reads the next body. */
  over(): void;
}

interface Waiter {
  readonly sender: TurnSender;
  start(): void;
  refuse(): void;
}

/** Limits how many large bodies are read at the same time, in total and for each key. Throws `busy`. */
export function createTurns(
  budgets: Pick<Budgets, "uploads" | "uploadsPerKey" | "uploadTurnMilliseconds" | "bodyBytesPerSecond">,
) {
  const { uploads, uploadsPerKey, uploadTurnMilliseconds, bodyBytesPerSecond } = budgets;
  const running = new Set<Running>();
  const waiting = new Set<Waiter>();

  const start = (sender: TurnSender, body: LargeBody): Turn => {
    const turn: Running = { sender, body, since: performance.now(), listener: undefined, isCut: false };
    running.add(turn);
    return {
      onCut(listener) {
        turn.listener = listener;
        if (turn.isCut) listener(fair());
      },
      over() {
        if (running.delete(turn)) startNext();
      },
    };
  };
  const hasPlace = ({ key }: TurnSender) =>
    running.size < uploads && countOfKey(running, key) < uploadsPerKey;
  // Starts a waiting body of the owner with the fewest running bodies.
  const startNext = () => {
    const ready = [...waiting].filter(({ sender }) => hasPlace(sender));
    const [next] = ready.sort((a, b) => countOf(running, a) - countOf(running, b));
    next?.start();
  };
  const makeRoom = ({ key, owner }: TurnSender, body: LargeBody) => {
    if (running.size < uploads || countOfKey(running, key) >= uploadsPerKey) return;
    const ownMs = (body.bytes * 1_000) / (2 * bodyBytesPerSecond);
    const toCut = bodyToCut(running, owner, { ownMs, leastRate: bodyBytesPerSecond });
    if (!toCut) return;
    toCut.isCut = true;
    toCut.listener?.(fair());
  };
  const mayWait = ({ key, owner }: TurnSender): boolean =>
    countOfKey(waiting, key) < uploadsPerKey &&
    (waiting.size < uploads * mostWaitingOfEach || displaceFor(owner, waiting));

  return (sender: TurnSender, body: LargeBody): Promise<Turn> => {
    if (hasPlace(sender)) return Promise.resolve(start(sender, body));
    if (!mayWait(sender)) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(waiter);
        clearTimeout(timer);
      };
      const waiter: Waiter = {
        sender,
        start() {
          leave();
          resolve(start(sender, body));
        },
        refuse() {
          leave();
          reject(busy());
        },
      };
      const timer = setTimeout(() => waiter.refuse(), uploadTurnMilliseconds);
      waiting.add(waiter);
      makeRoom(sender, body);
    });
  };
}

const countOf = (running: ReadonlySet<Running>, { sender }: Waiter): number =>
  countOfOwner(running, sender.owner);

/** The maximum number of waiting bodies is the maximum number of running bodies multiplied by this factor. */
const mostWaitingOfEach = 4;

/**
 * Returns false if the busiest owner has fewer than two bodies more than `owner`. Otherwise refuses that
 * owner's newest body.
 */
function displaceFor(owner: string, waiting: ReadonlySet<Waiter>): boolean {
  const [newest, most] = newestOfBusiestOwner(waiting);
  if (!newest || most < countOfOwner(waiting, owner) + 2) return false;
  newest.refuse();
  return true;
}

const busy = () => new ApiError("busy", { retryAfterSeconds: 2 });

const fair = () =>
  new ApiError("busy", {
    message:
      "This upload was stopped, because uploads of other accounts were waiting. Nothing was changed. Send the upload again soon.",
    retryAfterSeconds: 5,
  });

/** A large body. The server uses these numbers to estimate when the body will have arrived. */
export interface LargeBody {
  /** The length of the body. If it is unknown, this is the largest accepted length. */
  readonly bytes: number;
  /** Returns how many bytes of the body have arrived. */
  arrivedBytes(): number;
}

/** The sender of a body: `key` is its credential, and `owner` owns this credential. */
export interface TurnSender {
  readonly key: string;
  readonly owner: string;
}

/** A body that is being read now. */
interface Running {
  readonly sender: TurnSender;
  readonly body: LargeBody;
  readonly since: number;
  listener: ((why: ApiError) => void) | undefined;
  isCut: boolean;
}

/**
 * If the busiest owner has one body more than a waiting body's owner, only bodies older than this are stopped.
 */
const longMilliseconds = 30_000;

/** The server does not stop reading a body that arrives faster than the minimum rate multiplied by this factor. */
const enoughOfLeastRate = 1.5;

/** Something that has a sender: a running or a waiting body. */
type WithSender = { readonly sender: TurnSender };

/** Returns how many bodies in `sent` were sent with `key`. */
function countOfKey(sent: Iterable<WithSender>, key: string): number {
  let count = 0;
  for (const { sender } of sent) if (sender.key === key) count += 1;
  return count;
}

/** Returns how many bodies in `sent` were sent with any key of `owner`. */
function countOfOwner(sent: Iterable<WithSender>, owner: string): number {
  let count = 0;
  for (const { sender } of sent) if (sender.owner === owner) count += 1;
  return count;
}

/** Returns which running body must stop for a waiting body of `owner`. Undefined if no body must stop. */
function bodyToCut(
  running: ReadonlySet<Running>,
  owner: string,
  {
    ownMs,
    leastRate,
  }: {
    /** How long the waiting body will probably take. */
    readonly ownMs: number;
    /** The minimum rate, in bytes per second. */
    readonly leastRate: number;
  },
): Running | undefined {
  const now = performance.now();
  const most = bodiesOfBusiestOwners([...running].filter(({ isCut }) => !isCut));
  const ahead = (most[0]?.length ?? 0) - countOfOwner(running, owner);
  // Returns the busiest owner's oldest body if this owner has at least two running bodies more than `owner`.
  if (ahead !== 1) return ahead > 1 ? most[0]?.[0] : undefined;
  // Here, only bodies older than `longMilliseconds` can be stopped. Otherwise honest senders would endlessly
  // stop each other's bodies.
  const long = most.flat().filter(({ since }) => now - since > longMilliseconds);
  const [slowest] = long.sort((a, b) => compare(remainingMs(b, now), remainingMs(a, now)));
  if (slowest && remainingMs(slowest, now) > ownMs) return slowest;
  return long.find(
    ({ body, since }) => body.arrivedBytes() * 1_000 < (now - since) * leastRate * enoughOfLeastRate,
  );
}

/** Returns the newest body of the owner with the most bodies, and how many bodies this owner has. */
function newestOfBusiestOwner<Item extends WithSender>(sent: Iterable<Item>): [Item | undefined, number] {
  const [most] = bodiesOfBusiestOwners(sent);
  return [most?.at(-1), most?.length ?? 0];
}

/**
 * Returns one list for each owner with the highest number of bodies. Each list has the owner's bodies, oldest
 * first.
 */
function bodiesOfBusiestOwners<Item extends WithSender>(sent: Iterable<Item>): Item[][] {
  const byOwner = new Map<string, Item[]>();
  for (const item of sent) {
    const others = byOwner.get(item.sender.owner);
    if (others) others.push(item);
    else byOwner.set(item.sender.owner, [item]);
  }
  const most = Math.max(0, ...[...byOwner.values()].map(({ length }) => length));
  return [...byOwner.values()].filter(({ length }) => length === most);
}

/** Returns how many milliseconds the remaining bytes of a body will take at its current rate. */
function remainingMs({ body, since }: Running, now: number): number {
  const came = body.arrivedBytes();
  return came <= 0 ? Number.POSITIVE_INFINITY : ((body.bytes - came) * (now - since)) / came;
}

/** Compares two numbers without a subtraction, because `Infinity - Infinity` is NaN. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b);
