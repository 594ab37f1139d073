import { Readable } from "node:stream";
import type { Sink } from "./call.ts";
import { longestTimerMs } from "./clock.ts";
import { connectionError, timeoutError, tooLarge, tooSlow } from "./connection.ts";
import { fill, measured, SinkFailure } from "./node-transport.ts";
import { type ProxySettings, proxyFor } from "./proxy.ts";
import { type CallConnection, end, proxyConnection, proxyRefusal } from "./proxy-connection.ts";
import type * as undici from "./undici.lazy.ts";
import type { Transport, WireAnswer, WireRequest } from "./wire.ts";

const connectMs = 30_000;

/**
 * Talks over undici: straight to the server with connections that are kept for the next call, or through the proxy that
 * the settings name, with connections that end with the call.
 */
export function undiciTransport(library: typeof undici, settings: ProxySettings): Transport {
  const direct = directConnections(library);
  return async (request) => {
    const proxy = proxyFor(request.url, settings);
    const through = proxy !== undefined && URL.canParse(proxy) ? new URL(proxy) : undefined;
    const limits = startLimits(request, through);
    const connection = proxy === undefined ? direct() : proxyConnection(library, proxy, limits.signal);
    let failed = true;
    try {
      const answer = await exchange(request, { limits, dispatcher: connection.dispatcher, through });
      failed = false;
      return answer;
    } finally {
      limits.clear();
      connection.release(failed);
    }
  };
}

/** Connections without a proxy, kept for the next call. After a failure of the only call none is left half open. */
function directConnections({ Agent }: Pick<typeof undici, "Agent">): () => CallConnection {
  let calls = 0;
  let over = new AbortController();
  let dispatcher: undici.Dispatcher | undefined;
  const release = (failed: boolean) => {
    calls -= 1;
    if (!failed || calls > 0 || !dispatcher) return;
    end(dispatcher, over);
    over = new AbortController();
    dispatcher = undefined;
  };
  return () => {
    calls += 1;
    dispatcher ??= new Agent({ connect: { signal: over.signal, timeout: connectMs } });
    return { dispatcher, release };
  };
}

interface Sending {
  readonly limits: CallLimits;
  readonly dispatcher: undici.Dispatcher;
  /** The proxy. */
  readonly through: URL | undefined;
}

/** Sends one request and reads the whole answer. Rejects with a ConnectionError, or with the signal's reason. */
async function exchange(request: WireRequest, { limits, dispatcher, through }: Sending): Promise<WireAnswer> {
  const { url, method, headers } = request;
  const { signal } = limits;
  signal.throwIfAborted();
  const body = outgoingBody(request, limits);
  try {
    const sent = dispatcher.request({
      ...{ origin: url.origin, path: `${url.pathname}${url.search}` },
      ...{ method, headers, signal, body: body.content },
      ...{ headersTimeout: 0, bodyTimeout: 0 },
    });
    // undici looks at the signal only when it is connected.
    const answer = await Promise.race([sent, rejected(signal)]);
    limits.answering();
    const text =
      request.sink && answer.statusCode === 200
        ? await fillFrom(answer.body, request.sink, limits)
        : await read(answer.body, request, limits);
    return { status: answer.statusCode, headers: firstOfEach(answer.headers), text };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SinkFailure) throw error;
    // Behind a tunnel, which is open by then, the server is at fault.
    const proxy = url.protocol === "http:" ? through : undefined;
    throw body.failure() ?? proxyRefusal(error, url, proxy) ?? connectionError(error, url, proxy);
  }
}

const rejected = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

/** The body as undici takes it. `failure` is what went wrong in making it, which is no fault of the connection. */
function outgoingBody({ body, onProgress }: WireRequest, limits: CallLimits) {
  if (body === undefined || typeof body === "string") {
    limits.answering();
    return { content: body ?? null, failure: () => undefined };
  }
  let failure: unknown;
  async function* chunks(content: Exclude<typeof body, string | undefined>) {
    try {
      for await (const chunk of measured(content, onProgress)) {
        limits.moved();
        yield chunk;
      }
      limits.answering();
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return {
    content: Readable.from(chunks(body), { objectMode: false, highWaterMark: 1 }),
    failure: () => failure,
  };
}

async function read(
  body: AsyncIterable<Buffer>,
  { url, answerBytes }: WireRequest,
  limits: CallLimits,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    limits.moved();
    bytes += chunk.length;
    if (bytes > answerBytes) throw tooLarge(url, answerBytes);
    chunks.push(chunk);
  }
  // undici takes one more turn to give the connection back, so that the next call can use it.
  await new Promise((resolve) => setImmediate(resolve));
  return Buffer.concat(chunks).toString("utf8");
}

async function fillFrom(body: AsyncIterable<Buffer>, sink: Sink, limits: CallLimits): Promise<string> {
  async function* moving() {
    for await (const chunk of body) {
      limits.moved();
      yield chunk;
    }
  }
  await fill(sink, moving());
  return "";
}

const firstOfEach = (headers: Readonly<Record<string, string | string[] | undefined>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );

/** The signal of one call, and what keeps it from aborting. */
interface CallLimits {
  /** Aborts with the caller's reason, or with a ConnectionError when the server takes too long. */
  readonly signal: AbortSignal;
  /** Something was sent or received: the time of silence starts again. */
  readonly moved: () => void;
  /** The request is sent, or its answer begins: the time for the whole answer starts. */
  readonly answering: () => void;
  /** Stops the timers and the signal. */
  readonly clear: () => void;
}

/** Starts the time limits of a request. */
function startLimits(
  { url, timeoutMs, answerMs, signal }: WireRequest,
  through: URL | undefined,
): CallLimits {
  const over = new AbortController();
  const after = (milliseconds: number, error: () => Error) =>
    setTimeout(() => over.abort(error()), Math.min(milliseconds, longestTimerMs));
  const silence = after(timeoutMs, () => timeoutError(url, timeoutMs, through));
  let answer: NodeJS.Timeout | undefined;
  const stop = () => over.abort(signal?.reason);
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  return {
    signal: over.signal,
    moved: () => void silence.refresh(),
    answering() {
      answer ??= after(answerMs, () => tooSlow(url, answerMs));
    },
    clear() {
      clearTimeout(silence);
      clearTimeout(answer);
      signal?.removeEventListener("abort", stop);
    },
  };
}
