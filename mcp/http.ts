import {
  type CallToolResult,
  createMcpHandler,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type McpServer,
  type McpServerFactory,
  ProtocolErrorCode,
  type ServerEventBus,
} from "@modelcontextprotocol/server";
import { ServerError } from "../src/client/errors.ts";
import { groupOf, successIn } from "../src/client/send.ts";
import { systemClock } from "../src/client/wait.ts";
import { type Fields, hasOnly, isId, isObject, textAt, valueAt } from "../src/contract/json.ts";
import type { HttpAnswer, HttpToolOptions, HttpTools, ToolCaller, ToolRequest } from "../src/programs.ts";
import { type Era, metaKeys, versions } from "./build-time-answers.ts";
import type { AwaitDecision } from "./decision-watch.ts";
import { type Deps, firstTimes, keyedQueue } from "./deps.ts";
import { isMessage, refusalOfBatch, refusalOfMessage } from "./messages.ts";
import { isEnvelope } from "./prepared-answers.ts";
import type { Proposals } from "./proposal-files.ts";
import { type Connection, explain, newWorker, readRun } from "./refusals.ts";
import { createServer, identityOf, runSafely, toolNamed } from "./server.ts";
import { noBatches, takesBatches } from "./session.ts";
import { limitTo, topicOf, topicsOf, urisIn } from "./subscriptions.ts";
import { tools } from "./tool-list.ts";

/**
 * Creates the tools over Streamable HTTP, for both protocol eras (`Era`). There are no sessions, so each
 * request is independent.
 */
export function createHttpTools(options: HttpToolOptions): HttpTools {
  const shared = { queue: keyedQueue(), isFirstOffer: firstTimes() };
  const streams = createOpenStreams();
  const serverFor = (deps: Deps, body: unknown): McpServerFactory => {
    const only = calledTool(body);
    // Clients of the era `legacy` get no notices about changes, because this server has no sessions.
    return ({ era }) => {
      const server = createServer(options, deps, { announces: era === "modern", only });
      return Array.isArray(body) ? handleInTurns(server) : server;
    };
  };
  const answerWithSdk = async (sent: ToolRequest, caller: ToolCaller, deps: Deps): Promise<HttpAnswer> => {
    const { body } = sent;
    const request = webRequest(sent);
    const uris = urisIn(body);
    const parts = { streams, createServer: serverFor(deps, body), onError: options.onError };
    if (uris) return { response: await listen({ request, body, uris, caller }, parts), comesInParts: true };
    // A wait for a decision gets a comment every 15 seconds, because proxies close connections without data.
    // (rule A42)
    const comesInParts = isWait(body);
    const responseMode = comesInParts ? "sse" : "auto";
    const { fetch } = createMcpHandler(parts.createServer, { onerror: options.onError, responseMode });
    return { response: await fetch(request, { parsedBody: body }), comesInParts };
  };
  return {
    async answer(given, caller) {
      const isBatch = Array.isArray(given.body);
      if (isBatch && !takesBatches(given.headers["mcp-protocol-version"] ?? revisionWithoutHeader))
        return refused(refusalOfBatch(noBatches));
      const forms = formsIn(given.headers.accept);
      const isServed = forms.json || forms.events;
      const request = isServed ? { ...given, headers: { ...given.headers, accept: bothForms } } : given;
      const deps = depsOf(options, caller, shared);
      const call = plainCallIn(request);
      if (!call && !isBatch && !isMessage(given.body)) return refused(refusalOfMessage(given.body));
      const { version } = options;
      const json = call && (await answerCall(call, { version, deps, gone: request.gone }));
      const answer = json === undefined ? await answerWithSdk(request, caller, deps) : { json };
      // Notices about changed resources are always a stream of events, even for a client that accepts only
      // JSON.
      return urisIn(request.body) ? answer : inForm(answer, { ...forms, isBatch });
    },
  };
}

/**
 * The protocol revision of a client that sends no version header. That header exists only in later revisions.
 */
const revisionWithoutHeader = "2025-03-26";

const refused = (refusal: object): HttpAnswer => ({
  response: Response.json(refusal, { status: 400 }),
  comesInParts: false,
});

/** Returns the request for the SDK. The address is constant, because no result may depend on the header `Host`. */
const webRequest = ({ headers, gone }: ToolRequest): Request =>
  new Request("http://innkeep.invalid/mcp", { method: "POST", headers, signal: gone });

/** Returns the name of the tool that a message calls. Only this tool is needed to answer the message. */
const calledTool = (message: unknown): string | undefined =>
  valueAt(message, "method") === "tools/call" ? textAt(message, "params", "name") : undefined;

/** The forms of an answer that a client accepts: one JSON text, or a stream of events. */
interface Forms {
  readonly json: boolean;
  readonly events: boolean;
}

const json = "application/json";

const events = "text/event-stream";

/** The `Accept` header for the SDK. The SDK serves only clients that accept both forms. */
export const bothForms = `${json}, ${events}`;

/** Returns the forms that an `Accept` header allows; both if there is no header. (rule A62) */
export function formsIn(accept: string | undefined): Forms {
  const ranges = new Map((accept ?? "").split(",").map(rangeOf));
  ranges.delete("");
  if (ranges.size === 0) return { json: true, events: true };
  const takes = (type: string) =>
    ranges.get(type) ?? ranges.get(type.replace(/\/.*/, "/*")) ?? ranges.get("*/*") ?? false;
  return { json: takes(json), events: takes(events) };
}

/** Reads one part of an `Accept` header. Returns its media type, and whether the client accepts that type. */
function rangeOf(part: string): [string, boolean] {
  const [type = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
  return [type, !parameters.some((each) => /^q\s*=\s*0(\.0*)?$/.test(each))];
}

/** Returns the answer in a form that the client accepts. */
async function inForm(
  answer: HttpAnswer,
  { json: takesJson, events: takesEvents, isBatch }: Forms & { readonly isBatch: boolean },
): Promise<HttpAnswer> {
  if (takesJson === takesEvents) return answer;
  if ("json" in answer) return takesJson || answer.json === "" ? answer : eventOf(answer.json);
  const { response } = answer;
  const type = response.headers.get("content-type") ?? "";
  if (takesEvents)
    return response.status === 200 && type.startsWith(json) ? eventOf(await response.text()) : answer;
  if (!type.startsWith(events)) return answer;
  const answers = answersIn(await response.text());
  return { json: isBatch ? `[${answers.join(",")}]` : (answers.at(-1) ?? "") };
}

const eventOf = (message: string): HttpAnswer => ({
  response: new Response(`event: message\ndata: ${message}\n\n`, { headers: { "content-type": events } }),
  comesInParts: false,
});

/** Returns the answers in a stream of events. Omits the messages about progress. */
const answersIn = (stream: string): string[] =>
  stream
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => line.slice("data: ".length))
    .filter((message) => isAnswer(JSON.parse(message)));

const isAnswer = (message: unknown): boolean =>
  valueAt(message, "id") !== undefined && valueAt(message, "method") === undefined;

/** A request for a stream of changes. */
interface ListenRequest {
  readonly request: Request;
  readonly body: unknown;
  /** The resources whose changes the client requests. */
  readonly uris: readonly string[];
  readonly caller: ToolCaller;
}

/**
 * Answers with a stream of changes. It ends when the client disconnects, its token is revoked, or the server
 * stops. (rule A60)
 */
async function listen(
  { request, body, uris, caller }: ListenRequest,
  {
    streams,
    createServer,
    onError,
  }: Pick<HttpToolOptions, "onError"> & {
    readonly streams: OpenStreams;
    readonly createServer: McpServerFactory;
  },
): Promise<Response> {
  const close = streams.open(caller.id);
  if (typeof close === "string") return refusal(body, close);
  let begun = false;
  try {
    const { topics, follow } = await caller.follow(topicsOf(uris));
    const allowed = new Set([...topics.runIds, ...(topics.queue ? ["queue"] : [])]);
    const followed = uris.filter((uri) => allowed.has(topicOf(uri) ?? ""));
    const bus: ServerEventBus = {
      publish: () => undefined,
      subscribe(hear) {
        begun = true;
        const gone = new AbortController();
        const tell = (topic: string): void => {
          for (const uri of followed) if (topicOf(uri) === topic) hear({ kind: "resource_updated", uri });
        };
        const end = (): void => {
          close();
          void handler.close();
        };
        follow(tell, AbortSignal.any([gone.signal, caller.stopping]))
          .catch(onError)
          .finally(end);
        return () => gone.abort();
      },
    };
    const handler = createMcpHandler(createServer, { onerror: onError, bus });
    limitTo(body, followed);
    return await handler.fetch(request, { parsedBody: body });
  } finally {
    if (!begun) close();
  }
}

const refusal = (body: unknown, message: string): Response =>
  Response.json({
    jsonrpc: "2.0",
    id: valueAt(body, "id") ?? null,
    error: { code: ProtocolErrorCode.InternalError, message },
  });

/** The maximum number of open streams of one token, and of the whole server. */
const most = { ofToken: 20, ofAll: 1_000 } as const;

/** Counts the open streams of a server. */
interface OpenStreams {
  /** Counts a new stream. Returns a function to call at its end, or the reason of a refusal. */
  open(tokenId: string): (() => void) | string;
}

function createOpenStreams(): OpenStreams {
  const ofToken = new Map<string, number>();
  let all = 0;

  const change = (tokenId: string, by: number): void => {
    all += by;
    const count = (ofToken.get(tokenId) ?? 0) + by;
    if (count > 0) ofToken.set(tokenId, count);
    else ofToken.delete(tokenId);
  };

  return {
    open(tokenId) {
      if ((ofToken.get(tokenId) ?? 0) >= most.ofToken)
        return `This connection has ${most.ofToken} open streams. Close one, or follow several resources in one stream.`;
      if (all >= most.ofAll) return "The server has too many open streams. Try again in a minute.";
      change(tokenId, 1);
      let isOpen = true;
      return () => {
        if (isOpen) change(tokenId, -1);
        isOpen = false;
      };
    },
  };
}

/**
 * Answers a tool call faster than the SDK. Undefined for an unknown tool; empty if the client has disconnected.
 */
async function answerCall(
  { era, id, tool, given }: PlainCall,
  {
    version,
    deps,
    gone,
  }: {
    readonly version: string;
    readonly deps: Deps;
    /** Aborts when the client has disconnected. */
    readonly gone: AbortSignal;
  },
): Promise<string | undefined> {
  const offered = toolNamed(deps, tool);
  if (!offered) return undefined;
  const call = { signal: gone, progress: async () => undefined };
  try {
    const result = await runSafely(offered, { given, deps, call });
    const shown = era === "modern" ? inNewerForm(result, identityOf({ version }, deps)) : result;
    return JSON.stringify({ result: shown, jsonrpc: "2.0", id });
  } catch (error) {
    if (gone.aborted) return "";
    throw error;
  }
}

/** Adds the fields that the result of a tool has in the era `modern` of the protocol. */
const inNewerForm = (result: CallToolResult, serverInfo: object) => ({
  ...result,
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
});

/** A call of a tool. Its message has only the usual fields. */
interface PlainCall {
  readonly era: Era;
  readonly id: string | number;
  readonly tool: string;
  readonly given: Fields | undefined;
}

const legacyVersions: ReadonlySet<unknown> = new Set(versions.legacy);

const reservedPrefix = "io.modelcontextprotocol/";

/** Reads a tool call. Undefined if the call has unusual fields or waits; then the SDK must handle the call. */
function plainCallIn({ headers, body }: ToolRequest): PlainCall | undefined {
  if (!isObject(body) || body.jsonrpc !== "2.0" || body.method !== "tools/call") return undefined;
  const { id, params } = body;
  if (!hasOnly(body, ["jsonrpc", "id", "method", "params"]) || !isId(id) || !isObject(params))
    return undefined;
  const { name: tool, arguments: given, _meta: meta = {} } = params;
  if (!hasOnly(params, ["name", "arguments", "_meta"]) || typeof tool !== "string") return undefined;
  if (given !== undefined && !isFlat(given)) return undefined;
  if (tool === tools.getDecision.name && given?.wait_seconds !== undefined) return undefined;
  const era = isObject(meta) && acceptsBoth(headers) ? eraOf(headers, tool, meta) : undefined;
  return era && { era, id, tool, given };
}

/**
 * Whether no argument is an object or a list. The SDK handles other calls, and limits their number of values.
 */
const isFlat = (given: unknown): given is Fields =>
  isObject(given) && Object.values(given).every((value) => value === null || typeof value !== "object");

type Headers = ToolRequest["headers"];

/** Whether a client sends JSON and accepts both forms of answers. The SDK refuses all other clients. */
const acceptsBoth = ({ accept = "", "content-type": sent = "" }: Headers): boolean =>
  accept.includes("application/json") &&
  accept.includes("text/event-stream") &&
  /^application\/json(; ?charset=utf-8)?$/i.test(sent);

function eraOf(headers: Headers, tool: string, meta: Fields): Era | undefined {
  const { progressToken = 0, ...rest } = meta;
  // A valid progress token changes nothing. Only a call that waits reports progress, and this call does not wait.
  if (!isId(progressToken)) return undefined;
  const version = headers["mcp-protocol-version"];
  if (version === undefined || legacyVersions.has(version))
    return Object.keys(rest).some((key) => key.startsWith(reservedPrefix)) ? undefined : "legacy";
  const hasHeaders = headers["mcp-method"] === "tools/call" && headers["mcp-name"] === tool;
  return hasHeaders && rest[metaKeys.version] === version && isEnvelope(rest) ? "modern" : undefined;
}

/** How long one request may wait. Proxies and clients often stop requests after a minute. (rule A42) */
const longestWaitSeconds = 50;

/** The dependencies that the requests of all callers share. */
interface SharedDeps {
  readonly queue: ReturnType<typeof keyedQueue>;
  readonly isFirstOffer: (key: string) => boolean;
}

/** Returns the dependencies of the tools for one HTTP request. Later requests share only `SharedDeps`. */
export function depsOf(
  { baseUrl, consoleUrl }: HttpToolOptions,
  caller: ToolCaller,
  { queue, isFirstOffer }: SharedDeps,
): Deps {
  const connection = directConnection(caller, baseUrl);
  return {
    baseUrl,
    consoleUrl,
    maxWaitSeconds: longestWaitSeconds,
    readOnly: caller.readOnly,
    work: caller.mayWork,
    worker: newWorker(),
    connection,
    proposals: noRecord,
    keepsRecord: false,
    threadOfRun: new Map(),
    timesPending: new Map(),
    isFirstOffer: (runId) => isFirstOffer(`${caller.id} ${runId}`),
    awaitDecision: async () => awaitOnce(connection),
    oneAtATime: (feedbackId, act) => queue(`${caller.id} ${feedbackId}`, act),
    clock: systemClock,
    download: (url, most) => caller.readUpload(url.pathname.split("/").at(-1) ?? "", most),
    explain: async (error) => explainHere(error, baseUrl, caller),
  };
}

/** A record of proposals that stays empty, because the Innkeep server already stores all proposals. */
const noRecord: Proposals = {
  all: async () => [],
  ofThread: async () => [],
  find: async () => undefined,
  add: async () => undefined,
  update: async () => undefined,
};

/**
 * Waits for the decision with one request. It need not be repeated, because connections inside the server do
 * not break.
 */
const awaitOnce =
  (connection: Connection): AwaitDecision =>
  async (runId, milliseconds, signal) => {
    const run = await readRun(connection, runId, { holdSeconds: Math.ceil(milliseconds / 1_000), signal });
    return { run, lastErrorAt: null };
  };

function explainHere(error: unknown, baseUrl: string, { secret }: Pick<ToolCaller, "secret">): string {
  if (!(error instanceof ServerError)) return explain(error, baseUrl);
  const { revoked, notGranted } = secret.startsWith("sdo_") ? ofConnection : ofHeader;
  if (error.status === 401) return revoked;
  return error.code === "insufficient_scope" ? notGranted : explain(error, baseUrl);
}

const ofConnection = {
  revoked:
    "The access of this connection was revoked or has expired. Ask the user to connect this MCP server again.",
  notGranted:
    "The person who connected this MCP server did not allow this. Ask the user to connect again and to allow it.",
};

/** The error messages for a client that sends an agent token. This client cannot sign in again. */
const ofHeader = {
  revoked:
    "The agent token was revoked or has expired. Ask the user to create a new one in the console settings and to put it into the configuration of this MCP server.",
  notGranted:
    "This agent token does not allow this. Ask the user for a token with the scope for it, created in the console settings.",
};

/** Calls the API inside the server, without the network. Answers and errors are the same as over HTTP. */
function directConnection({ call, secret }: ToolCaller, baseUrl: string): Connection {
  const client = groupOf(
    "agent",
    async ({ method, path }, { params, query, body, idempotencyKey, signal } = {}) => {
      signal?.throwIfAborted();
      const request = { method, path, params: textsOf(params), query: textsOf(query) };
      const answer = await call({ ...request, body, idempotencyKey, signal });
      signal?.throwIfAborted();
      return successIn(answer, { method, url: new URL(baseUrl + path) }, new Date());
    },
  );
  return { call: (use) => use(client), secrets: async () => [secret] };
}

const textsOf = (values: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, String(value)]],
    ),
  );

/**
 * Handles an array's requests one after another, so that other clients are not blocked. Requests that wait for
 * decisions begin immediately. (rule A64)
 */
function handleInTurns(server: McpServer): McpServer {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    await connect(transport);
    const handle = transport.onmessage;
    const send = transport.send.bind(transport);
    const turns = createTurns();
    transport.send = (message, options) => {
      const sent = send(message, options);
      if (!("method" in message)) turns.end(message.id);
      return sent;
    };
    transport.onmessage = (message, extra) => {
      if (takesTurn(message)) return turns.add(message.id, () => handle?.(message, extra));
      const cancelled = cancelledId(message);
      turns.remove(cancelled)?.();
      handle?.(message, extra);
      turns.end(cancelled);
    };
  };
  return server;
}

/** Whether a request must not run at the same time as others. False if the request waits for a decision. */
const takesTurn = (message: unknown): message is JSONRPCMessage & { readonly id: string | number } =>
  isJSONRPCRequest(message) && !isWait(message);

/** Whether a message, or one message of an array, waits for a decision. */
function isWait(message: unknown): boolean {
  if (Array.isArray(message)) return message.some(isWait);
  const params = valueAt(message, "params");
  return (
    valueAt(params, "name") === tools.getDecision.name &&
    valueAt(params, "arguments", "wait_seconds") !== undefined
  );
}

/** Returns the id of the request that a message cancels; undefined if it cancels none. */
const cancelledId = (message: unknown): unknown =>
  textAt(message, "method") === "notifications/cancelled"
    ? valueAt(message, "params", "requestId")
    : undefined;

/** Runs functions one after another. A function has ended when the owner of this object calls `end`. */
interface Turns {
  /** Calls `act` when all earlier functions have ended. `id` identifies the function. */
  add(id: unknown, act: () => void): void;
  /** Call this when the function with this id has ended. After a short pause, the next function starts. */
  end(id: unknown): void;
  /** Removes the waiting function with this id, and returns it. Returns undefined if it was called already. */
  remove(id: unknown): (() => void) | undefined;
}

function createTurns(): Turns {
  const waiting: { readonly id: unknown; readonly act: () => void }[] = [];
  let current: { readonly id: unknown } | undefined;

  const next = (): void => {
    const first = waiting.shift();
    current = first;
    first?.act();
  };

  return {
    add(id, act) {
      waiting.push({ id, act });
      if (!current) next();
    },
    end(id) {
      if (!current || current.id !== id) return;
      // No function has this id, so only `next` ends the pause.
      current = { id: Symbol("pause") };
      setImmediate(next);
    },
    remove(id) {
      const place = waiting.findIndex((each) => each.id === id);
      return place < 0 ? undefined : waiting.splice(place, 1)[0]?.act;
    },
  };
}
