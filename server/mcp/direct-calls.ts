import type { Endpoint } from "../../src/contract/endpoint.ts";
import { isMutation } from "../../src/contract/endpoint.ts";
import type { DirectAnswer, DirectRequest } from "../../src/programs.ts";
import type { Deps } from "../deps.ts";
import { isDownload, isPrepared } from "../http/answers.ts";
import type { InvokeDeps } from "../http/call-steps.ts";
import { asApiError, errorBody } from "../http/errors.ts";
import {
  type AgentCaller,
  type Api,
  type Groups,
  type Invoke,
  mapEndpoints,
  type Request,
} from "../http/handler.ts";
import type { Metrics } from "../http/observe.ts";
import { createInvoke } from "../http/pipeline.ts";

/** Who calls tools over HTTP, and from where. */
export interface Calling {
  readonly caller: AgentCaller;
  /** The caller as its token gives it now. Rejects if the token was revoked since. */
  readonly callerNow: () => Promise<AgentCaller>;
  readonly address: string;
  readonly browser: Request["browser"];
  readonly requestId: string;
  /** Whether it may call an endpoint that changes something. */
  readonly mayChange: (endpoint: Endpoint) => boolean;
  /** One aborts when the client has disconnected, one when the server stops. */
  readonly ends: readonly AbortSignal[];
}

/**
 * Calls the endpoints for agents inside the process: the same handlers, limits, audit, idempotency, figures and log as
 * over HTTP, without a request to itself.
 */
export function createDirectCalls<C extends Groups>(
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
  if (!found) throw new Error(`Agents have no endpoint ${path}`);
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
  if (body === undefined || isDownload(body)) return "";
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
