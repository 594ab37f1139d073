import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Deps } from "../deps.ts";

/** The last request of a connection, and since when it is under way. */
interface Use {
  readonly request?: IncomingMessage;
  readonly response?: ServerResponse;
  readonly since: number;
}

/**
 * Keeps the number of open connections within their budget: one more takes the place of the one that has been without a
 * whole request for the longest time. Where most have never sent one, it is one of those: a client between two requests
 * keeps its connection. Those that only wait go first, then slow bodies, then answers that take over a second. Where
 * every connection is busy, the new one is closed.
 */
export function limitConnections(server: Server, { log, settings }: Pick<Deps, "log" | "settings">): void {
  const most = settings.budgets.connections;
  // In the order of their last request.
  const open = new Map<Socket, Use>();
  const withoutRequest = new Set<Socket>();
  const warn = createWarning((count) => log.warn({ count, most }, "too many connections: some were closed"));

  const forget = (socket: Socket) => {
    open.delete(socket);
    withoutRequest.delete(socket);
  };

  server.on("connection", (socket: Socket) => {
    open.set(socket, { since: performance.now() });
    withoutRequest.add(socket);
    socket.once("close", () => forget(socket));
    if (open.size <= most) return;
    const [oldest] = withoutRequest.size * 2 > open.size ? withoutRequest : [];
    const leaving = oldest ?? mostIdle(open) ?? socket;
    // Its place is free now, before the socket says that it has closed.
    forget(leaving);
    leaving.destroy();
    warn();
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (!open.delete(socket)) return;
    withoutRequest.delete(socket);
    open.set(socket, { request, response, since: performance.now() });
  });
}

const busyMilliseconds = 1_000;

/** Whose place another connection may have. */
function mostIdle(open: ReadonlyMap<Socket, Use>): Socket | undefined {
  const longBefore = performance.now() - busyMilliseconds;
  let sending: Socket | undefined;
  let answered: Socket | undefined;
  for (const [socket, { request, response, since }] of open) {
    if (!request || !response || response.writableFinished) return socket;
    if (!request.complete) sending ??= socket;
    else if (since < longBefore) answered ??= socket;
  }
  return sending ?? answered;
}

const warnMilliseconds = 10_000;

/** Warns at once, then at most every ten seconds, of how many there were meanwhile. */
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
