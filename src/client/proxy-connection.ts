import { connectionError } from "./connection.ts";
import { ConnectionError } from "./errors.ts";
import type * as undici from "./undici.lazy.ts";

/** The connection of one call. */
export interface CallConnection {
  readonly dispatcher: undici.Dispatcher;
  /** The call is over. */
  readonly release: (failed: boolean) => void;
}

/**
 * The connection of one call through a proxy: https through a tunnel, http by asking the proxy for the address. The
 * signal ends every socket of it, also one that is not yet open. Throws a ConnectionError if the address is not that of
 * an http proxy.
 */
export function proxyConnection(
  library: typeof undici,
  address: string,
  signal: AbortSignal,
): CallConnection {
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
  // First, before undici notices it: it would open the connection once more.
  signal.addEventListener("abort", release, { once: true });
  return { dispatcher, release };
}

/** Ends all connections: undici ends the open ones, and the signal those that are not yet open. */
export function end(dispatcher: undici.Dispatcher, over: AbortController): void {
  dispatcher.destroy().catch(() => {});
  over.abort(new Error("The call is over."));
}

/**
 * Opens tunnels, and makes every failure final. undici asks a proxy that hangs up again and again, without a pause, and
 * does not listen to the signal of the call meanwhile.
 */
function tunnels(pool: undici.Pool, proxy: URL, signal: AbortSignal): undici.Dispatcher {
  const open = pool.connect.bind(pool);
  const connect = async (options: undici.Dispatcher.ConnectOptions) => {
    const tunnel = await open({ ...options, signal }).catch((error: unknown) => {
      throw connectionError(error, new URL(`https://${options.path}`), proxy);
    });
    if (tunnel.statusCode === 200) return tunnel;
    tunnel.socket.on("error", () => {}).destroy();
    throw refused(`the way to ${options.path}`, tunnel.statusCode, proxy);
  };
  return Object.assign(pool, { connect });
}

/** A proxy refused what it was asked for. */
function refused(what: string, status: number, { host }: URL): ConnectionError {
  const why = `The proxy ${host} refused ${what} with status ${status}`;
  const next = ". It wants a name and a password in its address: http://NAME:PASSWORD@HOST:PORT";
  return new ConnectionError("bad_proxy", `${why}${status === 407 ? next : ""}.`, { proxy: host });
}

/** The refusal of a proxy that wants a name, of which undici tells only in the words of an error. */
export function proxyRefusal(error: unknown, url: URL, proxy: URL | undefined): ConnectionError | undefined {
  const isRefused = error instanceof Error && error.message.includes("Proxy Authentication Required");
  return proxy && isRefused ? refused(`the way to ${url.host}`, 407, proxy) : undefined;
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
