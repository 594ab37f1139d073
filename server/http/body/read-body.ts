import type { IncomingMessage } from "node:http";
import { finished, type Readable } from "node:stream";
import { ApiError } from "../../../src/contract/errors.ts";
import type { ReceivedFile } from "../../../src/contract/files.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Deps } from "../../deps.ts";
import type { Files, TemporaryFile } from "../../files/files.ts";
import type { Budgets } from "../../settings/settings.ts";
import { asApiError, UploadFailure } from "../answers.ts";
import { type CountBody, createCountBody, type Sender } from "../rate-limits/rate-limits.ts";
import { parseStrictJson } from "./strict-json.ts";

/** The value of a large body. Call `release` when the request was handled. */
interface LargeJson {
  readonly value: unknown;
  release(): void;
}

/**
 * Reads JSON bodies, and parses large bodies one after another. Throws the errors of `readJson`, and `busy`.
 */
export function createLargeJsonReader(arrivals: IncomingBodies) {
  const turn = createLine();
  return async (request: IncomingMessage, sending: Sending): Promise<LargeJson> => {
    const bytes = await readJsonBytes(request, sending);
    if (bytes.length <= limits.json) return { value: jsonOf(request, bytes), release() {} };
    const { length } = bytes;
    // The callback of `turn` uses `length`, not `bytes`. So the memory of a refused body is freed immediately.
    const release = await turn((cut) => arrivals.keep(sending.sender, length, cut));
    try {
      const most = Math.min(limits.faqListStructure, Math.floor(length / bytesOfStructure));
      return { value: jsonOf(request, bytes, most), release };
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** A body may have one bracket, colon or comma for every three bytes. For example, `"a":1,` has two in six. */
const bytesOfStructure = 3;

/**
 * Begins to count the memory of a waiting body. Returns a function that ends the count. `cut` ends the wait.
 */
type Waiting = (cut: (why: ApiError) => void) => () => void;

/**
 * Creates a function whose calls wait for each other. Each call resolves to a function that starts the next
 * call.
 */
function createLine() {
  let last: Promise<void> = Promise.resolve();
  return (waiting: Waiting): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const before = last;
      let leave = () => {};
      last = new Promise((done) => {
        leave = done;
      });
      let isCut = false;
      const end = waiting((why) => {
        isCut = true;
        reject(why);
      });
      void before.then(() => {
        end();
        if (isCut) leave();
        else resolve(leave);
      });
    });
}

const nothing = Buffer.alloc(0);

/** The sender of a body, and the budgets of arriving bodies. */
export interface Sending {
  readonly arrivals: IncomingBodies;
  readonly sender: Sender;
  /** The maximum size in bytes. The default is 1 MiB. Without a credential, the maximum is always 32 KiB. */
  readonly most?: number | undefined;
}

/** A request. If it is refused, the refusal counts against a limit of its sender. */
interface Judging extends Pick<Sending, "arrivals" | "sender"> {
  /** The length of the body, if the headers of the request contain it. */
  readonly announced?: number | undefined;
}

/**
 * Returns the JSON value of a body, or `{}` without a body. Throws `unsupported_media_type`,
 * `payload_too_large`, `bad_request`, `busy` or UploadFailure. Call it inside `counted`.
 */
export const readJson = async (request: IncomingMessage, sending: Sending): Promise<unknown> =>
  jsonOf(request, await readJsonBytes(request, sending));

/**
 * Calls `read`. If `read` throws, the refusal counts against a limit of the sender. Throws `rate_limited` above
 * this limit. (rule H18)
 */
export async function counted<T>(
  { arrivals, sender, announced }: Judging,
  read: () => Promise<T>,
): Promise<T> {
  const judged = arrivals.count(sender, announced);
  try {
    const value = await read();
    judged.passed();
    return value;
  } catch (thrown) {
    judged.refused(asApiError(thrown).status);
    throw thrown;
  }
}

/**
 * Returns the bytes of a JSON body. Throws `unsupported_media_type` for a compressed body, and the errors of
 * `readBytes`.
 */
export async function readJsonBytes(request: IncomingMessage, sending: Sending): Promise<Buffer> {
  refuseEncoded(request);
  const most = sending.sender.anonymous ? limits.anonymousBody : (sending.most ?? limits.json);
  return readBytes(request, most, sending);
}

/** Parses a JSON body. An empty body becomes `{}`. Throws `unsupported_media_type` and `malformed_json`. */
export function jsonOf(request: IncomingMessage, bytes: Buffer, most?: number): unknown {
  if (bytes.length === 0) return {};
  if (mediaTypeOf(request) !== "application/json") throw new ApiError("unsupported_media_type");
  return parseStrictJson(bytes, undefined, most);
}

export const mediaTypeOf = (request: IncomingMessage): string =>
  (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** Throws `unsupported_media_type` for a compressed body. */
export function refuseEncoded({ headers }: IncomingMessage): void {
  const encoding = headers["content-encoding"];
  if (encoding === undefined || ["", "identity"].includes(encoding.trim().toLowerCase())) return;
  throw new ApiError("unsupported_media_type", {
    message: "Send the body without Content-Encoding. Compressed bodies are not accepted.",
  });
}

/**
 * Returns the bytes of a body. Throws `payload_too_large`, `bad_request` (incomplete) and `busy` (too slow, or
 * memory is short).
 */
export function readBytes(
  request: IncomingMessage,
  most: number,
  { arrivals, sender }: Sending,
): Promise<Buffer> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > most) return Promise.reject(new ApiError("payload_too_large"));
  const arrived = arrivedBytes(request);
  if (arrived)
    return arrived.length > most
      ? Promise.reject(new ApiError("payload_too_large"))
      : Promise.resolve(arrived);
  // The request has emitted `close` already and will not emit it again.
  if (request.destroyed) return Promise.reject(malformed("is incomplete"));
  const arrival = arrivals.begin(request, sender);
  const reading = new Promise<Buffer>((resolve, reject) => {
    let only: Buffer | undefined;
    const collected = createByteCollector(declared || most);
    let size = 0;
    arrival.onCut(reject);
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > most) return reject(new ApiError("payload_too_large"));
      if (size === chunk.length) {
        only = chunk;
        return arrival.hold(size);
      }
      const grown = (only ? collected.add(only) : 0) + collected.add(chunk);
      only = undefined;
      arrival.hold(grown);
    });
    request.on("end", () => resolve(only ?? collected.bytes()));
    request.on("error", (cause) => reject(malformed("is incomplete", cause)));
    request.on("close", () => {
      // Creating an error takes time. After the end of the body, the error would have no effect.
      if (!request.readableEnded) reject(malformed("is incomplete"));
    });
  });
  return reading.finally(arrival.end);
}

/**
 * Returns the bytes of a complete body, or undefined if some may be missing. Reading without a stream saves
 * time.
 */
export function arrivedBytes(request: IncomingMessage): Buffer | undefined {
  if (!request.complete || request.destroyed || request.readableDidRead) return undefined;
  const bytes: unknown = request.read();
  if (bytes === null) return nothing;
  return Buffer.isBuffer(bytes) ? bytes : undefined;
}

const malformed = (message: string, cause?: unknown) =>
  new ApiError("bad_request", { issues: [{ path: "", message: `The body ${message}` }] }, { cause });

/** Joins the pieces of a body. */
interface ByteCollector {
  /** Adds a piece, which must not change afterwards. Returns by how many bytes the used memory has grown. */
  add(piece: Buffer): number;
  readonly size: number;
  bytes(): Buffer;
}

const leastCapacity = 4_096;

/** Joins pieces in one growing buffer. A list of one-byte pieces would need a hundred times as much memory. */
export function createByteCollector(most = Number.POSITIVE_INFINITY): ByteCollector {
  let buffer: Buffer = nothing;
  let size = 0;
  return {
    add(piece) {
      if (size === 0) {
        // Most bodies come in one piece, so the first piece is not copied.
        buffer = piece;
        size = piece.length;
        return size;
      }
      const before = buffer.length;
      const needed = size + piece.length;
      if (needed > before) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(before * 2, most), leastCapacity));
        buffer.copy(larger, 0, 0, size);
        buffer = larger;
      }
      piece.copy(buffer, size);
      size = needed;
      return buffer.length - before;
    },
    get size() {
      return size;
    },
    bytes: () => buffer.subarray(0, size),
  };
}

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
   * Counts the memory of a waiting body. Calls `cut` if memory is short. Returns a function that ends the
   * count.
   */
  keep(sender: Sender, bytes: number, cut: (why: ApiError) => void): () => void;
  /** Reads and drops the rest of a body. Otherwise a sending client might never read the answer. (rule H20) */
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
      // If the memory is full, `cut` runs at once, before `end` gets its real value below.
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
  /** Adds used bytes. If the budget is then exceeded, stops this body or another body. */
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
 * Creates two memory budgets: for senders with a credential and without one. Stops bodies when a budget is
 * exceeded.
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
  /** Calls `late` once if a body is too slow or the server stops. Returns a function that ends the checks. */
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
  /** The number of bytes by which the body may still fall behind the minimum speed. */
  credit: number;
}

const mostLookMilliseconds = 500;

const unbounded = { bytes: Number.POSITIVE_INFINITY, milliseconds: Number.POSITIVE_INFINITY };

/** Creates the check of the speed of bodies. One timer checks all bodies. */
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
    // If `look` runs late, the server was blocked and could not read. So at most `2 * pause` counts.
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

/** A request body that has arrived completely. Its files are on disk. */
export interface Upload {
  /** The body. Each file in it is a ReceivedFile. */
  readonly value: unknown;
  readonly files: readonly ReceivedFile[];
  /** Deletes the temporary files that did not become permanent. Call it after every request. */
  discard(): Promise<void>;
}

/** The files of one body while it arrives. */
export interface Intake {
  /**
   * Opens a file of at most `limit` bytes. Throws `too_many_files` if the body has too many files.
   */
  open(limit: number): TemporaryFile;
  /** Adds a file that has arrived. The promise resolves when the hash of the file is known. */
  add(file: Promise<ReceivedFile>): Promise<ReceivedFile>;
}

/** Runs `read`. If `read` throws, closes and deletes all files that it opened. */
export async function receive(files: Files, read: (intake: Intake) => Promise<unknown>): Promise<Upload> {
  const opened: TemporaryFile[] = [];
  const received: Promise<ReceivedFile>[] = [];
  const intake: Intake = {
    open(limit) {
      refuseMore(opened.length);
      const file = files.createTemporary(limit);
      opened.push(file);
      return file;
    },
    add(file) {
      received.push(file);
      // The code that awaits the file handles the error. This line prevents an unhandled rejection.
      file.catch(() => {});
      return file;
    },
  };
  try {
    const value = await read(intake);
    const paths = opened.map(({ path }) => path);
    const discard = async () => {
      if (paths.length > 0) await files.dropTemporary(paths);
    };
    return { value, files: await Promise.all(received), discard };
  } catch (error) {
    for (const file of opened) file.drop();
    await Promise.allSettled(received);
    throw error;
  }
}

/** Throws `too_many_files` if the body already has the maximum number of files. */
export function refuseMore(had: number): void {
  if (had === limits.bodyFiles)
    throw new UploadFailure("too_many_files", `The body must have at most ${limits.bodyFiles} files.`);
}

/** The limits of one body. */
export interface Most {
  readonly bytes: number;
  /** Set if the server may stop reading the body before its end. */
  readonly arrival?: IncomingBody | undefined;
}

/**
 * Passes each chunk of a body to `take`, which must not keep it. Rejects with UploadFailure or another error.
 */
export function consume(body: Readable, most: Most, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0;
    let inTurn = 0;
    let next: NodeJS.Immediate | undefined;
    const refuse = (error: unknown) => {
      body.off("data", onChunk);
      body.resume();
      reject(error);
    };
    const onChunk = (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > most.bytes) throw tooLarge(most.bytes);
        take(chunk);
      } catch (error) {
        return refuse(error);
      }
      inTurn += chunk.length;
      if (inTurn < turnBytes || next) return;
      body.pause();
      next = setImmediate(() => {
        next = undefined;
        inTurn = 0;
        body.resume();
      });
    };
    body.on("data", onChunk);
    most.arrival?.onCut(refuse);
    finished(body, { writable: false }, (cause) => {
      if (cause) reject(new UploadFailure("aborted", "The body ended early.", { cause }));
      else resolve();
    });
  });
}

/** After this number of bytes, the event loop runs other work. */
const turnBytes = 131_072;

const tooLarge = (maxBytes: number) =>
  new UploadFailure("too_large", `The body must be at most ${maxBytes} bytes.`);
