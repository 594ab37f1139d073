import { setTimeout } from "node:timers/promises";
import type * as z from "zod/mini";
import type { Auth, Endpoint } from "../../src/contract/endpoint.ts";
import { ApiError, type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";
import { valueAt } from "../../src/contract/json.ts";
import type { Deps } from "../deps.ts";
import { noteLongWork } from "../event-loop.ts";
import { isDownload, isEventStream, isPrepared } from "../http/answers.ts";
import type { InvokeDeps } from "../http/call-steps.ts";
import { asApiError } from "../http/errors.ts";
import {
  type Api,
  type Callers,
  type Groups,
  type InvocationResult,
  type Invoke,
  mapEndpoints,
  type Request,
} from "../http/handler.ts";
import { createInvoke } from "../http/pipeline.ts";

/** The input for a call of an endpoint. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  /** The query. A field with an empty value is not sent. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The same as the header `Idempotency-Key` over HTTP. With this key, a repeated call changes something only once. */
  readonly idempotencyKey?: string | undefined;
}

export type Answered<E extends Endpoint> = E["success"] extends { body: infer Body extends z.ZodMiniType }
  ? z.output<Body>
  : undefined;

/**
 * Calls an endpoint in the same way as a request over HTTP. Throws an ApiError if the endpoint refuses the call, or if
 * it refused an earlier call with the same idempotency key.
 */
export type Ask = <E extends Endpoint>(endpoint: E, input?: CallInput) => Promise<Answered<E>>;

/**
 * The caller for whom a page calls endpoints, and the caller's browser. The caller is a signed-in person or, on pages
 * without a sign-in, nobody. For the development server, the caller can also be a program.
 */
export interface CallOrigin {
  readonly caller: Callers[Auth];
  readonly address: string;
  readonly browser: Request["browser"];
  readonly setSession: Request["setSession"];
}

/**
 * Creates the function that returns an `Ask` for one request. The handlers, rules, audit and idempotency are the same
 * as over HTTP. The `Ask` throws an Error for an endpoint that the API does not have. (rule O3)
 */
export function createAsks<C extends Groups>(
  api: Api<C>,
  deps: InvokeDeps & Pick<Deps, "log" | "stopping">,
): (origin: CallOrigin) => Ask {
  const invokes = new Map<Endpoint, Invoke>(
    mapEndpoints(api, (endpoint, handle) => [endpoint, createInvoke(endpoint, handle, deps)]),
  );
  return (origin) =>
    async (endpoint, { params = {}, query = {}, body, idempotencyKey } = {}) => {
      const invoke = invokes.get(endpoint);
      if (!invoke) throw new Error(`The API of the console has no endpoint ${endpoint.path}`);
      const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? "");
      const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
      const callerNow = async () => origin.caller;
      const incoming = { ...origin, callerNow, path, params, body, query: given, idempotencyKey };
      const attempt = () => invoke({ ...incoming, signal: () => deps.stopping });
      const outcome = await retryWhileBusy(attempt).catch((thrown) => {
        throw refusalIfBusy(deps.log, endpoint, thrown);
      });
      return answerOf(endpoint, outcome);
    };
}

/**
 * Replaces the error of a database or a file that is not available now by an ApiError `busy`, so that a page can show
 * its form again. Returns other errors unchanged. Also logs the reason, because a page that shows its form again does
 * not log it. The log contains the route and never the path, which may contain a secret.
 */
function refusalIfBusy(log: Deps["log"], { method, path }: Endpoint, thrown: unknown): unknown {
  const error = asApiError(thrown);
  if (error.code !== "busy") return thrown;
  log.warn({ method, route: path, err: thrown }, "a page answered that the server is busy");
  return error;
}

/**
 * Repeats a call while another call with the same idempotency key is running. So if a form is sent twice at the same
 * time, both requests show the same result.
 */
async function retryWhileBusy(
  attempt: () => Promise<InvocationResult>,
  times = 20,
): Promise<InvocationResult> {
  try {
    return await attempt();
  } catch (error) {
    const running = error instanceof ApiError && error.code === "idempotency_in_progress";
    if (!running || times === 0) throw error;
  }
  await setTimeout(100);
  return retryWhileBusy(attempt, times - 1);
}

function answerOf<E extends Endpoint>(endpoint: E, { status, body }: InvocationResult): Answered<E> {
  noteLongWork();
  const value: unknown = body === undefined ? undefined : JSON.parse(textOf(body));
  if (status >= 400) throw refusalOf(value);
  const answer = "body" in endpoint.success ? endpoint.success.body.parse(value) : undefined;
  // The cast is safe: the schema of this endpoint has just parsed the answer.
  return answer as Answered<E>;
}

function textOf(body: NonNullable<InvocationResult["body"]>): string {
  if (isDownload(body) || isEventStream(body)) throw new Error("A page cannot show a download.");
  return isPrepared(body) ? body.body.toString() : body;
}

function refusalOf(body: unknown): ApiError {
  const code = valueAt(body, "code");
  return new ApiError(isErrorCode(code) ? code : "internal");
}

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === "string" && code in errorCatalogue;
