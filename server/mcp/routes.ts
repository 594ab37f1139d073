import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { Context } from "koa";
import { type Endpoint, isMutation } from "../../src/contract/endpoint.ts";
import { ApiError, type ErrorCode } from "../../src/contract/errors.ts";
import type { Contract } from "../../src/contract/index.ts";
import { isObjectOrList } from "../../src/contract/json.ts";
import { limits } from "../../src/contract/limits.ts";
import type {
  DirectAnswer,
  DirectRequest,
  Following,
  HttpAnswer,
  HttpTools,
  ToolCaller,
  Topics,
} from "../../src/programs.ts";
import { credentials } from "../access/credentials.ts";
import { metadataAddress } from "../access/oauth/api.ts";
import type { Deps } from "../deps.ts";
import type { Files } from "../files/files.ts";
import {
  asApiError,
  errorBody,
  isDownload,
  isEventStream,
  isPrepared,
  sentencesOf,
  UploadFailure,
} from "../http/answers.ts";
import {
  agentCaller,
  agentScopesOf,
  bearerOf,
  createTouch,
  type PresentedCredentials,
  topicsOfAllCredentials,
  topicsOfToken,
} from "../http/authenticate.ts";
import { counted, jsonOf, readJsonBytes } from "../http/body/read-body.ts";
import type { InvokeDeps } from "../http/call-steps.ts";
import {
  type AgentCaller,
  type Api,
  type Groups,
  type Invoke,
  mapEndpoints,
  type Request,
} from "../http/handler.ts";
import type { Metrics } from "../http/listener.ts";
import { cachedLookup } from "../http/memory.ts";
import { createInvoke, type Route, type SharedSteps } from "../http/pipeline.ts";
import { senderOf } from "../http/rate-limits/rate-limits.ts";
import type { ServedFile } from "../http/serve-file.ts";
import { hashOf } from "../secrets/secrets.ts";
import type { Settings } from "../settings/settings.ts";
import { serverVersion } from "../version.ts";

/** The parts of the server that the tools use. */
interface McpParts {
  readonly deps: InvokeDeps & Pick<Deps, "log" | "memory" | "stopping">;
  readonly steps: SharedSteps;
  readonly api: Api<Contract>;
  readonly metrics: Pick<Metrics, "count">;
  readonly readUpload: ReturnType<typeof createReadUpload>;
  /** Starts to watch for changes of the data that an agent may read. */
  readonly follow: (callerNow: () => Promise<AgentCaller>, topics: Topics) => Promise<Following>;
}

/**
 * Returns the route of the agent tools over Streamable HTTP. Returns no route if the setting `mcp` is off. (rule A40)
 */
export function mcpRoutes(parts: McpParts): Route[] {
  if (!parts.deps.settings.mcp) return [];
  const answer = createAnswer(parts);
  return [
    {
      method: "POST",
      path: mcpPath,
      answer: (ctx) => orRefusal(ctx, parts.deps.settings, () => answer(ctx)),
    },
  ];
}

function createAnswer(parts: McpParts): (ctx: Context) => Promise<void> {
  const { deps, steps, api, metrics, readUpload, follow } = parts;
  const calls = createDirectCalls(api, deps, metrics);
  const authenticate = createToolAuthenticate(deps, steps);
  let tools: Promise<HttpTools> | undefined;

  return async (ctx) => {
    refuseForeign(ctx, deps.settings);
    const shown = { ...steps.readCredentials(ctx, true), sessionId: undefined };
    const { caller, callerNow, mayPropose } = await authenticate(shown);
    const body = await readMessage(ctx, caller, steps);
    const gone = goneSignal(ctx);
    tools ??= loadTools(deps);
    const call = calls({
      caller,
      callerNow,
      address: steps.addressOf(ctx.req),
      browser: shown,
      requestId: String(ctx.state.requestId),
      mayChange: ({ rateLimit }) => mayPropose || rateLimit !== "proposals",
      ends: [gone, deps.stopping],
    });
    const mayWork = caller.scopes.includes("runs:work");
    const who = {
      ...{ id: caller.id, secret: secretOf(shown), readOnly: !mayPropose, mayWork, call, readUpload },
      follow: (topics: Topics) => follow(callerNow, topics),
      stopping: deps.stopping,
    };
    await send(ctx, await (await tools).answer({ headers: headersOf(ctx), body, gone }, who));
  };
}

/** Throws `forbidden` for the `Host` or `Origin` of another server. Prevents access by DNS rebinding. */
function refuseForeign({ req }: Context, settings: Deps["settings"]): void {
  if (!isOwnHost(req.headers.host, settings))
    throw new ApiError("forbidden", {
      message: "The Host header does not name this server. Use the address in INNKEEP_BASE_URL.",
    });
  if (!isAllowedOrigin(req.headers.origin, settings))
    throw new ApiError("forbidden", {
      message:
        "Pages of this origin may not call this server. INNKEEP_CORS_ORIGINS lists the origins whose pages may call it.",
    });
}

/**
 * Reads a message. Older clients may send a list of messages. Throws `bad_request`, and the errors of
 * `readJsonBytes` and `jsonOf`.
 */
async function readMessage(
  ctx: Context,
  caller: AgentCaller,
  { arrivals, addressOf }: SharedSteps,
): Promise<unknown> {
  const sending = { arrivals, sender: senderOf(caller, addressOf(ctx.req)), most: limits.json };
  return counted(sending, async () => {
    const bytes = await readJsonBytes(ctx.req, sending);
    const body = bytes.length === 0 ? undefined : jsonOf(ctx.req, bytes);
    if (isObjectOrList(body)) return body;
    throw new ApiError("bad_request", { message: "Send one JSON-RPC message, as an object." });
  });
}

const secretOf = ({ authorization }: PresentedCredentials): string =>
  (authorization ?? "").replace(/^bearer +/i, "");

function goneSignal({ res }: Context): AbortSignal {
  const gone = new AbortController();
  res.once("close", () => {
    // If the answer was sent completely, the request is over and an abort is not needed.
    if (!res.writableFinished) gone.abort();
  });
  if (res.closed) gone.abort();
  return gone.signal;
}

/** Returns only the headers that the protocol uses. */
function headersOf({ req }: Context): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(req.headers)) {
    if (typeof value === "string" && /^(accept|content-type|last-event-id|mcp-.*)$/.test(name))
      headers[name] = value;
  }
  return headers;
}

async function send(ctx: Context, answer: HttpAnswer): Promise<void> {
  ctx.set("Cache-Control", "no-store");
  if ("json" in answer) {
    ctx.status = 200;
    ctx.set("Content-Type", "application/json");
    ctx.body = answer.json;
    return;
  }
  const { response, comesInParts } = answer;
  ctx.status = response.status;
  for (const name of ["content-type", "allow", "x-accel-buffering"]) {
    const value = response.headers.get(name);
    if (value !== null) ctx.set(name, value);
  }
  if (!response.body) {
    ctx.body = "";
    return;
  }
  if (!comesInParts) {
    // A single message is sent as text, because a stream would need more time than the tool itself.
    ctx.body = await response.text();
    return;
  }
  // Koa closes the stream when the client disconnects.
  ctx.body = Readable.from(response.body);
  // Some proxies end a request that gets no bytes, so the headers are sent immediately.
  if (response.headers.get("content-type") === "text/event-stream") ctx.flushHeaders();
}

/** Sends errors with a status below 500 in the form of the MCP SDK. Throws all other errors again. */
async function orRefusal(ctx: Context, settings: Deps["settings"], act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (thrown) {
    const error = asApiError(thrown);
    if (error.status >= 500) throw thrown;
    refusalMessage(ctx, error, settings);
  }
}

const mcpPath = "/mcp";

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

const hostForm = /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/;

/** Whether the `Host` header is an address of this server or a loopback name. (rule A41) */
export function isOwnHost(
  host: string | undefined,
  { baseUrl, consoleUrl }: Pick<Settings, "baseUrl" | "consoleUrl">,
): boolean {
  const given = host?.toLowerCase() ?? "";
  // A proxy may send a loopback name. The address of another site's page never contains a loopback name.
  if (loopbackHost.test(given)) return true;
  return hostForm.test(given) && [baseUrl, consoleUrl].some((url) => isHostOf(given, new URL(url)));
}

/** Whether a `Host` header is the host of a URL. The standard port of the protocol may be missing. */
const isHostOf = (given: string, { protocol, host }: URL): boolean =>
  URL.canParse(`${protocol}//${given}`) && new URL(`${protocol}//${given}`).host === host;

/** Whether a request with this `Origin` is allowed. Programs that are not browsers send no `Origin`. */
export const isAllowedOrigin = (
  origin: string | undefined,
  { baseUrl, consoleUrl, corsOrigins }: Pick<Settings, "baseUrl" | "consoleUrl" | "corsOrigins">,
): boolean =>
  origin === undefined ||
  corsOrigins.includes(origin) ||
  [baseUrl, consoleUrl].some((url) => new URL(url).origin === origin);

/** The JSON-RPC codes for errors that happen before the message is read. */
const codes: Partial<Record<ErrorCode, number>> = { bad_request: -32_600, internal: -32_603, busy: -32_603 };

const otherCode = -32_000;

const parseError = -32_700;

/** Whether the server could not parse the body as JSON. */
const isUnreadable = ({ cause }: ApiError): boolean =>
  cause instanceof UploadFailure && cause.fault === "malformed_json";

/** Answers an error as JSON-RPC, with the HTTP status that the API uses. */
function refusalMessage(ctx: Context, error: ApiError, settings: Pick<Settings, "baseUrl">): void {
  const { status, code } = error;
  const { retryAfterSeconds } = error.details;
  ctx.status = status;
  ctx.set("Cache-Control", "no-store");
  if (retryAfterSeconds !== undefined) ctx.set("Retry-After", String(retryAfterSeconds));
  if (status === 401) ctx.set("WWW-Authenticate", challengeOf(ctx, settings));
  ctx.body = {
    jsonrpc: "2.0",
    id: null,
    error: {
      code: isUnreadable(error) ? parseError : (codes[code] ?? otherCode),
      message: sentencesOf(error).join(" "),
      data: { code },
    },
  };
}

/**
 * Returns the header `WWW-Authenticate`. It names the document that describes how a program gets a token. (RFC 9728
 * 5.1)
 */
function challengeOf({ req }: Context, settings: Pick<Settings, "baseUrl">): string {
  const fault = req.headers.authorization === undefined ? "" : ' error="invalid_token",';
  return `Bearer realm="innkeep",${fault} resource_metadata="${metadataAddress(settings)}"`;
}

/** Loads the tools at their first use, from a separate file of the build. */
async function loadTools({ settings, log }: Pick<Deps, "settings" | "log">): Promise<HttpTools> {
  const { createHttpTools } = await import("../../mcp/http.ts");
  return createHttpTools({
    version: serverVersion ?? "0.0.0",
    baseUrl: settings.baseUrl,
    consoleUrl: settings.consoleUrl,
    onError: (error) => log.debug({ err: error }, "a message for the tools was refused"),
  });
}

/** Creates a function that returns the bytes of an uploaded file, "too large", or undefined if not found. */
export function createReadUpload(
  find: (name: string) => Promise<Pick<ServedFile, "sha256" | "size"> | undefined>,
  files: Pick<Files, "open" | "size">,
): ToolCaller["readUpload"] {
  return async (name, most) => {
    const file = await find(name);
    if (!file || (await files.size(file.sha256)) !== file.size) return undefined;
    return file.size > most ? "too large" : buffer(await files.open(file.sha256));
  };
}

/** The caller of tools over HTTP, and the properties of its request. */
interface Calling {
  readonly caller: AgentCaller;
  /** Checks the token again and returns the caller. Rejects if the token was revoked in the meantime. */
  readonly callerNow: () => Promise<AgentCaller>;
  readonly address: string;
  readonly browser: Request["browser"];
  readonly requestId: string;
  /** Returns whether the caller may call an endpoint that changes something. */
  readonly mayChange: (endpoint: Endpoint) => boolean;
  /** The signals that end a call: the client disconnects, or the server stops. */
  readonly ends: readonly AbortSignal[];
}

/**
 * Calls endpoints for agents inside this process. Handlers, limits, audit, idempotency, metrics and log are the same as
 * over HTTP.
 */
function createDirectCalls<C extends Groups>(
  api: Api<C>,
  deps: InvokeDeps & Pick<Deps, "log">,
  metrics: Pick<Metrics, "count">,
): (calling: Calling) => (request: DirectRequest) => Promise<DirectAnswer> {
  const endpoints = new Map<string, readonly [Endpoint, Invoke]>(
    mapEndpoints(api, (endpoint, handle): [string, readonly [Endpoint, Invoke]] => [
      `${endpoint.method} ${endpoint.path}`,
      [endpoint, createInvoke(endpoint, handle, deps)],
    ]).filter(([, [endpoint]]) => endpoint.auth === "agentToken"),
  );
  return (calling) => async (request) => {
    const started = performance.now();
    const answer = await answerOf(endpoints.get(`${request.method} ${request.path}`), request, calling).catch(
      (thrown) => refusalOf(thrown, calling, deps),
    );
    const { method, path: route } = request;
    const milliseconds = performance.now() - started;
    metrics.count({ method, route, status: answer.status, milliseconds });
    const { requestId } = calling;
    deps.log.debug({ requestId, method, route, status: answer.status }, "answered a tool");
    return answer;
  };
}

async function answerOf(
  found: readonly [Endpoint, Invoke] | undefined,
  { path, params, query, body, idempotencyKey, signal }: DirectRequest,
  calling: Calling,
): Promise<DirectAnswer> {
  if (!found) throw new Error(`Agents cannot use the endpoint ${path}`);
  const [endpoint, invoke] = found;
  if (isMutation(endpoint) && !calling.mayChange(endpoint)) return notGranted;
  const outcome = await invoke({
    caller: calling.caller,
    path: path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? ""),
    params,
    query: endpoint.query ? query : undefined,
    body,
    idempotencyKey,
    address: calling.address,
    browser: calling.browser,
    callerNow: calling.callerNow,
    signal: () => AbortSignal.any(signal ? [...calling.ends, signal] : [...calling.ends]),
    setSession: () => undefined,
  });
  return { status: outcome.status, headers: {}, text: textOf(outcome.body) };
}

const textOf = (body: Awaited<ReturnType<Invoke>>["body"]): string => {
  if (body === undefined || isDownload(body) || isEventStream(body)) return "";
  return isPrepared(body) ? body.body.toString() : body;
};

const notGranted: DirectAnswer = {
  status: 403,
  headers: {},
  text: JSON.stringify({ error: "This connection may only read.", code: "insufficient_scope" }),
};

function refusalOf(thrown: unknown, { requestId }: Calling, { log }: Pick<Deps, "log">): DirectAnswer {
  const error = asApiError(thrown);
  if (error.status >= 500) log.error({ requestId, err: thrown }, error.code);
  const { retryAfterSeconds } = error.details;
  return {
    status: error.status,
    headers: retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) },
    text: JSON.stringify(errorBody(error)),
  };
}

/** A program that calls tools, and whether a person has allowed the program to make proposals. */
interface ToolUser {
  readonly caller: AgentCaller;
  readonly mayPropose: boolean;
  /** Checks the token again and returns the caller. Rejects if the token was revoked in the meantime. */
  readonly callerNow: () => Promise<AgentCaller>;
}

/** Creates the function that finds the caller by an agent token or an access token. (rule A43) */
function createToolAuthenticate(
  deps: Pick<Deps, "clock" | "database" | "log" | "memory">,
  { authenticate }: Pick<SharedSteps, "authenticate">,
): (shown: PresentedCredentials) => Promise<ToolUser> {
  const find = cachedLookup({
    memory: deps.memory,
    dropAll: topicsOfAllCredentials,
    load: (hash) => credentials.findConnection(deps.database, hash),
    topicsOf: topicsOfToken,
  });
  const touch = createTouch(deps);

  /** Finds the caller by an access token and records the use. Throws `invalid_token`. */
  const connection = async (shown: PresentedCredentials, began: number) => {
    const hash = hashOf(bearerOf(shown.authorization));
    const row = await find(hash);
    // A token that expires during a request stays valid until the request ends.
    if (!row || Date.parse(row.expiresAt) <= began) throw new ApiError("invalid_token");
    touch(hash, row, credentials.touchToken);
    return { caller: agentCaller(row, agentScopesOf(row.scopes)), mayPropose: mayPropose(row.scopes) };
  };

  return async (shown) => {
    if (!bearerOf(shown.authorization).startsWith("sdo_")) {
      const callerNow = () => authenticate("agentToken", shown);
      return { caller: await callerNow(), mayPropose: true, callerNow };
    }
    const began = deps.clock.now().getTime();
    const callerNow = async () => (await connection(shown, began)).caller;
    return { ...(await connection(shown, began)), callerNow };
  };
}

function mayPropose(scopes: string): boolean {
  const granted: unknown = JSON.parse(scopes);
  return Array.isArray(granted) && granted.includes("propose");
}
