import type { IncomingMessage } from "node:http";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import type { Budgets } from "../../settings/settings.ts";
import type { Sender } from "../network-addresses.ts";
import { type CountBody, createCountBody } from "../rate-limits/rate-limits.ts";

/** A body that is still arriving. */
export interface IncomingBody {
  /** Adds to the number of bytes that the body uses in memory. */
  hold(bytes: number): void;
  /** Stops waiting for the body. Code that reads the body gets the error `why`. */
  cut(why: ApiError): void;
  /** Calls `listener` when `cut` is called, or immediately if `cut` was called before. */
  onCut(listener: (why: ApiError) => void): void;
  /** Call this when no code reads the body any more. */
  end(): void;
}

export interface IncomingBodies {
  readonly count: CountBody;
  begin(request: IncomingMessage, sender: Sender): IncomingBody;
  /**
   * Counts the memory of a body that has arrived and waits to be parsed. Calls `cut` if other bodies need this memory.
   * Returns a function that ends the counting.
   */
  keep(sender: Sender, bytes: number, cut: (why: ApiError) => void): () => void;
  /**
   * Reads and drops the remaining bytes of a body, so that its sender can read the answer. If the connection closed
   * while the client is still sending, the client might never read the answer. Resolves at the end of the body, or
   * when the limit for dropped bytes is reached. (rule H20)
   */
  drop(request: IncomingMessage): Promise<void>;
}

/** Applies the limits on memory, speed and time to arriving bodies. */
export function createIncomingBodies(deps: Pick<Deps, "clock" | "settings" | "stopping">): IncomingBodies {
  const { settings, stopping } = deps;
  const { budgets } = settings;
  const pace = createPace(budgets, stopping);
  const memory = createBodyMemory(budgets);
  const wasCut = new WeakSet<IncomingMessage>();
  const noMore = new WeakSet<IncomingMessage>();
  const usual = { bytes: budgets.droppedBytes, milliseconds: budgets.dropMilliseconds };
  const brief = { ...usual, milliseconds: budgets.lingerMilliseconds };
  let dropping = 0;

  return {
    count: createCountBody(deps),

    begin(request, sender) {
      let why: ApiError | undefined;
      let tell: (why: ApiError) => void = () => {};
      // `cut` can be called before the function `end` is set below. This happens if there is no memory for the first
      // bytes.
      let end = () => {};
      const cut = (reason: ApiError) => {
        if (why) return;
        why = reason;
        wasCut.add(request);
        end();
        tell(reason);
      };
      const held = memory(sender, (reason) => {
        // The server must not read more bytes of this request, because they would use more memory.
        noMore.add(request);
        cut(reason);
      });
      const unwatch = why ? () => {} : pace.watch(request, cut);
      end = () => {
        unwatch();
        held.end();
      };
      const onCut: IncomingBody["onCut"] = (listener) => {
        tell = listener;
        if (why) listener(why);
      };
      return { hold: held.hold, cut, onCut, end };
    },

    keep(sender, bytes, cut) {
      const held = memory(sender, cut);
      held.hold(bytes);
      return held.end;
    },

    async drop(request) {
      if (request.complete || request.destroyed || noMore.has(request)) return;
      if (dropping >= budgets.drops) return;
      dropping += 1;
      await new Promise<void>((resolve) => {
        const unwatch = pace.watch(request, () => resolve(), wasCut.has(request) ? brief : usual);
        const over = () => {
          unwatch();
          resolve();
        };
        request.removeAllListeners("data");
        request.once("end", over).once("close", over).resume();
      });
      dropping -= 1;
    },
  };
}

/** The memory that one body uses. */
interface HeldBody {
  /** Adds to the number of bytes that the body uses. If the budget is used up, stops this body or another body. */
  hold(bytes: number): void;
  /** Frees the memory of the body. */
  end(): void;
}

interface Body {
  readonly sender: string;
  readonly cut: (why: ApiError) => void;
  held: number;
}

interface Pool {
  readonly most: number;
  held: number;
  /** The bodies of each sender, the oldest first. */
  readonly bySender: Map<string, Set<Body>>;
}

/**
 * Creates the memory budget of all arriving bodies. One part of the budget is for senders with a credential. The other
 * part is for senders without a credential. When a part is used up, the oldest body of the sender with the most bytes
 * in that part is stopped.
 */
function createBodyMemory(budgets: Pick<Budgets, "bufferedBytes" | "anonymousBufferedBytes">) {
  const { bufferedBytes, anonymousBufferedBytes } = budgets;
  const known = createPool(bufferedBytes - anonymousBufferedBytes);
  const anonymous = createPool(anonymousBufferedBytes);

  return (sender: Sender, cut: (why: ApiError) => void): HeldBody => {
    const pool = sender.anonymous ? anonymous : known;
    const body: Body = { sender: sender.id, cut, held: 0 };
    add(pool, body);
    const hold = (bytes: number) => {
      if (!isIn(pool, body)) return;
      body.held += bytes;
      pool.held += bytes;
      while (pool.held > pool.most) {
        const loser = oldestOf(largestSender(pool));
        if (!loser) return;
        remove(pool, loser);
        loser.cut(full());
      }
    };
    hold(ownBytes);
    return { hold, end: () => remove(pool, body) };
  };
}

/** The memory that a running request uses in addition to its body. */
const ownBytes = 16_384;

const createPool = (most: number): Pool => ({ most, held: 0, bySender: new Map() });

const isIn = ({ bySender }: Pool, body: Body): boolean => bySender.get(body.sender)?.has(body) === true;

function add({ bySender }: Pool, body: Body): void {
  const bodies = bySender.get(body.sender);
  if (bodies) bodies.add(body);
  else bySender.set(body.sender, new Set([body]));
}

function remove(pool: Pool, body: Body): void {
  const bodies = pool.bySender.get(body.sender);
  if (!bodies?.delete(body)) return;
  pool.held -= body.held;
  if (bodies.size === 0) pool.bySender.delete(body.sender);
}

function largestSender({ bySender }: Pool): ReadonlySet<Body> {
  let largest: ReadonlySet<Body> = new Set();
  let most = 0;
  for (const bodies of bySender.values()) {
    let held = 0;
    for (const body of bodies) held += body.held;
    if (held <= most) continue;
    most = held;
    largest = bodies;
  }
  return largest;
}

function oldestOf(bodies: ReadonlySet<Body>): Body | undefined {
  for (const body of bodies) if (body.held > 0) return body;
  return undefined;
}

const full = () =>
  new ApiError("busy", {
    message: "Too many requests arrive at the same time. Nothing was changed. Send the request again soon.",
    retryAfterSeconds: 1,
  });

/** The limits of size and time after which the server stops waiting for a body. */
interface Bounds {
  readonly bytes: number;
  readonly milliseconds: number;
}

interface Pace {
  /**
   * Checks the speed of a body while it arrives. Calls `late` once if the body arrives too slowly or exceeds its
   * limits, or if the server stops. Periods in which the server does not read are not counted. Returns a function that
   * ends the checks.
   */
  watch(request: IncomingMessage, late: (why: ApiError) => void, bounds?: Bounds): () => void;
}

interface Watched {
  readonly request: IncomingMessage;
  readonly late: (why: ApiError) => void;
  readonly bounds: Bounds;
  readonly firstByte: number;
  readonly since: number;
  /** The bytes that the connection had received at the last check. */
  seen: number;
  /** How many bytes fewer than the minimum speed requires the body may still receive. */
  credit: number;
}

const mostLookMilliseconds = 500;

const unbounded = { bytes: Number.POSITIVE_INFINITY, milliseconds: Number.POSITIVE_INFINITY };

/**
 * Creates the check of the speed of bodies. One timer checks all bodies. The timer runs only while bodies are
 * arriving.
 */
export function createPace(budgets: Budgets, stopping: AbortSignal): Pace {
  const { bodyBytesPerSecond: rate, bodyPatienceMilliseconds: patience, stopMilliseconds } = budgets;
  const full = (rate * patience) / 1_000;
  const pause = Math.min(mostLookMilliseconds, Math.ceil(patience / 4));
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;
  let last = 0;
  let stopAt = Number.POSITIVE_INFINITY;
  stopping.addEventListener("abort", () => {
    stopAt = performance.now() + stopMilliseconds;
  });

  const look = () => {
    const now = performance.now();
    // If more than two pauses have passed, the server itself was blocked and could not read the bytes that arrived.
    // So at most two pauses count.
    const due = (Math.min(now - last, 2 * pause) * rate) / 1_000;
    last = now;
    for (const body of watched) {
      const why = now >= stopAt ? ending() : faultOf(body, { now, due, full });
      if (!why) continue;
      watched.delete(body);
      body.late(why);
    }
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const start = () => {
    last = performance.now();
    timer = setInterval(look, pause);
    timer.unref();
  };

  return {
    watch(request, late, bounds = unbounded) {
      const seen = request.socket.bytesRead;
      const since = performance.now();
      const body = { request, late, bounds, firstByte: seen, since, seen, credit: full };
      watched.add(body);
      if (!timer) start();
      return () => void watched.delete(body);
    },
  };
}

function faultOf(
  body: Watched,
  {
    now,
    due,
    full,
  }: {
    readonly now: number;
    /** The number of bytes that must have arrived since the last check, at the minimum speed. */
    readonly due: number;
    readonly full: number;
  },
): ApiError | undefined {
  const { request, bounds, firstByte, since, seen } = body;
  const { bytesRead } = request.socket;
  if (now - since > bounds.milliseconds || bytesRead - firstByte > bounds.bytes) return tooSlow();
  body.seen = bytesRead;
  if (request.readableFlowing !== true) return undefined;
  body.credit = Math.min(full, body.credit + bytesRead - seen - due);
  return body.credit < 0 ? tooSlow() : undefined;
}

const tooSlow = () =>
  new ApiError("busy", {
    message: "The body arrived too slowly. Send it again over a faster connection.",
    retryAfterSeconds: 1,
  });

const ending = () =>
  new ApiError("busy", {
    message: "The server is stopping, and the body has not arrived completely. Send it again shortly.",
    retryAfterSeconds: 2,
  });
