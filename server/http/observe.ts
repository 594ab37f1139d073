import { randomBytes } from "node:crypto";
import type { Context, Next } from "koa";
import type { Deps } from "../deps.ts";
import type { AnswerEarly } from "./answer-early.ts";
import type { Metrics } from "./metrics.ts";

/** What every answer gets, and what is recorded of it. */
export interface Observer {
  readonly nextId: () => string;
  /** The security headers: names and values. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Counts an answer, and writes it to the log: changes and failures at `info`, successful reads at `debug`. */
  readonly answered: (answer: Answered) => void;
}

interface Answered {
  readonly requestId: string;
  readonly method: string;
  /** Undefined if no route is known. */
  readonly route: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
}

const headers = [
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "no-referrer"],
] as const;
const strictTransport = ["Strict-Transport-Security", "max-age=31536000; includeSubDomains"] as const;

/** Makes the observer of a server. */
export const createObserver = (
  { log, settings }: Pick<Deps, "log" | "settings">,
  metrics: Metrics,
): Observer => ({
  nextId: createIds(),
  headers: settings.baseUrl.startsWith("https:") ? [...headers, strictTransport] : headers,
  answered({ requestId, method, route, status, milliseconds }) {
    metrics.count({ method, route: route ?? "unknown", status, milliseconds });
    const quiet = method === "GET" && status < 400;
    // The log gets the route, never the address: queries and paths may hold secrets.
    if (!quiet) log.info({ requestId, method, route, status, ms: Math.round(milliseconds) }, "answered");
    else if (log.isLevelEnabled("debug")) log.debug({ requestId, method, route, status }, "answered");
  },
});

/**
 * Gives every request an id and every answer its security headers, and records it. If the body has not arrived completely,
 * sends the answer at once.
 */
export function observe({ stopping }: Pick<Deps, "stopping">, observer: Observer, answerEarly: AnswerEarly) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const { res } = ctx;
    const started = performance.now();
    const requestId = observer.nextId();
    ctx.state.requestId = requestId;
    res.setHeader("X-Request-Id", requestId);
    for (const [name, value] of observer.headers) res.setHeader(name, value);
    await next();
    if (stopping.aborted && !res.headersSent) res.setHeader("Connection", "close");
    const milliseconds = performance.now() - started;
    const { method, status } = ctx;
    const route: unknown = ctx.state.route;
    const name = typeof route === "string" ? route : undefined;
    observer.answered({ requestId, method, route: name, status, milliseconds });
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
