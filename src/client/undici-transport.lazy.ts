import { Readable } from "node:stream";
import type { Sink, Transport, WireAnswer, WireRequest } from "./call.ts";
import {
  connectionError,
  type ProxySettings,
  proxyFor,
  timeoutError,
  tooLarge,
  tooSlow,
} from "./connection.ts";
import { ConnectionError } from "./errors.ts";
import { fill, SinkFailure, withProgress } from "./node-transport.ts";
import type * as undici from "./undici.lazy.ts";
import { longestTimerMs } from "./wait.ts";

const connectMs = 30_000;

/** Sends requests with undici. Connections stay open for the next call, except through a proxy. */
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

/** Returns a function that returns the connection for a call without a proxy. */
function directConnections({ Agent }: Pick<typeof undici, "Agent">): () => CallConnection {
  let calls = 0;
  let over = new AbortController();
  let dispatcher: undici.Dispatcher | undefined;
  const release = (failed: boolean) => {
    calls -= 1;
    // After a failure, all connections are closed: the server may have closed one without notice.
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

/** Sends one request and reads the whole answer. Rejects with a ConnectionError, or with the signal's reason. */
async function exchange(
  request: WireRequest,
  {
    limits,
    dispatcher,
    through,
  }: {
    readonly limits: CallLimits;
    readonly dispatcher: undici.Dispatcher;
    /** The address of the proxy. */
    readonly through: URL | undefined;
  },
): Promise<WireAnswer> {
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
    // undici checks the signal only after it has connected.
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
    // If an https request fails here, the proxy has already opened the tunnel, and the server has failed.
    const proxy = url.protocol === "http:" ? through : undefined;
    throw body.failure() ?? proxyRefusal(error, url, proxy) ?? connectionError(error, url, proxy);
  }
}

const rejected = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

/** Returns the body for undici. `failure` returns the error of reading the body, if there was one. */
function outgoingBody({ body, onProgress }: WireRequest, limits: CallLimits) {
  if (body === undefined || typeof body === "string") {
    limits.answering();
    return { content: body ?? null, failure: () => undefined };
  }
  let failure: unknown;
  async function* chunks(content: Exclude<typeof body, string | undefined>) {
    try {
      for await (const chunk of withProgress(content, onProgress)) {
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
  // undici needs one more iteration of the event loop before the next call can use the connection.
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

/** The signal of one call, and the functions that restart or stop its timers. */
interface CallLimits {
  /** Aborts with the caller's reason, or with a ConnectionError when the server takes too long. */
  readonly signal: AbortSignal;
  /** Called when data was sent or received. Restarts the timer that limits the time without data. */
  readonly moved: () => void;
  /** Called when the request was sent or when its answer begins. Starts the timer that limits the whole answer. */
  readonly answering: () => void;
  /** Stops the timers. The caller's signal has no effect any more. */
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

/** The connection of one call. */
interface CallConnection {
  readonly dispatcher: undici.Dispatcher;
  /** Called when the call has ended. */
  readonly release: (failed: boolean) => void;
}

/**
 * Creates a connection through a proxy. An abort closes its sockets. Throws a ConnectionError if `address` is
 * no http proxy.
 */
function proxyConnection(library: typeof undici, address: string, signal: AbortSignal): CallConnection {
  const url = proxyAt(address);
  const over = new AbortController();
  const socket = { signal: over.signal, timeout: 0 };
  const dispatcher = new library.EnvHttpProxyAgent({
    httpProxy: url.href,
    httpsProxy: url.href,
    noProxy: "localhost,127.0.0.1,[::1]",
    proxyTunnel: false,
    token: credentialsIn(url),
    connect: socket,
    proxyTls: socket,
    requestTls: socket,
    clientFactory: (origin, options) =>
      tunnels(new library.Pool(origin, { ...options, headersTimeout: 0 }), origin, socket.signal),
  });
  const release = () => end(dispatcher, over);
  // This listener must be added before the listener of undici. Otherwise undici would open the connection again after
  // the abort.
  signal.addEventListener("abort", release, { once: true });
  return { dispatcher, release };
}

/**
 * Closes all connections. undici closes the open connections, and the abort stops connections that are being opened.
 */
function end(dispatcher: undici.Dispatcher, over: AbortController): void {
  dispatcher.destroy().catch(() => {});
  over.abort(new Error("The call is over."));
}

/**
 * Returns `pool` with a `connect` without retries. The retries of undici have no pause and ignore the signal.
 */
function tunnels(pool: undici.Pool, proxy: URL, signal: AbortSignal): undici.Dispatcher {
  const open = pool.connect.bind(pool);
  const connect = async (options: undici.Dispatcher.ConnectOptions) => {
    const tunnel = await open({ ...options, signal }).catch((error: unknown) => {
      throw connectionError(error, new URL(`https://${options.path}`), proxy);
    });
    if (tunnel.statusCode === 200) return tunnel;
    tunnel.socket.on("error", () => {}).destroy();
    throw refused(`the connection to ${options.path}`, tunnel.statusCode, proxy);
  };
  return Object.assign(pool, { connect });
}

/** Creates the error for a request that a proxy refused. */
function refused(what: string, status: number, { host }: URL): ConnectionError {
  const why = `The proxy ${host} refused ${what} with status ${status}`;
  const next = ". It requires a name and a password in its address: http://NAME:PASSWORD@HOST:PORT";
  return new ConnectionError("bad_proxy", `${why}${status === 407 ? next : ""}.`, { proxy: host });
}

/** Returns the error for a proxy that requires a user name. Only the message of undici's error shows this. */
function proxyRefusal(error: unknown, url: URL, proxy: URL | undefined): ConnectionError | undefined {
  const isRefused = error instanceof Error && error.message.includes("Proxy Authentication Required");
  return proxy && isRefused ? refused(`the connection to ${url.host}`, 407, proxy) : undefined;
}

function proxyAt(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new ConnectionError("bad_proxy", "HTTP_PROXY or HTTPS_PROXY is not the address of an http proxy.");
}

function credentialsIn({ username, password }: URL): string | undefined {
  if (username === "") return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}
