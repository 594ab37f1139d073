import { randomBytes } from "node:crypto";
import type { Context, Next } from "koa";
import type { Deps } from "../deps.ts";
import type { AnswerEarly } from "./connections/answer-early.ts";
import type { Metrics } from "./operations/metrics.ts";

const headers = [
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "no-referrer"],
] as const;

/**
 * Gives every request an id and every answer its security headers, counts it, and writes it to the log: changes and
 * failures at `info`, successful reads at `debug`. If the body has not arrived completely, sends the answer at once.
 */
export function observe(
  { log, settings, stopping }: Pick<Deps, "log" | "settings" | "stopping">,
  metrics: Metrics,
  answerEarly: AnswerEarly,
) {
  const nextId = createIds();
  const strictTransport = settings.baseUrl.startsWith("https:");
  return async (ctx: Context, next: Next): Promise<void> => {
    const { res } = ctx;
    const started = performance.now();
    const requestId = nextId();
    ctx.state.requestId = requestId;
    res.setHeader("X-Request-Id", requestId);
    for (const [name, value] of headers) res.setHeader(name, value);
    if (strictTransport) res.setHeader("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
    await next();
    if (stopping.aborted && !res.headersSent) res.setHeader("Connection", "close");
    const milliseconds = performance.now() - started;
    const { method, status } = ctx;
    const route: unknown = ctx.state.route;
    metrics.count({ method, route: typeof route === "string" ? route : "unknown", status, milliseconds });
    const quiet = method === "GET" && status < 400;
    // The log gets the route, never the address: queries and paths may hold secrets.
    if (!quiet) log.info({ requestId, method, route, status, ms: Math.round(milliseconds) }, "answered");
    else if (log.isLevelEnabled("debug")) log.debug({ requestId, method, route, status }, "answered");
    // This is not a middleware of its own, because nearly every request has arrived completely by now.
    if (!ctx.req.complete) await answerEarly(ctx);
  };
}

/** Makes ids that are unique among all servers: a random start for the process, then a count. */
function createIds(): () => string {
  const beginning = randomBytes(8).toString("hex");
  let count = 0;
  return () => {
    count += 1;
    return `${beginning}-${count.toString(36)}`;
  };
}
