import { randomBytes } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../../src/contract/errors.ts";
import type { Deps } from "../deps.ts";
import type { Budgets } from "../settings/settings.ts";
import { errorBody } from "./errors.ts";

/** The maximum time between two checks for requests that arrive too slowly. */
const mostCheckMilliseconds = 1_000;

/** Creates an HTTP server with the time limits of the budgets. It does not listen yet. */
export function createListener(budgets: Budgets): Server {
  const server = createServer({
    headersTimeout: budgets.headMilliseconds,
    requestTimeout: budgets.requestMilliseconds,
    connectionsCheckingInterval: Math.min(mostCheckMilliseconds, budgets.headMilliseconds),
    keepAliveTimeout: budgets.idleMilliseconds,
    // `routing` refuses requests without a Host header. If Node did that (`true`), its answer would not have the form
    // of this server's errors.
    requireHostHeader: false,
  });
  server.timeout = budgets.stalledMilliseconds;
  return server;
}

/** Answers all requests of a server with `answer`, and limits its connections. */
export function attach(server: Server, answer: RequestListener, deps: Pick<Deps, "log" | "settings">): void {
  server.on("request", answer);
  answerConnectionFaults(server, deps);
  limitConnections(server, deps);
}

/** The last request of a connection, and the time when it began. */
interface Use {
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  since: number;
}

/**
 * Limits the number of open connections. For a new connection above the limit, closes the connection that has been
 * without a request for the longest time. If more than half of the connections have never sent a request, closes the
 * oldest of these. So a client between two requests keeps its connection. Otherwise, idle connections are closed
 * first, then connections with slow bodies, then connections whose answer takes over a second. If all connections are
 * busy, closes the new connection.
 */
function limitConnections(server: Server, { log, settings }: Pick<Deps, "log" | "settings">): void {
  const most = settings.budgets.connections;
  const open = new Map<Socket, Use>();
  // Connections are sorted by their last requests only while many connections are open, because sorting takes time in
  // each request.
  let isOrdered = false;
  const withoutRequest = new Set<Socket>();
  const warn = createWarning((count) =>
    log.warn({ count, most }, "there were too many connections, so some were closed"),
  );

  const forget = (socket: Socket) => {
    open.delete(socket);
    withoutRequest.delete(socket);
  };

  server.on("connection", (socket: Socket) => {
    open.set(socket, { request: undefined, response: undefined, since: performance.now() });
    withoutRequest.add(socket);
    socket.once("close", () => forget(socket));
    if (!isOrdered && open.size > most / 2) order(open);
    isOrdered = open.size > (isOrdered ? most / 4 : most / 2);
    if (open.size <= most) return;
    const [oldest] = withoutRequest.size * 2 > open.size ? withoutRequest : [];
    const leaving = oldest ?? mostIdle(open, socket) ?? socket;
    // From now on, this connection does not count as open, although its socket has not yet reported that it is
    // closed.
    forget(leaving);
    leaving.destroy();
    warn();
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const use = open.get(request.socket);
    if (!use) return;
    if (!use.request) withoutRequest.delete(request.socket);
    use.request = request;
    use.response = response;
    use.since = performance.now();
    if (!isOrdered) return;
    open.delete(request.socket);
    open.set(request.socket, use);
  });
}

const busyMilliseconds = 1_000;

/** Sorts the connections by the time of their last request, the oldest first. */
function order(open: Map<Socket, Use>): void {
  const ordered = [...open].sort(([, one], [, other]) => one.since - other.since);
  open.clear();
  for (const [socket, use] of ordered) open.set(socket, use);
}

/**
 * Returns the connection to close when the limit of open connections is reached. Returns undefined if all connections
 * but `newest` are busy. `open` must be sorted.
 */
function mostIdle(open: ReadonlyMap<Socket, Use>, newest: Socket): Socket | undefined {
  const longBefore = performance.now() - busyMilliseconds;
  let sending: Socket | undefined;
  let answered: Socket | undefined;
  for (const [socket, { request, response, since }] of open) {
    if (socket === newest) continue;
    if (!request || !response || response.writableFinished) return socket;
    if (!request.complete) sending ??= socket;
    else if (since < longBefore) answered ??= socket;
  }
  return sending ?? answered;
}

const warnMilliseconds = 10_000;

/**
 * Creates a function that calls `warn` the first time, and later at most every ten seconds. `warn` gets the number of
 * calls since the last warning.
 */
function createWarning(warn: (count: number) => void): () => void {
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    count += 1;
    const now = performance.now();
    if (now - last < warnMilliseconds) return;
    warn(count);
    last = now;
    count = 0;
  };
}

/**
 * Answers malformed HTTP, headers that are too large, and requests that do not arrive in time. Without this function,
 * Node would answer them in another format than this server's errors. A connection that has sent nothing is closed
 * without an answer. An unknown `Expect` header is ignored.
 */
function answerConnectionFaults(server: Server, { log, settings }: Pick<Deps, "log" | "settings">): void {
  const { lingerMilliseconds } = settings.budgets;
  server.on("clientError", (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    // Browsers open connections before they need them. If this connection got an answer now, the browser would
    // later use it as the answer to another request.
    if (socket.bytesRead === 0) return void socket.destroy();
    const requestId = randomBytes(8).toString("hex");
    // The error contains the received bytes, which may be secret, so only its code is logged.
    log.info({ requestId, fault: error.code }, "a request was malformed or incomplete");
    if (isUnderWay(socket)) socket.destroy();
    else endSoon(socket, responseText(faultOf(error.code), requestId), lingerMilliseconds);
  });
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

/**
 * Sends the last bytes of a connection, and closes the connection a moment later. If the server closed it
 * immediately, bytes that the client has not read would be lost.
 */
function endSoon(socket: Socket, text: string, milliseconds: number): void {
  socket.end(text);
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  socket.once("close", () => clearTimeout(timer));
}

/**
 * Whether a part of an answer was already sent on this connection. In this case no other bytes may be sent. Node has no
 * public API for this check.
 */
function isUnderWay(socket: Socket): boolean {
  const response: unknown = Reflect.get(socket, "_httpMessage");
  return typeof response === "object" && response !== null && Reflect.get(response, "headersSent") === true;
}

function faultOf(code: string | undefined): ApiError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    const message = "The request did not arrive in time. Send it again over a faster connection.";
    return new ApiError("busy", { message, retryAfterSeconds: 1 });
  }
  const tooLarge = code === "HPE_HEADER_OVERFLOW";
  const message = tooLarge
    ? "The request line and headers are too large"
    : "This is not a well-formed HTTP request";
  return new ApiError("bad_request", { issues: [{ path: "", message }] });
}

function responseText(error: ApiError, requestId: string): string {
  const body = JSON.stringify(errorBody(error));
  const pause = error.details.retryAfterSeconds;
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "X-Content-Type-Options: nosniff",
    "Cache-Control: no-store",
    ...(pause === undefined ? [] : [`Retry-After: ${pause}`]),
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
