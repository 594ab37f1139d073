import { lazy } from "../lazy.ts";
import { nodeTransport } from "./node-transport.ts";
import { type ProxySettings, proxyFor } from "./proxy.ts";
import type { Transport } from "./wire.ts";

/** For a program that ends soon: straight to the server over node:http, which loads fastest; over undici to a proxy. */
export function shortTransport(settings: ProxySettings = {}): Transport {
  const direct = nodeTransport();
  const proxied = lastingTransport(settings);
  return (request) => (proxyFor(request.url, settings) ? proxied : direct)(request);
}

/** For a program that stays: all calls go over undici, which is loaded at the first. */
export function lastingTransport(settings: ProxySettings = {}): Transport {
  const made = lazy(async () => {
    const [{ undiciTransport }, library] = await Promise.all([
      import("./undici-transport.ts"),
      import("./undici.ts"),
    ]);
    return undiciTransport(library, settings);
  });
  return async (request) => (await made())(request);
}
