import { Readable } from "node:stream";
import { type Dispatcher, ProxyAgent, request as send } from "undici";
import { connectionError, timeoutError } from "./connection-errors.ts";
import { ConnectionError } from "./errors.ts";
import { measured } from "./send-body.ts";
import type { Transport, WireAnswer, WireRequest } from "./wire.ts";

/**
 * Talks through a proxy: https by a tunnel, http by asking the proxy for the address. A module of its own, because
 * undici is slow to load and few need it. Throws a ConnectionError where the proxy's address is none.
 */
export function proxiedTransport(proxy: string): Transport {
  const dispatcher = agentFor(proxy);
  return async (request) => {
    try {
      return await exchange(dispatcher, request);
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      throw isTimeout(error) ? timeoutError(request.url, request.timeoutMs) : proxyError(error, request.url);
    }
  };
}

function agentFor(proxy: string): Dispatcher {
  try {
    return new ProxyAgent({ uri: proxy, proxyTunnel: false });
  } catch (cause) {
    throw new ConnectionError("bad_proxy", "HTTP_PROXY or HTTPS_PROXY is not the address of a proxy.", {
      cause,
    });
  }
}

async function exchange(dispatcher: Dispatcher, request: WireRequest): Promise<WireAnswer> {
  const { url, method, headers, timeoutMs, signal, body, onProgress } = request;
  const answer = await send(url, {
    dispatcher,
    method,
    headers: { ...headers },
    body: typeof body === "object" ? Readable.from(measured(body, onProgress)) : (body ?? null),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    signal,
  });
  const heard = Object.entries(answer.headers);
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(
      heard.map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
    ),
    text: await answer.body.text(),
  };
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^UND_ERR_\w+_TIMEOUT$/.test(String(error.code));

function proxyError(error: unknown, url: URL): ConnectionError {
  const told = /Proxy response \((\d+)\)/.exec(error instanceof Error ? error.message : "");
  if (!told) return connectionError(error, url);
  return new ConnectionError("bad_proxy", `The proxy refused the way to ${url.origin} (status ${told[1]}).`, {
    cause: error,
  });
}
