import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { ConnectionError } from "../errors.ts";
import { type Ask, exchange } from "./exchange.ts";
import { type ProxyServer, tunnel } from "./tunnel.ts";
import type { Transport, WireRequest } from "./wire.ts";

/**
 * Talks through a proxy: https through a tunnel, http by asking the proxy for the address. Throws a ConnectionError
 * where the proxy's address is none.
 */
export function proxiedTransport(address: string): Transport {
  const proxy = proxyAt(address);
  const relay = relayed(proxy);
  return async (request) =>
    exchange(request.url.protocol === "https:" ? await tunnelled(proxy, request) : relay, request);
}

const relayed =
  ({ url, headers, ask }: ProxyServer): Ask =>
  (target, options, heard) => {
    const asking = ask(url, {
      ...options,
      path: target.href,
      headers: { ...options.headers, host: target.host, ...headers },
      agent: false,
    });
    return asking.on("response", heard);
  };

async function tunnelled(proxy: ProxyServer, { url, timeoutMs, signal }: WireRequest): Promise<Ask> {
  const socket = await tunnel(proxy, url, { timeout: timeoutMs, signal });
  return (target, options, heard) =>
    httpsRequest(target, { ...options, createConnection: () => socket }, heard);
}

function proxyAt(address: string): ProxyServer {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ConnectionError("bad_proxy", "HTTP_PROXY or HTTPS_PROXY is not the address of an http proxy.");
  }
  return { url, headers: credentialsIn(url), ask: url.protocol === "https:" ? httpsRequest : httpRequest };
}

function credentialsIn({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
