import type { Context } from "koa";

/** An answer that stays open and sends events (server-sent events). */
export interface EventStream {
  readonly isEventStream: true;
  /** Called once, when the headers of the answer have been sent. */
  readonly open: (connection: EventConnection) => void;
}

/** The connection on which the events are sent. */
export interface EventConnection {
  /** Sends text. Closes the connection if the client reads too slowly. */
  readonly send: (text: string) => void;
  readonly end: () => void;
  /** Calls `listener` when the connection has closed. */
  readonly onClose: (listener: () => void) => void;
}

export const isEventStream = (answer: unknown): answer is EventStream =>
  typeof answer === "object" && answer !== null && "isEventStream" in answer && answer.isEventStream === true;

/**
 * How many bytes may wait for a client that reads slowly. If there are more, the connection is closed. The client then
 * connects again and reads everything again. (rule F74)
 */
const mostWaitingBytes = 65_536;

/** Sends the headers of an event stream and opens it. Proxies must not buffer the answer. */
export function sendEvents(ctx: Context, { open }: EventStream): void {
  const { req, res } = ctx;
  ctx.respond = false;
  res.writeHead(200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "private, no-store, no-transform",
    "X-Accel-Buffering": "no",
  });
  if (req.method === "HEAD") {
    res.end();
    return;
  }
  res.flushHeaders();
  if (res.closed) return;
  open({
    send(text) {
      if (res.writableEnded || res.destroyed) return;
      res.write(text);
      if (res.writableLength > mostWaitingBytes) res.destroy();
    },
    end: () => res.end(),
    onClose: (listener) => res.once("close", listener),
  });
}
