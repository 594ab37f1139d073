import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createRawServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

export type Answering = (response: ServerResponse) => void;

/**
 * A server with only the specified fields: it records requests and sends the prepared answers, the last one repeatedly.
 */
export interface RecordingServer {
  readonly baseUrl: string;
  readonly received: readonly Received[];
}

export async function startRecordingServer(...answers: readonly Answering[]): Promise<RecordingServer> {
  const received: Received[] = [];
  const baseUrl = await listen(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks) });
    const answer = answers[Math.min(received.length, answers.length) - 1] ?? accepts;
    answer(response);
  });
  return { baseUrl, received };
}

/** Starts a server on a free port of 127.0.0.1 until the test has finished. Returns its address. */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
): Promise<string> {
  const server = createServer((request, response) => {
    request.on("error", () => {});
    Promise.resolve(handle(request, response)).catch(() => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${portOf(server)}`;
}

/**
 * A server that answers after the first bytes and then stops reading. `rest` lets it continue, and returns all received
 * bytes when the connection has ended.
 */
export async function answerAtOnce(
  status: number,
  body: unknown,
): Promise<{ readonly baseUrl: string; readonly rest: () => Promise<number> }> {
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 ${status} No\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`;
  const server = createRawServer();
  const connected = once(server, "connection").then(async ([socket]: Socket[]) => {
    if (!socket) throw new Error("Nobody connected.");
    const closed = new Promise((resolve) => socket.on("error", () => {}).on("close", resolve));
    await once(socket, "data");
    socket.pause().write(head + text);
    return { socket, closed };
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const rest = async () => {
    const { socket, closed } = await connected;
    socket.resume();
    await closed;
    return socket.bytesRead;
  };
  return { baseUrl: `http://127.0.0.1:${portOf(server)}`, rest };
}

/** The complete answer of the specification. */
export const accepts: Answering = (response) => answer(response, 201, { success: true });

export const answers =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answering =>
  (response) =>
    answer(response, status, body, headers);

/** The connection ends without an answer, after everything has arrived. */
export const hangsUp: Answering = (response) => response.destroy();

function answer(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("The server does not listen.");
}
