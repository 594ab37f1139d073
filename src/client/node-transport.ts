import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { connectionError, timeoutError } from "./connection-errors.ts";
import { once } from "./once.ts";
import { sendBody } from "./send-body.ts";
import type { Transport, WireAnswer, WireRequest } from "./wire.ts";

type Ask = (url: URL, options: RequestOptions, heard: (message: IncomingMessage) => void) => ClientRequest;

/** Talks over node:http and node:https, with connections that are kept for the next call. */
export function nodeTransport(): Transport {
  const open = { "http:": once(openHttp), "https:": once(openHttps) };
  return async (request) => {
    const ask = await open[request.url.protocol === "https:" ? "https:" : "http:"]();
    return exchange(ask, request);
  };
}

async function openHttp(): Promise<Ask> {
  const { Agent, request } = await import("node:http");
  const agent = new Agent({ keepAlive: true });
  return (url, options, heard) => request(url, { ...options, agent }, heard);
}

async function openHttps(): Promise<Ask> {
  const { Agent, request } = await import("node:https");
  const agent = new Agent({ keepAlive: true });
  return (url, options, heard) => request(url, { ...options, agent }, heard);
}

function exchange(ask: Ask, request: WireRequest): Promise<WireAnswer> {
  const { url, method, headers, timeoutMs, signal } = request;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const fail = (error: unknown) => {
      outgoing.destroy();
      reject(signal?.aborted ? signal.reason : connectionError(error, url));
    };
    const outgoing = ask(url, { method, headers, timeout: timeoutMs, signal }, (message) => {
      read(message).then((answer) => {
        // The server has said enough: what is left of the body would be sent to nobody.
        if (!outgoing.writableEnded) outgoing.destroy();
        resolve(answer);
      }, fail);
    });
    outgoing.on("error", fail);
    outgoing.on("timeout", () => fail(timeoutError(url, timeoutMs)));
    whenConnected(outgoing, () => sendBody(outgoing, request).catch(fail));
  });
}

/** Before that nothing of the body is taken up, so that one who counts it knows what cannot have arrived. */
function whenConnected(outgoing: ClientRequest, send: () => void): void {
  outgoing.once("socket", (socket) => {
    if (socket.connecting) socket.once("encrypted" in socket ? "secureConnect" : "connect", send);
    else send();
  });
}

function read(message: IncomingMessage): Promise<WireAnswer> {
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("error", reject);
    message.on("end", () =>
      resolve({ status: message.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString("utf8") }),
    );
  });
}
