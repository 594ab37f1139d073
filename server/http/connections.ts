import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Deps } from "../deps.ts";

/** The last request of a connection, and since when it is under way. */
interface Use {
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  since: number;
}

/**
 * Keeps the number of open connections within their budget: one more takes the place of the one that has been without a
 * whole request for the longest time. Where most have never sent one, it is one of those: a client between two requests
 * keeps its connection. Those that only wait go first, then slow bodies, then answers that take over a second. Where
 * every connection is busy, the new one is closed.
 */
export function limitConnections(server: Server, { log, settings }: Pick<Deps, "log" | "settings">): void {
  const most = settings.budgets.connections;
  const open = new Map<Socket, Use>();
  const withoutRequest = new Set<Socket>();
  const warn = createWarning((count) => log.warn({ count, most }, "too many connections: some were closed"));

  const forget = (socket: Socket) => {
    open.delete(socket);
    withoutRequest.delete(socket);
  };

  server.on("connection", (socket: Socket) => {
    open.set(socket, { request: undefined, response: undefined, since: performance.now() });
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
    const use = open.get(request.socket);
    if (!use) return;
    if (!use.request) withoutRequest.delete(request.socket);
    // The same object each time: to sort the connections at each request would cost more than to search them at the cap.
    use.request = request;
    use.response = response;
    use.since = performance.now();
  });
}

const busyMilliseconds = 1_000;

/** Whose place another connection may have: of the first kind that there is, the one with the oldest request. */
function mostIdle(open: ReadonlyMap<Socket, Use>): Socket | undefined {
  const longBefore = performance.now() - busyMilliseconds;
  const oldest: Record<Kind, { socket?: Socket; since: number }> = {
    waiting: { since: Infinity },
    sending: { since: Infinity },
    answered: { since: longBefore },
  };
  for (const [socket, use] of open) {
    const kind = oldest[kindOf(use)];
    if (use.since >= kind.since) continue;
    kind.socket = socket;
    kind.since = use.since;
  }
  return oldest.waiting.socket ?? oldest.sending.socket ?? oldest.answered.socket;
}

/** It waits for its next request, sends a body, or gets its answer. */
type Kind = "waiting" | "sending" | "answered";

function kindOf({ request, response }: Use): Kind {
  if (!request || !response || response.writableFinished) return "waiting";
  return request.complete ? "answered" : "sending";
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
