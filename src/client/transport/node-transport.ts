import { lazy } from "../lazy.ts";
import { type Ask, exchange } from "./exchange.ts";
import type { Transport } from "./wire.ts";

/** Talks over node:http and node:https, with connections that are kept for the next call. */
export function nodeTransport(): Transport {
  const open = { "http:": lazy(openHttp), "https:": lazy(openHttps) };
  return async (request) => {
    const ask = await open[request.url.protocol === "https:" ? "https:" : "http:"]();
    return exchange(ask, request);
  };
}

async function openHttp(): Promise<Ask> {
  const { Agent, request } = await import("node:http");
  const agent = new Agent({ keepAlive: true });
  return (url, options, onResponse) => request(url, { ...options, agent }, onResponse);
}

async function openHttps(): Promise<Ask> {
  const { Agent, request } = await import("node:https");
  const agent = new Agent({ keepAlive: true });
  return (url, options, onResponse) => request(url, { ...options, agent }, onResponse);
}
