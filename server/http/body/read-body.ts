import type { IncomingMessage } from "node:http";
import { ApiError } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { asApiError } from "../errors.ts";
import type { Sender } from "../network-addresses.ts";
import type { IncomingBodies } from "./incoming-body.ts";
import { parseStrictJson } from "./strict-json.ts";

/** The value of a large body. Call `release` when the request was handled. */
interface LargeJson {
  readonly value: unknown;
  release(): void;
}

/**
 * Creates a function that reads the JSON bodies of endpoints that accept more than 1 MiB. Bodies of over 1 MiB are
 * parsed and handled one after the other, because a parsed value needs several times the memory of its text. Throws the
 * errors of `readJson`. Also throws `busy` for a waiting body if other bodies need its memory.
 */
export function createLargeJsonReader(arrivals: IncomingBodies) {
  const turn = createLine();
  return async (request: IncomingMessage, sending: Sending): Promise<LargeJson> => {
    const bytes = await readJsonBytes(request, sending);
    if (bytes.length <= limits.json) return { value: jsonOf(request, bytes), release() {} };
    const { length } = bytes;
    // The function below refers only to the length and not to the bytes. So if the server refuses a waiting body, the
    // memory of the body is freed immediately.
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

/**
 * The smallest number of bytes for each structural character of a large body. Even a field with the shortest name and
 * value, such as `"a":1,`, has three bytes for each.
 */
const bytesOfStructure = 3;

/**
 * Begins to count the memory of a waiting body. Returns a function that ends the counting. The argument `cut` is a
 * function that ends the wait with an error.
 */
type Waiting = (cut: (why: ApiError) => void) => () => void;

/**
 * Creates a queue. Each call resolves with a function, and the next call waits until that function is called. A call
 * rejects if the server refuses its body while the body waits.
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
  /** The maximum size. The default is 1 MiB. Without a credential the maximum is always 32 KiB. */
  readonly most?: number | undefined;
}

/** A request. If it is refused, the refusal counts against a limit of its sender. */
interface Judging extends Pick<Sending, "arrivals" | "sender"> {
  /** The length of the body, if the headers of the request contain it. */
  readonly announced?: number | undefined;
}

/**
 * Returns the JSON value of a request's body, or `{}` if it has no body. Throws `unsupported_media_type` for a body
 * that is not JSON, `payload_too_large` over the limit, `bad_request` for an incomplete body, `busy` for a body that
 * arrives too slowly, and UploadFailure for malformed JSON. Call it inside `counted`, which counts refused bodies.
 */
export const readJson = async (request: IncomingMessage, sending: Sending): Promise<unknown> =>
  jsonOf(request, await readJsonBytes(request, sending));

/**
 * Calls `read`. If it throws, the refusal counts against a limit of the sender, so that nobody can send an unlimited
 * number of bad requests. Throws `rate_limited`. (rule H18)
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
 * Returns the bytes of a JSON body, before it is parsed. Throws `unsupported_media_type` for a compressed body, and the
 * errors of `readBytes`.
 */
export async function readJsonBytes(request: IncomingMessage, sending: Sending): Promise<Buffer> {
  refuseEncoded(request);
  const most = sending.sender.anonymous ? limits.anonymousBody : (sending.most ?? limits.json);
  return readBytes(request, most, sending);
}

/**
 * Parses a JSON body that has arrived. An empty body is an empty object. Throws `unsupported_media_type` for another
 * media type, and `malformed_json`, also for more than `most` structural characters.
 */
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
 * Returns the bytes of a body. Throws `payload_too_large` over `most` bytes, `bad_request` for an incomplete
 * body, and `busy` for a body that takes too long or whose memory is needed for other bodies.
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
      // It takes time to create an error. After the whole body was read, a rejection has no effect, so no error is
      // created.
      if (!request.readableEnded) reject(malformed("is incomplete"));
    });
  });
  return reading.finally(arrival.end);
}

/**
 * Returns the bytes of a body that has arrived completely, or undefined if some of its bytes may be missing. Most small
 * bodies come together with the headers. Reading them as a stream would take longer than the rest of the request.
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

/**
 * Creates a collector that joins the pieces in one buffer. When the buffer is full, its size doubles, but not beyond
 * `most`, the expected size. A list of pieces of one byte each would need a hundred times the memory.
 */
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
