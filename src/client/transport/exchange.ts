import type { ClientRequest, IncomingMessage } from "node:http";
import { connectionError, timeoutError, tooLarge, tooSlow } from "./connection-errors.ts";
import { sendBody } from "./send-body.ts";
import type { WireAnswer, WireRequest } from "./wire.ts";

export interface AskOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds of silence. */
  readonly timeout: number;
}

/** Starts a request: as `request` of node:http does. */
export type Ask = (
  url: URL,
  options: AskOptions,
  onResponse: (message: IncomingMessage) => void,
) => ClientRequest;

/** Sends one request and reads the whole answer. Rejects with a ConnectionError, or with the signal's reason. */
export function exchange(ask: Ask, request: WireRequest): Promise<WireAnswer> {
  const { url, method, headers, timeoutMs, signal } = request;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (error: unknown) => {
      outgoing.destroy();
      reject(signal?.aborted ? signal.reason : error);
    };
    const fail = (error: unknown) => end(connectionError(error, url));
    const outgoing = ask(url, { method, headers, timeout: timeoutMs }, (message) => {
      read(message, request).then((answer) => {
        // The server has answered and does not read the rest of the body.
        if (!outgoing.writableEnded) outgoing.destroy();
        resolve(answer);
      }, fail);
    });
    outgoing.on("error", fail);
    outgoing.on("timeout", () => fail(timeoutError(url, timeoutMs)));
    const endless = limited(outgoing, request, fail);
    whenConnected(outgoing, () => sendBody(outgoing, request).catch(end));

    // By hand, because Node's own support for signals is slow to load.
    const stop = () => end(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    outgoing.on("close", () => {
      signal?.removeEventListener("abort", stop);
      endless.stop();
    });
  });
}

/** Ends a call whose answer arrives too slowly. Such an answer is never silent for long. */
function limited(outgoing: ClientRequest, { url, answerMs }: WireRequest, fail: (error: Error) => void) {
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    timer ??= setTimeout(() => fail(tooSlow(url, answerMs)), answerMs);
  };
  outgoing.once("finish", start);
  outgoing.once("response", start);
  return { stop: () => clearTimeout(timer) };
}

/**
 * Runs `send` when the connection is open. Nothing of the body is read before, so that its reader knows that
 * nothing arrived.
 */
function whenConnected(outgoing: ClientRequest, send: () => void): void {
  outgoing.once("socket", (socket) => {
    if (socket.connecting) socket.once("encrypted" in socket ? "secureConnect" : "connect", send);
    else send();
  });
}

function read(message: IncomingMessage, { url, answerBytes }: WireRequest): Promise<WireAnswer> {
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    message.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= answerBytes) chunks.push(chunk);
      else reject(tooLarge(url, answerBytes));
    });
    message.on("error", reject);
    message.on("end", () =>
      resolve({ status: message.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString("utf8") }),
    );
  });
}
