import { setTimeout } from "node:timers/promises";
import type * as z from "zod/mini";
import type { Endpoint, Group } from "../../src/contract/endpoint.ts";
import { ApiError, type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";
import { contract } from "../../src/contract/index.ts";
import type { Deps } from "../deps.ts";
import { isPrepared } from "../http/answers.ts";
import type { ConsoleCaller, Handler, Handlers, Request } from "../http/handler.ts";
import { createInvoke, type Invoke, type Outcome } from "../http/invoke.ts";
import { apiKeyHandlers } from "../routes/access/api-keys.ts";
import { apps } from "../routes/access/apps.ts";
import { audit } from "../routes/access/audit.ts";
import { consoleSession } from "../routes/access/console-session.ts";
import { devices } from "../routes/access/devices.ts";
import { tokens } from "../routes/access/tokens.ts";
import { consoleChangelog } from "../routes/content/console-changelog.ts";
import { consoleFaqs } from "../routes/content/console-faqs.ts";
import { consoleFeedback } from "../routes/feedback/console-feedback.ts";
import { consoleProposals } from "../routes/feedback/console-proposals.ts";
import { cycles } from "../routes/testing/cycles.ts";
import { listings } from "../routes/testing/listings.ts";
import { slots } from "../routes/testing/slots.ts";

/** What a page asks of an endpoint. */
export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  /** Empty values count as left out. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Makes repeats of a mutation act once. */
  readonly once?: string | undefined;
}

export type Answered<E extends Endpoint> = E["success"] extends { body: infer Body extends z.ZodMiniType }
  ? z.output<Body>
  : undefined;

/** Calls an endpoint as the API would be called. Throws its ApiErrors, those of a stored refusal too. */
export type Ask = <E extends Endpoint>(endpoint: E, asked?: Asked) => Promise<Answered<E>>;

/** Who asks, and where from. */
export interface Asking {
  readonly caller: ConsoleCaller | undefined;
  readonly address: string;
  readonly browser: Request["browser"];
  readonly setSession: Request["setSession"];
}

/** Adds endpoints that only pages have. */
export type AddGroup = <G extends Group>(group: G, handlers: Handlers<G>) => void;

/** The console's endpoints for its own pages: the same handlers, rules, audit and idempotency as over HTTP. */
export function createAsks(deps: Deps, more?: (add: AddGroup) => void): (asking: Asking) => Ask {
  const invokes = invokesOf(deps, more);
  return (asking) =>
    async (endpoint, { params = {}, query = {}, body, once } = {}) => {
      const invoke = invokes.get(endpoint);
      if (!invoke) throw new Error(`The console does not know ${endpoint.path}`);
      const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? "");
      const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
      const callerNow = async () => asking.caller;
      const incoming = { ...asking, callerNow, path, params, body, query: given, idempotencyKey: once };
      const outcome = await patiently(() => invoke({ ...incoming, signal: () => deps.stopping }));
      return answerOf(endpoint, outcome);
    };
}

/** A form sent twice at once waits for its twin, to show what that did. */
async function patiently(attempt: () => Promise<Outcome>, times = 20): Promise<Outcome> {
  try {
    return await attempt();
  } catch (error) {
    const running = error instanceof ApiError && error.code === "idempotency_in_progress";
    if (!running || times === 0) throw error;
  }
  await setTimeout(100);
  return patiently(attempt, times - 1);
}

function invokesOf(deps: Deps, more: (add: AddGroup) => void = () => {}): Map<Endpoint, Invoke> {
  const invokes = new Map<Endpoint, Invoke>();
  const put = <E extends Endpoint>(endpoint: E, handle: Handler<E>) =>
    invokes.set(endpoint, createInvoke(endpoint, handle, deps));
  const add: AddGroup = <G extends Group>(group: G, handlers: Handlers<G>) => {
    const names: (keyof G)[] = Object.keys(group);
    for (const name of names) put(group[name], handlers[name]);
  };
  add(contract.session, consoleSession(deps));
  add(contract.apps, apps(deps));
  add(contract.keys, apiKeyHandlers(deps));
  add(contract.tokens, tokens(deps));
  add(contract.threads, consoleFeedback(deps));
  add(contract.runs, consoleProposals(deps));
  add(contract.consoleFaqs, consoleFaqs(deps));
  add(contract.consoleChangelog, consoleChangelog(deps));
  add(contract.devices, devices(deps));
  add(contract.audit, audit(deps));
  add(contract.listings, listings(deps));
  add(contract.cycles, cycles(deps));
  add(contract.slots, slots(deps));
  more(add);
  return invokes;
}

function answerOf<E extends Endpoint>(endpoint: E, { status, body }: Outcome): Answered<E> {
  const value: unknown = body === undefined ? undefined : JSON.parse(textOf(body));
  if (status >= 400) throw refusalOf(value);
  const answer = "body" in endpoint.success ? endpoint.success.body.parse(value) : undefined;
  // The schema of this very endpoint has just made it so.
  return answer as Answered<E>;
}

const textOf = (body: NonNullable<Outcome["body"]>): string =>
  isPrepared(body) ? body.body.toString() : body;

function refusalOf(body: unknown): ApiError {
  const code = typeof body === "object" && body !== null && "code" in body ? body.code : undefined;
  return new ApiError(isErrorCode(code) ? code : "internal");
}

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === "string" && code in errorCatalogue;
