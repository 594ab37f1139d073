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
import type { Context, Next } from "koa";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { ApiError } from "../../src/contract/errors.ts";
import type { NightlyBackup } from "../backup/rules.ts";
import type { Deps } from "../deps.ts";
import { hashOf } from "../secrets/secrets.ts";
import type { Budgets } from "../settings/settings.ts";
import { cachingOf, errorBody, jsonType, type Lasting, matchesEtag, type PreparedAnswer } from "./answers.ts";
import type { IncomingBodies } from "./body/read-body.ts";
import type { ServedEndpoint } from "./handler.ts";
import { isInMemory } from "./rate-limits/rate-limits.ts";

/** The maximum time between two checks for requests that arrive too slowly. */
const mostCheckMilliseconds = 1_000;

/** Creates an HTTP server with the time limits of the budgets. It does not listen yet. */
export function createListener(budgets: Budgets): Server {
  const server = createServer({
    headersTimeout: budgets.headMilliseconds,
    requestTimeout: budgets.requestMilliseconds,
    connectionsCheckingInterval: Math.min(mostCheckMilliseconds, budgets.headMilliseconds),
    keepAliveTimeout: budgets.idleMilliseconds,
    // `routing` refuses requests without a Host header. Node's answer would not have the form of this server's errors.
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
 * Limits the number of open connections. Above the limit, the server closes one connection, an idle one if
 * possible.
 */
function limitConnections(server: Server, { log, settings }: Pick<Deps, "log" | "settings">): void {
  const most = settings.budgets.connections;
  const open = new Map<Socket, Use>();
  // Sorting takes time in each request. So connections are sorted only while many are open.
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
    // If most connections have sent no request, closes the oldest connection without a request. So connections
    // between two requests stay open.
    const [oldest] = withoutRequest.size * 2 > open.size ? withoutRequest : [];
    const leaving = oldest ?? mostIdle(open, socket) ?? socket;
    // The socket reports its close later. From now on, the connection does not count as open.
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
 * Returns the connection to close. Undefined if all connections except `newest` are busy. `open` must be
 * sorted.
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

/** Calls `warn` at most every ten seconds. `count` is the number of calls since the last warning. */
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
 * Answers malformed HTTP, too large headers and late requests with this server's errors. Ignores unknown
 * `Expect` headers.
 */
function answerConnectionFaults(server: Server, { log, settings }: Pick<Deps, "log" | "settings">): void {
  const { lingerMilliseconds } = settings.budgets;
  server.on("clientError", (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    // Browsers open connections in advance. A browser would use an answer on an unused connection for its next
    // request.
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
 * Sends the last bytes and closes the connection after `milliseconds`. Until then, the client can read the
 * bytes.
 */
function endSoon(socket: Socket, text: string, milliseconds: number): void {
  socket.end(text);
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  socket.once("close", () => clearTimeout(timer));
}

/** Whether a part of an answer was already sent. Node has no public API for this check. */
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

/** Sets the ids and security headers of answers, and records the answers. */
interface Observer {
  readonly nextId: () => string;
  /** The security headers: names and values. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /**
   * Counts and logs an answer. The log level is `info` for changes and failures, and `debug` for successful
   * reads.
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

/** Assigns an id to every request, sets the security headers, and records the answer. (rule H8) */
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
    // Nearly all requests are complete. This check is not in a separate middleware, which would take time in
    // every request.
    if (!ctx.req.complete) await answerEarly(ctx);
  };
}

/** Creates ids that are unique among all servers: a random prefix of the process, and a count. */
function createIds(): () => string {
  const beginning = randomBytes(8).toString("hex");
  let count = 0;
  return () => {
    count += 1;
    return `${beginning}-${count.toString(36)}`;
  };
}

/**
 * Sends the answer before the body is complete, drops the rest of the body and closes the connection.
 * (rule H20)
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

/** The functions that return values for the metrics. */
export interface Watched {
  /** Returns the result of the last nightly backup. */
  readonly nightly?: (() => NightlyBackup | undefined) | undefined;
  /** Returns the length of SQLite's write-ahead log, in bytes. */
  readonly logBytes?: (() => Promise<number>) | undefined;
  /** Returns how many browsers receive events now. */
  readonly liveConnections?: (() => number) | undefined;
}

/**
 * Creates the metrics of this process. They cover answers, nightly backups, SQLite's write-ahead log,
 * connections of browsers, and Node.
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

/**
 * The stored answers of Koa. The server sends them again to requests with the same URL and credential, without
 * Koa. (decision 04)
 */
export interface Ready {
  /** Stores an answer of Koa if the server may send it again to requests with the same URL and credential. */
  keep(request: IncomingMessage, given: GivenAnswer): void;
  /** Returns a listener that sends a ready answer if there is one, and otherwise calls `next`. */
  before(next: RequestListener): RequestListener;
}

export interface GivenAnswer {
  readonly endpoint: Endpoint;
  readonly callerId: string;
  /** How long the credential is valid, and whether it still belongs to this caller. */
  readonly credential: Lasting;
  readonly answer: PreparedAnswer;
}

/** An answer that is ready to be sent. */
interface Entry {
  readonly lasting: readonly Lasting[];
  /** Counts a request against its limit. Returns false if the limit is used up. */
  readonly spend: (() => boolean) | undefined;
  readonly route: string;
  readonly etag: string;
  readonly body: Buffer;
  /** The headers in one list, each name followed by its value. The first value is the id of the request. */
  readonly whole: string[];
  /**
   * The headers for a client that already has the body. In this list, the value of each header follows its
   * name.
   */
  readonly unchanged: string[];
}

/** Creates the store of ready answers, for the endpoints with the trait `ready`. */
export function createReady(
  endpoints: readonly ServedEndpoint[],
  deps: Pick<Deps, "clock" | "limiter" | "memory" | "settings" | "stopping">,
  observer: Observer,
): Ready {
  const { clock, limiter, memory, settings, stopping } = deps;
  const entries = memory.createPart<Entry>();
  const targets = targetsOf(endpoints.filter(({ ready }) => ready));
  const isGood = ({ lasting }: Entry) => lastsAt(lasting, clock.now().getTime());

  function find(name: string): Entry | undefined {
    const entry = entries.get(name);
    if (!entry) return undefined;
    if (!isGood(entry)) {
      entries.forget(name);
      return undefined;
    }
    // A request over its rate limit is passed on to Koa, which refuses it.
    return !entry.spend || entry.spend() ? entry : undefined;
  }

  function isAnswered(request: IncomingMessage, response: ServerResponse): boolean {
    const asked = stopping.aborted ? undefined : askedBy(request, targets);
    const started = performance.now();
    const entry = asked && find(asked.name);
    if (!entry) return false;
    const requestId = observer.nextId();
    const status = send(response, entry, requestId, asked.known);
    const milliseconds = performance.now() - started;
    observer.answered({ requestId, method: "GET", route: entry.route, status, milliseconds });
    return true;
  }

  return {
    keep(request, { endpoint, callerId, credential, answer }) {
      const asked = askedBy(request, targets);
      if (!asked || !answer.lasts || answer.body.length > mostBytesOfOne) return;
      const { path, query, rateLimit } = endpoint;
      if (!hasOnly(request.url, query?.shape ?? {})) return;
      const body = typeof answer.body === "string" ? ownBytes(answer.body) : answer.body;
      const limit = settings.rateLimited ? rateLimit : undefined;
      if (limit && !isInMemory(limit)) return;
      const entry = {
        lasting: [credential, answer.lasts],
        spend: limit && (() => isAllowed(() => limiter.spendAtOnce({ who: callerId, rateLimit: limit }))),
        ...{ route: path, etag: answer.etag, body },
        ...headersOf(endpoint, { etag: answer.etag, body }, observer),
      };
      if (isGood(entry)) entries.keep(asked.name, entry, smallThings + body.length);
    },

    before: (next) => (request, response) => {
      if (!isAnswered(request, response)) next(request, response);
    },
  };
}

interface Asked {
  /** The name of the answer. Requests with the same URL and credential have the same name. */
  readonly name: string;
  /** The ETags of the answers that the client already has. */
  readonly known: string | undefined;
}

/**
 * Returns the name of the ready answer to this request. Returns undefined if the request cannot have a ready
 * answer.
 */
function askedBy(request: IncomingMessage, targets: RegExp): Asked | undefined {
  const { method, url = "", rawHeaders } = request;
  if (method !== "GET" || request.httpVersionMinor !== 1 || !targets.test(url)) return undefined;
  let credential: string | undefined;
  let known: string | undefined;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    const part = parts.get(name);
    if (part === undefined) continue;
    if (part === "other") return undefined;
    if (part === "host") {
      hosts += 1;
    } else if (part === "known") {
      if (known !== undefined) return undefined;
      known = rawHeaders[at + 1];
    } else {
      if (credential !== undefined) return undefined;
      credential = `${name} ${rawHeaders[at + 1]}`;
    }
  }
  if (credential === undefined || hosts !== 1) return undefined;
  // The credential is secret, and the URL may contain a secret test key. So only a hash is stored.
  return { name: hashOf(`${url} ${credential}`), known };
}

/** The headers that change an answer. Koa answers all requests with an `other` header. */
const parts: ReadonlyMap<string, "credential" | "host" | "known" | "other"> = new Map([
  ["x-api-key", "credential"],
  ["authorization", "credential"],
  ["host", "host"],
  ["if-none-match", "known"],
  ["if-match", "other"],
  ["origin", "other"],
  ["cookie", "other"],
  ["content-length", "other"],
  ["transfer-encoding", "other"],
  ["expect", "other"],
  ["upgrade", "other"],
  ["trailer", "other"],
]);

/** Returns a pattern that matches the URLs of these endpoints, except URLs with a percent sign. */
function targetsOf(endpoints: readonly Endpoint[]): RegExp {
  const paths = endpoints.map(({ path }) => path.replace(/:\w+/g, "[\\w-]+"));
  return new RegExp(`^(?:${paths.join("|")})(?:\\?[\\w.~=&-]*)?$`);
}

/** Whether the query of an address has only these parameters. */
function hasOnly(url = "", parameters: Readonly<Record<string, unknown>>): boolean {
  const [, query] = url.split("?", 2);
  if (query === undefined) return true;
  return query.split("&").every((pair) => Object.hasOwn(parameters, pair.split("=", 1)[0] ?? ""));
}

function isAllowed(spend: () => unknown): boolean {
  try {
    spend();
    return true;
  } catch {
    return false;
  }
}

const lastsAt = (lasting: readonly Lasting[], now: number): boolean =>
  lasting.every(({ from, until, isCurrent }) => from <= now && now < until && isCurrent());

function headersOf(
  endpoint: Endpoint,
  { etag, body }: Pick<Entry, "etag" | "body">,
  observer: Observer,
): Pick<Entry, "whole" | "unchanged"> {
  const first = ["X-Request-Id", "", ...observer.headers.flat()];
  const last = ["ETag", etag, "Cache-Control", cachingOf(endpoint)];
  return {
    whole: [...first, "Content-Type", jsonType, ...last, "Content-Length", String(body.length)],
    unchanged: [...first, ...last],
  };
}

function send(
  response: ServerResponse,
  { whole, unchanged, etag, body }: Entry,
  requestId: string,
  known: string | undefined,
): number {
  const isKnown = known !== undefined && known !== "" && matchesEtag(known, etag);
  const headers = isKnown ? unchanged : whole;
  // Several requests use the same array. This is safe, because Node reads the headers before `writeHead` returns.
  headers[1] = requestId;
  const status = isKnown ? 304 : 200;
  response.writeHead(status, headers);
  if (isKnown) response.end();
  else response.end(body);
  return status;
}

/** Returns the bytes in a separate buffer. `Buffer.from` would keep a block of Node's pool in memory. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.alloc(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** The maximum size of a ready answer. Koa counts the memory of larger answers while clients read them. */
const mostBytesOfOne = 262_144;
/** The memory in bytes that an entry uses in addition to its body. */
const smallThings = 2_000;
