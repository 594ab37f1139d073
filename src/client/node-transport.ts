import type { ClientRequest, IncomingMessage } from "node:http";
import type { Writable } from "node:stream";
import type { Content, Sink, Transport, WireAnswer, WireRequest } from "./call.ts";
import { connectionError, timeoutError, tooLarge, tooSlow } from "./connection.ts";
import { lazy } from "./wait.ts";

/** Sends requests with node:http and node:https, and keeps connections open for the next call. */
export function nodeTransport(): Transport {
  const open = { "http:": lazy(openHttp), "https:": lazy(openHttps) };
  return async (request) => {
    const start = await open[request.url.protocol === "https:" ? "https:" : "http:"]();
    return exchange(start, request);
  };
}

async function openHttp(): Promise<StartRequest> {
  const { Agent, request } = await import("node:http");
  const agent = new Agent({ keepAlive: true });
  return (url, options, onResponse) => request(url, { ...options, agent }, onResponse);
}

async function openHttps(): Promise<StartRequest> {
  const { Agent, request } = await import("node:https");
  const agent = new Agent({ keepAlive: true });
  return (url, options, onResponse) => request(url, { ...options, agent }, onResponse);
}

/** Starts a request, like `request` of node:http. */
type StartRequest = (
  url: URL,
  options: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    /** The maximum number of milliseconds without any data. */
    readonly timeout: number;
  },
  onResponse: (message: IncomingMessage) => void,
) => ClientRequest;

/** Sends one request and reads the whole answer. Rejects with a ConnectionError, or with the signal's reason. */
function exchange(start: StartRequest, request: WireRequest): Promise<WireAnswer> {
  const { url, method, headers, timeoutMs, signal } = request;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (error: unknown) => {
      outgoing.destroy();
      reject(signal?.aborted ? signal.reason : error);
    };
    const fail = (error: unknown) => end(error instanceof SinkFailure ? error : connectionError(error, url));
    const outgoing = start(url, { method, headers, timeout: timeoutMs }, (message) => {
      read(message, request).then((answer) => {
        // It is not an error if the server answers before it has read the whole body.
        if (!outgoing.writableEnded) outgoing.destroy();
        resolve(answer);
      }, fail);
    });
    outgoing.on("error", fail);
    // After an answer with status 101 (Switching Protocols), Node calls only this listener.
    outgoing.on("upgrade", (_, socket) => {
      socket.destroy();
      fail(new Error("the server changed to another protocol"));
    });
    outgoing.on("timeout", () => fail(timeoutError(url, timeoutMs)));
    const endless = limited(outgoing, request, fail);
    whenConnected(outgoing, () => sendBody(outgoing, request).catch(end));

    // The `signal` option of Node is not used, because Node takes long to load the code for it.
    const stop = () => end(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    outgoing.on("close", () => {
      signal?.removeEventListener("abort", stop);
      endless.stop();
    });
  });
}

/** Ends a call whose answer takes longer than `answerMs`, even if bytes still arrive. */
function limited(outgoing: ClientRequest, { url, answerMs }: WireRequest, fail: (error: Error) => void) {
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    timer ??= setTimeout(() => fail(tooSlow(url, answerMs)), answerMs);
  };
  outgoing.once("finish", start);
  outgoing.once("response", start);
  return { stop: () => clearTimeout(timer) };
}

/** Runs `send` when the connection is open. If the connection fails, nothing was sent. */
function whenConnected(outgoing: ClientRequest, send: () => void): void {
  outgoing.once("socket", (socket) => {
    if (socket.connecting) socket.once("encrypted" in socket ? "secureConnect" : "connect", send);
    else send();
  });
}

async function read(message: IncomingMessage, { url, answerBytes, sink }: WireRequest): Promise<WireAnswer> {
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  if (sink && message.statusCode === 200) {
    await fill(sink, message);
    return { status: 200, headers, text: "" };
  }
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

/** Writes the bytes of an answer to a sink. Writes the next bytes only when the sink is ready. */
export async function fill(sink: Sink, body: AsyncIterable<Uint8Array>): Promise<void> {
  await notOfTheConnection(sink.begin());
  for await (const bytes of body) await notOfTheConnection(sink.write(bytes));
}

/** An error of writing the answer, such as a full disk. The call is not repeated. */
export class SinkFailure extends Error {}

const notOfTheConnection = (taken: Promise<void>): Promise<void> =>
  taken.catch((cause: unknown) => {
    throw new SinkFailure(cause instanceof Error ? cause.message : "The file cannot be written.", { cause });
  });

/** Writes the body of a request, waits whenever the network is busy, reports the progress, and ends the request. */
export async function sendBody(
  outgoing: Writable,
  { body, onProgress }: Pick<WireRequest, "body" | "onProgress">,
): Promise<void> {
  if (body === undefined || typeof body === "string") {
    outgoing.end(body);
    return;
  }
  for await (const chunk of withProgress(body, onProgress)) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(chunk)) await drained(outgoing);
  }
  outgoing.end();
}

const drained = (outgoing: Writable): Promise<void> =>
  new Promise((resolve) => {
    const goOn = () => {
      outgoing.off("drain", goOn).off("close", goOn);
      resolve();
    };
    outgoing.on("drain", goOn).on("close", goOn);
  });

/** Yields the chunks of a body and reports progress. Throws if the body does not have the announced length. */
export async function* withProgress(
  content: Content,
  onProgress: WireRequest["onProgress"],
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of content.read()) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    sent += bytes.length;
    if (sent > content.bytes) throw wrongLength(sent, content);
    yield bytes;
    onProgress?.(sent, content.bytes);
  }
  if (sent < content.bytes) throw wrongLength(sent, content);
}

const wrongLength = (sent: number, { bytes }: Content) =>
  new Error(`The body has ${sent} bytes instead of the announced ${bytes} bytes.`);
