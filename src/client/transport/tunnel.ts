import type { ClientRequest, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { ConnectionError } from "../errors.ts";
import { connectionError, timeoutError } from "./connection-errors.ts";

/** Where the proxy is, and how it is asked. */
export interface ProxyServer {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly ask: (url: URL, options: RequestOptions) => ClientRequest;
}

export interface TunnelOptions {
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

/** A TLS connection to a server through a proxy. Rejects with a ConnectionError, or with the signal's reason. */
export async function tunnel(proxy: ProxyServer, target: URL, options: TunnelOptions): Promise<TLSSocket> {
  const socket = await wayThrough(proxy, target, options).catch((error) => {
    options.signal?.throwIfAborted();
    throw error;
  });
  const secured = connect({ socket, servername: target.hostname });
  return new Promise((resolve, reject) => {
    secured.setTimeout(options.timeout, () => secured.destroy(timeoutError(target, options.timeout)));
    secured.once("error", (error) => reject(connectionError(error, target)));
    secured.once("secureConnect", () => {
      secured.setTimeout(0);
      resolve(secured);
    });
  });
}

function wayThrough(
  { url, headers, ask }: ProxyServer,
  target: URL,
  options: TunnelOptions,
): Promise<Socket> {
  const place = `${target.hostname}:${target.port || 443}`;
  return new Promise((resolve, reject) => {
    const asking = ask(url, {
      ...options,
      method: "CONNECT",
      path: place,
      headers: { host: place, ...headers },
      agent: false,
    });
    asking.on("connect", ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(refusal(statusCode, target));
    });
    asking.on("timeout", () => asking.destroy(timeoutError(url, options.timeout)));
    asking.on("error", (error) => reject(connectionError(error, url)));
    asking.end();
  });
}

const refusal = (status: number, { origin }: URL) =>
  new ConnectionError("bad_proxy", `The proxy refused the way to ${origin} with status ${status}.`);
