import { Readable } from "node:stream";
import type { Context } from "koa";
import { ApiError } from "../../src/contract/errors.ts";
import type { Contract } from "../../src/contract/index.ts";
import { limits } from "../../src/contract/limits.ts";
import type { Following, HttpAnswer, HttpTools, Topics } from "../../src/programs.ts";
import type { Deps } from "../deps.ts";
import type { Api } from "../http/api.ts";
import { senderOf } from "../http/body/incoming-body.ts";
import { counted, jsonOf, readJsonBytes } from "../http/body/read-body.ts";
import type { PresentedCredentials } from "../http/credentials.ts";
import { asApiError } from "../http/errors.ts";
import type { AgentCaller } from "../http/handler.ts";
import type { InvokeDeps } from "../http/invoke.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Door, Route } from "../http/mount.ts";
import { isAllowedOrigin, isOwnHost, mcpPath } from "./addresses.ts";
import { createToolAuthenticate } from "./authenticate.ts";
import { createDirectCalls } from "./direct-calls.ts";
import { loadTools } from "./load-tools.ts";
import type { createReadUpload } from "./read-upload.ts";
import { refusalMessage } from "./refusal-message.ts";

/** What the tools need of the server. */
export interface McpParts {
  readonly deps: InvokeDeps & Pick<Deps, "log" | "memory" | "stopping">;
  readonly door: Door;
  readonly api: Api<Contract>;
  readonly metrics: Pick<Metrics, "count">;
  readonly readUpload: ReturnType<typeof createReadUpload>;
  /** Follows what an agent may read. */
  readonly follow: (callerNow: () => Promise<AgentCaller>, topics: Topics) => Promise<Following>;
}

/** The route of the tools for agents over Streamable HTTP. There is none if the setting turns it off. (rule A40) */
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
  const { deps, door, api, metrics, readUpload, follow } = parts;
  const calls = createDirectCalls(api, deps, metrics);
  const authenticate = createToolAuthenticate(deps, door);
  let tools: Promise<HttpTools> | undefined;

  return async (ctx) => {
    refuseForeign(ctx, deps.settings);
    const shown = { ...door.readCredentials(ctx, true), sessionId: undefined };
    const { caller, callerNow, mayPropose } = await authenticate(shown);
    const body = await readMessage(ctx, caller, door);
    const gone = goneSignal(ctx);
    tools ??= loadTools(deps);
    const call = calls({
      caller,
      callerNow,
      address: door.addressOf(ctx.req),
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

/** A page of another site must not reach a server that only its own machine or network can reach. (DNS rebinding) */
function refuseForeign({ req }: Context, settings: Deps["settings"]): void {
  if (!isOwnHost(req.headers.host, settings))
    throw new ApiError("forbidden", {
      message: "The Host header is not that of this server. Use the address in INNKEEP_BASE_URL.",
    });
  if (!isAllowedOrigin(req.headers.origin, settings))
    throw new ApiError("forbidden", {
      message: "Pages of this origin may not call this server. INNKEEP_CORS_ORIGINS lists those that may.",
    });
}

/** A message, or an array of messages, which only older revisions of the protocol have. */
async function readMessage(
  ctx: Context,
  caller: AgentCaller,
  { arrivals, addressOf }: Door,
): Promise<unknown> {
  const sending = { arrivals, sender: senderOf(caller, addressOf(ctx.req)), most: limits.json };
  return counted(sending, async () => {
    const bytes = await readJsonBytes(ctx.req, sending);
    const body = bytes.length === 0 ? undefined : jsonOf(ctx.req, bytes);
    if (typeof body === "object" && body !== null) return body;
    throw new ApiError("bad_request", { message: "Send one JSON-RPC message, as an object." });
  });
}

const secretOf = ({ authorization }: PresentedCredentials): string =>
  (authorization ?? "").replace(/^bearer +/i, "");

function goneSignal({ res }: Context): AbortSignal {
  const gone = new AbortController();
  res.once("close", () => {
    // An abort is not cheap, and nothing waits for it after the answer.
    if (!res.writableFinished) gone.abort();
  });
  if (res.closed) gone.abort();
  return gone.signal;
}

/** Only the headers that the protocol reads. */
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
    // A stream of one part would take longer than the tool.
    ctx.body = await response.text();
    return;
  }
  // Koa closes the stream when the client disconnects.
  ctx.body = Readable.from(response.body);
  // A proxy cuts a request of which it has heard nothing for some seconds.
  if (response.headers.get("content-type") === "text/event-stream") ctx.flushHeaders();
}

/** Errors before the protocol's library sees the message have the same form as its own. */
async function orRefusal(ctx: Context, settings: Deps["settings"], act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (thrown) {
    const error = asApiError(thrown);
    if (error.status >= 500) throw thrown;
    refusalMessage(ctx, error, settings);
  }
}
