import { randomBytes } from "node:crypto";
import type { Context, Next } from "koa";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { NightlyBackup } from "../backup/rules.ts";
import type { Deps } from "../deps.ts";
import type { IncomingBodies } from "./body/incoming-body.ts";

/** Sets the ids and security headers of answers, and records the answers. */
export interface Observer {
  readonly nextId: () => string;
  /** The security headers: names and values. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /**
   * Counts an answer and writes it to the log. Changes and failures have the level `info`, successful reads have the
   * level `debug`.
   */
  readonly answered: (answer: {
    readonly requestId: string;
    readonly method: string;
    /** The path pattern of the route. Undefined if the request has no route. */
    readonly route: string | undefined;
    readonly status: number;
    readonly milliseconds: number;
  }) => void;
}

const headers = [
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "no-referrer"],
] as const;

const strictTransport = ["Strict-Transport-Security", "max-age=31536000; includeSubDomains"] as const;

export const createObserver = (
  { log, settings }: Pick<Deps, "log" | "settings">,
  metrics: Metrics,
): Observer => ({
  nextId: createIds(),
  headers: settings.baseUrl.startsWith("https:") ? [...headers, strictTransport] : headers,
  answered({ requestId, method, route, status, milliseconds }) {
    metrics.count({ method, route: route ?? "unknown", status, milliseconds });
    const quiet = method === "GET" && status < 400;
    // The log contains the route and never the address, because queries and paths may contain secrets. (rule K10)
    if (!quiet) log.info({ requestId, method, route, status, ms: Math.round(milliseconds) }, "answered");
    else if (log.isLevelEnabled("debug")) log.debug({ requestId, method, route, status }, "answered");
  },
});

/**
 * Assigns an id to every request, sets the security headers, and records the answer. If the body has not arrived
 * completely, sends the answer without waiting for the rest. (rule H8)
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
    // This check is not a separate middleware. A middleware takes time in every request, and nearly all requests have
    // arrived completely by now.
    if (!ctx.req.complete) await answerEarly(ctx);
  };
}

/**
 * Creates a function that returns ids which are unique among all servers. An id consists of a random prefix of the
 * process and a count.
 */
function createIds(): () => string {
  const beginning = randomBytes(8).toString("hex");
  let count = 0;
  return () => {
    count += 1;
    return `${beginning}-${count.toString(36)}`;
  };
}

/**
 * Sends the answer although the body has not arrived completely. Then reads and drops the rest of the body and closes
 * the connection. On an open connection, bytes that were not read would look like the next request. (rule H20)
 */
type AnswerEarly = (ctx: Context) => Promise<void>;

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

/** Returns the bytes of the body of an answer. Returns undefined if the body is a stream. */
function bytesOf({ body }: Context): Buffer | undefined {
  if (body === null || body === undefined) return Buffer.alloc(0);
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === "string") return Buffer.from(body);
  return "pipe" in Object(body) ? undefined : Buffer.from(JSON.stringify(body));
}

interface CountedAnswer {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
}

export interface Metrics {
  count(answer: CountedAnswer): void;
  /** Returns all metrics as Prometheus text. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Other sources of metrics. */
export interface Watched {
  /** Returns the result of the last nightly backup. */
  readonly nightly?: (() => NightlyBackup | undefined) | undefined;
  /** Returns the length of SQLite's write-ahead log, in bytes. */
  readonly logBytes?: (() => Promise<number>) | undefined;
  /** Returns how many browsers receive events now. */
  readonly liveConnections?: (() => number) | undefined;
}

/**
 * Creates the metrics of this process. They are about its answers, the nightly backups, the write-ahead log of SQLite,
 * browsers that receive events, and Node.
 */
export function createMetrics({ nightly, logBytes, liveConnections }: Watched = {}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: "innkeep_http_request_duration_seconds",
    help: "Time from the headers of a request to its answer",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers: [registry],
  });
  if (nightly) measureNightly(registry, nightly);
  if (logBytes) measureLog(registry, logBytes);
  if (liveConnections) countLive(registry, liveConnections);
  return {
    count: ({ milliseconds, ...labels }) => durations.observe(labels, milliseconds / 1_000),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function countLive(registry: Registry, count: () => number): void {
  new Gauge({
    name: "innkeep_live_connections",
    help: "How many connections of browsers receive events about changes",
    registers: [registry],
    collect() {
      this.set(count());
    },
  });
}

function measureLog(registry: Registry, logBytes: () => Promise<number>): void {
  new Gauge({
    name: "innkeep_database_log_bytes",
    help: "The size of the write-ahead log (WAL) of SQLite",
    registers: [registry],
    async collect() {
      this.set(await logBytes());
    },
  });
}

const prefix = "innkeep_backup_drill";

/** Adds the metrics of the nightly backups. Calls `last` each time that a client requests the metrics. */
function measureNightly(registry: Registry, last: () => NightlyBackup | undefined): void {
  const gauge = (name: string, help: string, value: (nightly: NightlyBackup | undefined) => number) =>
    new Gauge({
      ...{ name: `${prefix}_${name}`, help, registers: [registry] },
      collect() {
        this.set(value(last()));
      },
    });
  gauge("success_timestamp_seconds", "When the newest verified backup began; 0 if there is none", (nightly) =>
    Math.floor(Date.parse(nightly?.lastGood?.at ?? "1970-01-01T00:00:00Z") / 1_000),
  );
  gauge(
    "duration_seconds",
    "How long the newest verified backup took",
    (nightly) => nightly?.lastGood?.seconds ?? 0,
  );
  gauge("size_bytes", "The size of the newest verified backup", (nightly) => nightly?.lastGood?.bytes ?? 0);
  gauge(
    "missing_files",
    "How many files were missing or damaged in the newest verified backup",
    (nightly) => nightly?.lastGood?.missing ?? 0,
  );
  gauge("failed", "1 if the last nightly backup failed", (nightly) =>
    nightly?.outcome === "failed" ? 1 : 0,
  );
}
