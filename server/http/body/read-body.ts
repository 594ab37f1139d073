import type { IncomingMessage } from "node:http";
import { ApiError } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { asApiError } from "../errors.ts";
import type { Sender } from "./budgets.ts";
import type { IncomingBodies } from "./incoming-body.ts";
import { parseStrictJson } from "./strict-json.ts";

/** The value of a large body. `release` must be called when the request was handled. */
interface LargeJson {
  readonly value: unknown;
  release(): void;
}

/**
 * Makes a function that reads JSON bodies with a limit of their own. Those of over 1 MiB are parsed and handled one after
 * the other, because a value needs several times the memory of its text. The function throws what `readJson` throws, and
 * `busy` for a body that waits while others need its memory.
 */
export function createLargeJsonReader(arrivals: IncomingBodies) {
  const turn = createLine();
  return async (request: IncomingMessage, sending: Sending): Promise<LargeJson> => {
    const bytes = await readJsonBytes(request, sending);
    if (bytes.length <= limits.json) return { value: jsonOf(request, bytes), release() {} };
    const { length } = bytes;
    // This function must not hold the bytes: it lives until its turn, and a body that is cut gives its memory up before.
    const release = await turn((cut) => arrivals.keep(sending.sender, length, cut));
    try {
      return { value: jsonOf(request, bytes), release };
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** Begins the accounting of a body that waits, and returns a function that ends it. `cut` gives up waiting. */
type Waiting = (cut: (why: ApiError) => void) => () => void;

/** A line in which each waits for the one before. A turn ends when its function is called. */
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

/** The sender of a body, and what watches the body while it arrives. */
export interface Sending {
  readonly arrivals: IncomingBodies;
  readonly sender: Sender;
  /** The most bytes of the body; 1 MiB unless given. Senders without a credential have 32 KiB in any case. */
  readonly most?: number | undefined;
}

/** A request that is judged. */
interface Judging extends Pick<Sending, "arrivals" | "sender"> {
  /** How many bytes its body has, if it says so. */
  readonly announced?: number | undefined;
}

/** How many bytes the head of a request says that its body has. */
export const announcedBytes = ({ headers }: IncomingMessage): number | undefined =>
  headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : undefined;

/**
 * Returns the JSON value of a request's body, or `{}` if it has none. Throws `unsupported_media_type` for anything but
 * JSON, `payload_too_large` over the limit, `bad_request` for a body that was cut, `busy` for one that comes too slowly,
 * UploadFailure for malformed JSON. Read it with `counted`.
 */
export const readJson = async (request: IncomingMessage, sending: Sending): Promise<unknown> =>
  jsonOf(request, await readJsonBytes(request, sending));

/**
 * Judges and reads something of a request. Counts it if `read` refuses it: else the refusals of a sender would cost it
 * nothing. Throws `rate_limited`. (rule H18)
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

/** The bytes of a body that should be JSON. */
export async function readJsonBytes(request: IncomingMessage, sending: Sending): Promise<Buffer> {
  refuseEncoded(request);
  const most = sending.sender.anonymous ? limits.anonymousBody : (sending.most ?? limits.json);
  return readBytes(request, most, sending);
}

/** The JSON value of a body that has arrived. */
export function jsonOf(request: IncomingMessage, bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  if (mediaTypeOf(request) !== "application/json") throw new ApiError("unsupported_media_type");
  return parseStrictJson(bytes);
}

export const mediaTypeOf = (request: IncomingMessage): string =>
  (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** Throws `unsupported_media_type` for a compressed body. */
export function refuseEncoded({ headers }: IncomingMessage): void {
  const encoding = headers["content-encoding"];
  if (encoding === undefined || ["", "identity"].includes(encoding.trim().toLowerCase())) return;
  throw new ApiError("unsupported_media_type", {
    message: "Send the body as it is, without Content-Encoding: compressed bodies are not accepted.",
  });
}

/**
 * Returns the bytes of a body of at most `most` bytes. Throws `payload_too_large`, `bad_request` for a body that was cut,
 * and `busy` for one that takes too long.
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
  if (request.destroyed) return Promise.reject(malformed("was cut off"));
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
    request.on("error", (cause) => reject(malformed("was cut off", cause)));
    request.on("close", () => {
      // Making an error is slow. After the whole body was read, the rejection has no effect anyway.
      if (!request.readableEnded) reject(malformed("was cut off"));
    });
  });
  return reading.finally(arrival.end);
}

/**
 * The bytes of a body that has arrived, which then needs no watching. Undefined if some of it may be missing. Most small
 * bodies come in one piece with the head, and reading them as a stream costs more than all else that is done with them.
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
  /** Takes a piece, which must not change afterwards. Returns by how many bytes the memory has grown. */
  add(piece: Buffer): number;
  readonly size: number;
  bytes(): Buffer;
}

const leastCapacity = 4_096;

/**
 * Uses one buffer that doubles: a list of pieces of one byte would cost a hundred times their size. `most` is how many
 * bytes are expected at most: the buffer does not double beyond it.
 */
export function createByteCollector(most = Number.POSITIVE_INFINITY): ByteCollector {
  let buffer: Buffer = nothing;
  let size = 0;
  return {
    add(piece) {
      if (size === 0) {
        // Most bodies come in one piece.
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
