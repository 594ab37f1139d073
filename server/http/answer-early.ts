import type { Context } from "koa";
import type { IncomingBodies } from "./body/incoming-body.ts";

/**
 * Sends a whole answer at once although the body has not arrived completely. Closes the connection only after the rest
 * of the body was dropped: unread bytes of it would be taken for the next request.
 */
export type AnswerEarly = (ctx: Context) => Promise<void>;

export const createAnswerEarly =
  ({ drop }: Pick<IncomingBodies, "drop">): AnswerEarly =>
  async (ctx) => {
    const { req, res } = ctx;
    if (res.headersSent || req.destroyed) return;
    res.setHeader("Connection", "close");
    const bytes = bytesOf(ctx);
    if (!bytes) return;
    ctx.respond = false;
    if (!hasNoBody(ctx.status)) res.setHeader("Content-Length", bytes.length);
    if (bytes.length > 0 && ctx.method !== "HEAD") res.write(bytes);
    else res.flushHeaders();
    await drop(req);
    res.end();
  };

const hasNoBody = (status: number): boolean => status === 204 || status === 304;

/** The bytes of an answer. Undefined if they come from a stream. */
function bytesOf({ body }: Context): Buffer | undefined {
  if (body === null || body === undefined) return Buffer.alloc(0);
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === "string") return Buffer.from(body);
  return "pipe" in Object(body) ? undefined : Buffer.from(JSON.stringify(body));
}
