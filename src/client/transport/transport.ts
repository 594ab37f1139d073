import { nodeTransport } from "./node-transport.ts";
import { type ProxySettings, proxyFor } from "./proxy.ts";
import type { Transport } from "./wire.ts";

/** Talks straight to the server, or through the proxy that the settings name for it. */
export function transportFor(settings: ProxySettings = {}): Transport {
  const direct = nodeTransport();
  const proxied = new Map<string, Promise<Transport>>();
  return async (request) => {
    const proxy = proxyFor(request.url, settings);
    if (!proxy) return direct(request);
    const known =
      proxied.get(proxy) ?? import("./proxied-transport.ts").then((m) => m.proxiedTransport(proxy));
    proxied.set(proxy, known);
    return (await known)(request);
  };
}
