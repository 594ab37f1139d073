import type { IncomingMessage } from "node:http";
import { Router, type RouterMiddleware } from "@koa/router";
import type { Context, Middleware, Next } from "koa";
import { type Endpoint, isMutation } from "../../src/contract/endpoint.ts";
import { ApiError, badRequest } from "../../src/contract/errors.ts";
import { limits } from "../../src/contract/limits.ts";
import { clockAheadOf } from "../clock.ts";
import type { Deps } from "../deps.ts";
import {
  asApiError,
  cachingOf,
  etagOf,
  type HoldAnswer,
  isDownload,
  isEventStream,
  isPrepared,
  jsonType,
  matchesEtag,
  sendEvents,
} from "./answers.ts";
import {
  type Authenticate,
  isKept,
  nothingPresented,
  type PresentedCredentials,
  type ReadCredentials,
  requireScope,
  sessionCookie,
} from "./authenticate.ts";
import { type Admit, countedFrom, uncountBytes } from "./body/admission.ts";
import {
  counted,
  createLargeJsonReader,
  type IncomingBodies,
  type IncomingBody,
  readJson,
} from "./body/read-body.ts";
import { readUpload } from "./body/read-upload.ts";
import {
  applyLimit,
  type Call,
  callHandler,
  catchUp,
  checkScope,
  checkShape,
  countAttempts,
  type InvokeDeps,
  newCall,
  refuse,
  replayAnswer,
  shapeAnswer,
} from "./call-steps.ts";
import {
  type Api,
  type Callers,
  type Groups,
  type Handler,
  type InvocationResult,
  type Invoke,
  mapEndpoints,
  type Request,
  type ServedEndpoint,
  servedBy,
} from "./handler.ts";
import type { Ready } from "./listener.ts";
import { senderOf } from "./rate-limits/rate-limits.ts";
import { sendDownload } from "./serve-file.ts";

/** The steps of a request of the API, in order. They run only if there is no ready answer. (rule H5) */
export const requestSteps: readonly Step<Exchange>[] = [
  nameSuccessor,
  findCaller,
  compareClocks,
  readBody,
  callEndpoint,
  uncountRepeat,
  sendAnswer,
  keepAnswer,
];

/** The steps of a call from the API, a page of the console or an MCP tool. */
export const callSteps: readonly Step<Call>[] = [
  checkScope,
  replayAnswer,
  countAttempts,
  checkShape,
  applyLimit,
  catchUp,
  callHandler,
  shapeAnswer,
];

/** A step reads and sets fields of its request or call. If the step throws, the error is the answer. */
type Step<Of> = (of: Of) => Promise<void> | void;

/** Returns the routes of an API. This is the only code that connects the contract with Koa. */
export const mount = <C extends Groups>(api: Api<C>, deps: MountDeps, steps: SharedSteps): Route[] =>
  mapEndpoints(api, (endpoint, handle) =>
    routeOf(servedBy(endpoint, handle), createInvoke(endpoint, handle, deps), deps, steps),
  );

function routeOf(endpoint: ServedEndpoint, invoke: Invoke, deps: MountDeps, steps: SharedSteps): Route {
  const readReceived = createBodyReader(deps, steps);
  return {
    method: endpoint.method,
    path: endpoint.path,
    async answer(ctx, params) {
      const exchange = newExchange({ ctx, endpoint, params, deps, steps, invoke, readReceived });
      try {
        for (const step of requestSteps) {
          const pending = step(exchange);
          if (pending) await pending;
        }
      } catch (thrown) {
        await countRefusal(exchange, thrown);
      } finally {
        if (exchange.body.discard) await exchange.body.discard();
      }
    },
  };
}

/** Creates the function that runs `callSteps` for an endpoint. It throws the ApiErrors that the endpoint declares. */
export function createInvoke<E extends Endpoint>(endpoint: E, handle: Handler<E>, deps: InvokeDeps): Invoke {
  // The cast is safe, because the schemas of this endpoint have checked the parts of the request.
  const handleAny = (request: Request) => handle(request as Request<E>);
  const served = servedBy(endpoint, handle);
  return async (incoming) => {
    const call = newCall({ endpoint: served, handle: handleAny, deps, incoming });
    try {
      for (const step of callSteps) {
        const pending = step(call);
        if (pending) await pending;
        if (call.outcome) return call.outcome;
      }
    } catch (thrown) {
      return await refuse(call, thrown);
    }
    throw new Error(`${endpoint.path} has no answer`);
  };
}

/**
 * Calls the route of each request, and `next` for unknown paths. Throws `method_not_allowed` and `bad_request`.
 * (rule H27)
 */
export function routing(routes: readonly Route[]): RouterMiddleware {
  const fixed = new Map(
    routes.filter(({ path }) => !path.includes(":")).map((route) => [nameOf(route), route]),
  );
  const everything = routerOf(routes);
  const areas = new Map(
    [...new Set(routes.map(({ path }) => areaOf(path)))].map((area) => [
      area,
      routerOf(routes.filter(({ path }) => areaOf(path) === area)).routes(),
    ]),
  );
  const dispatch = everything.routes();

  return async (ctx, next) => {
    const method = ctx.method === "HEAD" ? "GET" : ctx.method;
    const path = pathOf(ctx);
    const hosts = hostsIn(ctx.req.rawHeaders);
    if (hosts > 1) throw badRequest("", "The request has more than one Host header");
    if (hosts === 0 && ctx.req.httpVersion === "1.1") throw badRequest("", "The request has no Host header");
    if (path === undefined) throw badRequest("", "The request's target is not an address");
    // The path is set in the context, because the routers read `ctx.path`.
    if (path !== ctx.path) ctx.path = path;
    const route = fixed.get(`${method} ${path}`);
    if (route) {
      ctx.state.route = route.path;
      return route.answer(ctx, {});
    }
    const unmatched = () => {
      const allow = methodsOf(everything, path);
      if (allow.length > 0) throw new ApiError("method_not_allowed", { allow });
      return next();
    };
    const near = areas.get(areaOf(path));
    await (near ? near(ctx, () => dispatch(ctx, unmatched)) : dispatch(ctx, unmatched));
  };
}

/**
 * Returns the path with decoded letters and digits, such as `e` for `%65`. Returns undefined for an invalid
 * absolute URL.
 */
export function pathOf(ctx: Context): string | undefined {
  try {
    return ctx.path.replace(/%(?:3\d|[46][1-9a-f]|[57][\da])/gi, decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Returns the number of Host headers. With two, a proxy and this server might use different ones. */
function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts;
}

function routerOf(routes: readonly Route[]): Router {
  const router = new Router({ sensitive: true });
  for (const route of routes) {
    router.register(route.path, [route.method], (ctx) => {
      ctx.state.route = route.path;
      return route.answer(ctx, ctx.params);
    });
  }
  return router;
}

/** Returns the first three parts of a path. Each area has its own router, because small routers are faster. */
const areaOf = (path: string): string => path.split("/", 4).join("/");

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

function methodsOf(router: Router, path: string): string[] {
  return [...new Set(router.match(path, "GET").path.flatMap((layer) => layer.methods))].sort();
}

/**
 * Throws `not_found` for requests without a route. The message does not repeat the address, which may contain a secret.
 */
export const answerUnknown: Middleware = async () => {
  throw new ApiError("not_found");
};

const allowed = {
  "Access-Control-Allow-Methods": "GET, POST, PATCH, PUT, DELETE",
  "Access-Control-Allow-Headers":
    "Content-Type, X-Api-Key, Authorization, Idempotency-Key, If-Match, If-None-Match, Mcp-Protocol-Version, Mcp-Method, Mcp-Name",
  "Access-Control-Expose-Headers": "ETag, Retry-After, X-Request-Id, Idempotent-Replay, WWW-Authenticate",
  "Access-Control-Max-Age": "600",
};

/** Allows pages of the listed origins to call the API (CORS), but not with cookies. (rule H25) */
export function allowOrigins(origins: readonly string[]) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const { origin } = ctx.req.headers;
    // With `Vary`, a cache does not send an answer for one origin to a page of another origin.
    ctx.vary("Origin");
    if (origin === undefined || !origins.includes(origin)) return next();
    ctx.set("Access-Control-Allow-Origin", origin);
    ctx.set(allowed);
    if (ctx.method !== "OPTIONS") return next();
    ctx.status = 204;
  };
}

/** A method and a path of the server, and the function that answers requests for this route. */
export interface Route {
  readonly method: Endpoint["method"];
  readonly path: string;
  readonly answer: (ctx: Context, params: Record<string, string>) => Promise<void>;
}

/** Services that the steps of a request use. Routes outside of the API use them, too. */
export interface SharedSteps {
  readonly readCredentials: ReadCredentials;
  readonly authenticate: Authenticate;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly admit: Admit;
  readonly arrivals: IncomingBodies;
  readonly holdAnswer: HoldAnswer;
  /** Stores answers, so that the server can send the same answers without Koa the next time. */
  readonly ready?: Pick<Ready, "keep"> | undefined;
}

type MountDeps = InvokeDeps & Pick<Deps, "files" | "stopping">;

/** The state of one request of the API. Each step reads fields that earlier steps have set. */
interface Exchange {
  readonly ctx: Context;
  readonly endpoint: ServedEndpoint;
  readonly params: Record<string, string>;
  readonly deps: MountDeps;
  readonly steps: SharedSteps;
  readonly invoke: Invoke;
  readonly readReceived: ReturnType<typeof createBodyReader>;
  presented: PresentedCredentials;
  caller: Callers[Endpoint["auth"]];
  /** How many milliseconds the sender's clock is ahead of the server's clock. */
  clockAhead: number;
  body: ReceivedBody;
  idempotencyKey: string | undefined;
  outcome: InvocationResult;
}

/** The code names each field, because an object spread is slow. */
const newExchange = ({
  ctx,
  endpoint,
  params,
  deps,
  steps,
  invoke,
  readReceived,
}: Pick<
  Exchange,
  "ctx" | "endpoint" | "params" | "deps" | "steps" | "invoke" | "readReceived"
>): Exchange => ({
  ctx,
  endpoint,
  params,
  deps,
  steps,
  invoke,
  readReceived,
  presented: nothingPresented,
  caller: undefined,
  clockAhead: 0,
  body: noBody,
  idempotencyKey: undefined,
  outcome: { status: 204, body: undefined, replayed: false },
});

/** Adds the headers `Deprecation` and `Link` if the endpoint has a successor. (RFC 9745; rule H28) */
function nameSuccessor({ ctx, endpoint: { successor }, deps }: Exchange): void {
  if (!successor) return;
  ctx.set("Deprecation", `@${deprecatedSince}`);
  ctx.set("Link", `<${deps.settings.baseUrl}${successor}>; rel="successor-version"`);
}

/** 2026-11-21, in seconds since 1970, for the header `Deprecation`. */
const deprecatedSince = 1_795_219_200;

/** Finds the caller from the credentials. Throws `invalid_api_key`, `invalid_token` or `sign_in_required`. */
async function findCaller(exchange: Exchange): Promise<void> {
  const { ctx, endpoint, steps } = exchange;
  exchange.presented = steps.readCredentials(ctx, isMutation(endpoint));
  exchange.caller = await steps.authenticate(endpoint.auth, exchange.presented);
}

/** Computes by how much the sender's clock is ahead. Runs before `readBody`, because reading takes time. */
function compareClocks(exchange: Exchange): void {
  const { ctx, endpoint, deps } = exchange;
  if (endpoint.readsClock) exchange.clockAhead = clockAheadOf(ctx.req.headers.date, deps.clock.now());
}

/** Checks the scope and the Idempotency-Key, and reads the body. Counts refused requests. (rule H18) */
async function readBody(exchange: Exchange): Promise<void> {
  const { ctx, endpoint, steps, params, caller } = exchange;
  const sender = senderOf(caller, steps.addressOf(ctx.req));
  await counted({ arrivals: steps.arrivals, sender, announced: announcedBytes(ctx.req) }, async () => {
    requireScope(endpoint, { caller, params });
    if (isMutation(endpoint)) exchange.idempotencyKey = idempotencyKeyOf(ctx.req);
    if (!endpoint.body) return;
    const { idempotencyKey } = exchange;
    exchange.body = await exchange.readReceived(ctx, endpoint, { caller, idempotencyKey });
  });
}

/** Runs the steps of the call (`callSteps`). */
async function callEndpoint(exchange: Exchange): Promise<void> {
  const { ctx, endpoint, steps, deps, params, caller, body, presented } = exchange;
  exchange.outcome = await exchange.invoke({
    caller,
    path: ctx.path,
    params,
    query: endpoint.query ? ctx.query : undefined,
    body: body.value,
    idempotencyKey: exchange.idempotencyKey,
    ifMatch: ctx.req.headers["if-match"],
    lastEventId: ctx.get("last-event-id") || undefined,
    clockAhead: exchange.clockAhead,
    address: steps.addressOf(ctx.req),
    browser: presented,
    callerNow: () => steps.authenticate(endpoint.auth, presented),
    signal: () => signalOf(ctx, deps),
    setSession: (session) => sessionCookie(deps.settings).set(ctx, session),
  });
}

/** Subtracts the bytes of a repeat from the sender's count, because the server does not store these bytes. */
async function uncountRepeat({ ctx, endpoint, deps, caller, outcome }: Exchange): Promise<void> {
  if (outcome.replayed && caller) await uncountBytes(endpoint, caller.id, { request: ctx.req, deps });
}

/** The received body, and a function that deletes the received files that were not kept. */
interface ReceivedBody {
  readonly value: unknown;
  readonly discard?: () => Promise<void>;
}

const noBody: ReceivedBody = { value: undefined };

/** Creates a function that reads bodies. It reads a large body only after `admit` has accepted the body. */
export function createBodyReader(
  { files }: Pick<Deps, "files">,
  { admit, arrivals, addressOf }: SharedSteps,
) {
  const readLargeJson = createLargeJsonReader(arrivals);
  return async (
    { req, path }: Context,
    endpoint: Endpoint,
    {
      caller,
      idempotencyKey,
    }: { readonly caller: Callers[Endpoint["auth"]]; readonly idempotencyKey: string | undefined },
  ): Promise<ReceivedBody> => {
    const sender = senderOf(caller, addressOf(req));
    const { body, bodyKind, bodyBytes, upload: rules } = endpoint;
    if (bodyBytes !== undefined) {
      const { value, release } = await readLargeJson(req, { arrivals, sender, most: bodyBytes });
      return { value, discard: async () => release() };
    }
    if (!rules) return { value: await readJson(req, { arrivals, sender }) };
    const admitted = needsNoAdmission(req)
      ? undefined
      : await admit({ request: req, endpoint, caller, path, idempotencyKey });
    const arrival = req.complete ? undefined : arrivals.begin(req, sender);
    if (arrival && admitted) admitted.onCut(arrival.cut);
    let received = noBody;
    try {
      // The files of an admitted body go to disk while they arrive. So the memory for this body is not counted.
      const counted = admitted ? withoutHolding(arrival) : arrival;
      received = await readUpload(req, { body, bodyKind, rules }, { files, arrival: counted });
      return received;
    } catch (error) {
      await admitted?.countFailed(error);
      throw error;
    } finally {
      arrival?.end();
      admitted?.over();
      await admitted?.countArrived().catch(async (error) => {
        if (received.discard) await received.discard();
        throw error;
      });
    }
  };
}

/** Whether a body is so small that the server may read it without a call of `admit`. */
function needsNoAdmission({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return length !== undefined && Number(length) < countedFrom;
}

const withoutHolding = (arrival: IncomingBody | undefined): IncomingBody | undefined =>
  arrival && { ...arrival, hold() {} };

/** Returns the Idempotency-Key of a request. Throws `bad_request` if the key is malformed. (rule H10) */
function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  const given = headers["idempotency-key"];
  if (given === undefined) return undefined;
  const key = /^"(.*)"$/.exec(String(given))?.[1] ?? String(given);
  if (/^[\x20-\x7e]+$/.test(key) && key.length <= limits.idempotencyKey) return key;
  throw badRequest("Idempotency-Key", `must be 1 to ${limits.idempotencyKey} printable ASCII characters`);
}

/** Creates a signal that aborts when the client disconnects or the server stops. */
function signalOf(ctx: Context, { stopping }: Pick<Deps, "stopping">): AbortSignal {
  const gone = new AbortController();
  ctx.res.once("close", () => gone.abort());
  if (ctx.res.closed) gone.abort();
  return AbortSignal.any([gone.signal, stopping]);
}

/** Sends an answer. For a GET, the status is 304 if the client already has the answer. (rule H23) */
function sendAnswer({ ctx, endpoint, steps, outcome: { status, body, replayed } }: Exchange): void {
  const { method } = endpoint;
  ctx.status = status;
  if (replayed) ctx.set("Idempotent-Replay", "true");
  if (method !== "GET") ctx.set("Cache-Control", "no-store");
  if (body === undefined) return;
  if (isDownload(body)) {
    sendDownload(ctx, body);
    return;
  }
  if (isEventStream(body)) {
    sendEvents(ctx, body);
    return;
  }
  const content = isPrepared(body) ? body.body : body;
  // `set` of Koa is not used, because it would check every name and value again.
  ctx.res.setHeader("Content-Type", jsonType);
  if (method === "GET") {
    const etag = isPrepared(body) ? body.etag : etagOf(body);
    ctx.res.setHeader("ETag", etag);
    ctx.res.setHeader("Cache-Control", cachingOf(endpoint));
    const known = ctx.req.headers["if-none-match"];
    if (known && matchesEtag(known, etag)) {
      ctx.status = 304;
      return;
    }
  }
  if (ctx.method !== "HEAD") steps.holdAnswer(ctx.res, { body: content, canRefuse: method === "GET" });
  ctx.body = content;
}

/** Stores a prepared answer with the status 200. The next equal request gets it without Koa. */
function keepAnswer({ ctx, endpoint, steps, caller, presented, outcome }: Exchange): void {
  const { auth, ready } = endpoint;
  const { status, body: answer } = outcome;
  if (!ready || !steps.ready || status !== 200 || !caller || !isKept(auth) || !isPrepared(answer)) return;
  const credential = steps.authenticate.lasting(auth, presented, caller);
  steps.ready.keep(ctx.req, { endpoint, callerId: caller.id, credential, answer });
}

/**
 * With `countsRefusals`, counts a refused request against the rate limit. Throws `thrown` or `rate_limited`.
 */
async function countRefusal({ endpoint, caller, deps }: Exchange, thrown: unknown): Promise<never> {
  const { countsRefusals, rateLimit } = endpoint;
  if (!countsRefusals || !rateLimit || !caller || !deps.settings.rateLimited) throw thrown;
  if (![400, 404, 412, 413, 415].includes(asApiError(thrown).status)) throw thrown;
  await deps.limiter.spend({ who: caller.id, rateLimit });
  throw thrown;
}

/** Returns the length of a body from its headers, or undefined for a chunked body. */
const announcedBytes = ({ headers }: IncomingMessage): number | undefined =>
  headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : undefined;
