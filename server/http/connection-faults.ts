import { randomBytes } from "node:crypto";
import { type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../../src/contract/errors.ts";
import type { Deps } from "../deps.ts";
import { errorBody } from "./errors.ts";

/**
 * Answers in the format of all errors where Node would send its own text: malformed HTTP, a head that is too large, a
 * request that does not arrive in time. An unknown `Expect` header is not an error.
 */
export function answerConnectionFaults(
  server: Server,
  { log, settings }: Pick<Deps, "log" | "settings">,
): void {
  const { lingerMilliseconds } = settings.budgets;
  server.on("clientError", (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const requestId = randomBytes(8).toString("hex");
    // The error carries the received bytes, which may hold secrets: only its code is logged.
    log.info({ requestId, fault: error.code }, "not a request");
    if (isUnderWay(socket)) socket.destroy();
    else endSoon(socket, responseText(faultOf(error.code), requestId), lingerMilliseconds);
  });
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

/**
 * Sends the last bytes of a connection. A client that closes its side has read them. Any other client gets a moment,
 * because closing at once would discard what it has not read yet.
 */
function endSoon(socket: Socket, text: string, milliseconds: number): void {
  socket.end(text);
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  socket.once("close", () => clearTimeout(timer));
}

/**
 * Whether an answer has begun on this connection, so that no other bytes may be sent. Node has no public way to ask.
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
    : "This is no well-formed HTTP request";
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
