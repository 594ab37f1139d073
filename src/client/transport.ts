import type { Transport, WireAnswer, WireRequest } from "./call.ts";
import { type ProxySettings, proxyFor } from "./connection.ts";
import { UnexpectedAnswerError } from "./errors.ts";
import { nodeTransport } from "./node-transport.ts";
import type { ClientOptions } from "./options.ts";
import { lazy } from "./wait.ts";

/**
 * Returns the transport for a program that ends soon. It uses node:http, which loads fast, and undici for
 * proxies.
 */
export function shortTransport(settings: ProxySettings = {}): Transport {
  const direct = nodeTransport();
  const proxied = lastingTransport(settings);
  return (request) => (proxyFor(request.url, settings) ? proxied : direct)(request);
}

/** Returns the transport for a program that runs for a long time. Loads undici at the first call. */
export function lastingTransport(settings: ProxySettings = {}): Transport {
  const made = lazy(async () => {
    const [{ undiciTransport }, library] = await Promise.all([
      import("./undici-transport.lazy.ts"),
      import("./undici.lazy.ts"),
    ]);
    return undiciTransport(library, settings);
  });
  return async (request) => (await made())(request);
}

/** Returns a transport that calls `onExchange` after every request, with its answer or error. */
export function traced(transport: Transport, { onExchange }: ClientOptions, now: () => Date): Transport {
  if (!onExchange) return transport;
  return async (request) => {
    const start = now().getTime();
    const took = () => now().getTime() - start;
    try {
      const answer = await transport(request);
      onExchange({ request, answer, milliseconds: took() });
      return answer;
    } catch (error) {
      onExchange({ request, error, milliseconds: took() });
      throw error;
    }
  };
}

const mostRedirects = 5;

/**
 * Follows redirects within one origin, because other origins must not get the credential. Throws an
 * UnexpectedAnswerError for other redirects.
 */
export function followingRedirects(transport: Transport): Transport {
  return async (first) => {
    let request = first;
    for (let hops = 0; hops <= mostRedirects; hops += 1) {
      const answer = await transport(request);
      const target = targetOf(answer, request);
      if (!target) return answer;
      request = { ...request, url: target };
    }
    throw new UnexpectedAnswerError(310, `${first.url.origin} redirects in a loop.`);
  };
}

function targetOf({ status, headers }: WireAnswer, { method, url }: WireRequest): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || !headers.location) return undefined;
  const target = URL.canParse(headers.location, url.href) ? new URL(headers.location, url) : undefined;
  if (target?.origin !== url.origin) throw refusal(status, url, target?.origin ?? "a malformed address");
  // Requests that change something follow only 307 and 308.
  if (method !== "GET" && status < 307) throw refusal(status, url, `${target.origin}${target.pathname}`);
  return target;
}

const refusal = (status: number, { origin }: URL, to: string) =>
  new UnexpectedAnswerError(
    status,
    `${origin} redirects to ${to}, and credentials are not sent there. If that address is your server, use it as the base URL.`,
  );
