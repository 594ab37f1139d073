import { isMutation } from "../contract/endpoint.ts";
import { refuseFailure, successOf } from "./answer.ts";
import { type CredentialKind, credentialFor, credentialHeader, credentialKinds } from "./credential-kinds.ts";
import { InvalidInputError, MissingCredentialError } from "./errors.ts";
import type { ClientOptions, Credentials } from "./options.ts";
import { type LooseInput, type PreparedRequest, prepare } from "./prepare.ts";
import { followingRedirects } from "./redirect.ts";
import { isSettled, type RetryPolicy, repeatedly } from "./retry.ts";
import type { Route } from "./routes.ts";
import { sleep } from "./sleep.ts";
import { traced } from "./trace.ts";
import { transportFor } from "./transport.ts";
import type { WireAnswer, WireRequest } from "./wire.ts";

/** Calls any route with whatever input, and gives whatever JSON the server answers. */
export type Caller = (route: Route, input?: LooseInput) => Promise<unknown>;

export function createCaller(options: ClientOptions): Caller {
  const send = createSender(options);
  return async (route, input = {}) =>
    successOf(await send(route, input), prepare(options.baseUrl, route, input));
}

/** As a Caller, but gives the answer as it came, JSON or not. */
export type Sender = (route: Route, input?: LooseInput) => Promise<WireAnswer>;

/** The way every call goes: prepare, key, credential, send, repeat where that is safe, refuse errors. */
export function createSender(options: ClientOptions): Sender {
  const now = options.now ?? (() => new Date());
  const transport = followingRedirects(
    traced(options.transport ?? transportFor(options.proxy), options, now),
  );
  const policy = policyOf(options);

  return async (route, input = {}) => {
    const prepared = prepare(options.baseUrl, route, input);
    if (isMutation(route)) options.beforeMutation?.(prepared, route);
    const key = await keyFor(options, route, prepared, input);
    const request = await requestOf(options, route, prepared, input, key);
    const attempt = async () => refuseFailure(await transport(request), prepared, now());
    const repeats = !isMutation(route) || key !== undefined;
    const sent = repeats ? repeatedly(attempt, policy, input) : attempt();
    return key === undefined ? sent : settle(sent, key, options);
  };
}

/** Gives back the key once the server has dealt with the request for good, whatever came of it. */
async function settle<T>(sent: Promise<T>, key: string, { idempotency }: ClientOptions): Promise<T> {
  try {
    const answer = await sent;
    await idempotency?.settled(key);
    return answer;
  } catch (error) {
    if (isSettled(error)) await idempotency?.settled(key);
    throw error;
  }
}

const policyOf = (options: ClientOptions): RetryPolicy => ({
  attempts: options.attempts ?? 4,
  maxWaitMs: options.maxWaitMs ?? 60_000,
  random: options.random ?? Math.random,
  sleep: options.sleep ?? sleep,
  onRetry: options.onRetry,
});

async function keyFor(
  { idempotency }: ClientOptions,
  route: Route,
  prepared: PreparedRequest,
  { idempotencyKey }: LooseInput,
): Promise<string | undefined> {
  if (!isMutation(route)) return undefined;
  return idempotencyKey ?? (await idempotency?.keyFor(prepared));
}

async function requestOf(
  options: ClientOptions,
  { auth }: Route,
  { method, url, headers, body }: PreparedRequest,
  input: LooseInput,
  key: string | undefined,
): Promise<WireRequest> {
  const kind = credentialFor(auth);
  const secret = kind === undefined ? {} : credentialHeader(kind, await secretOf(options.credentials, kind));
  const repeat: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  return {
    method,
    url,
    headers: {
      accept: "application/json",
      ...lengthOf(body),
      ...headers,
      ...repeat,
      ...options.headers,
      ...secret,
    },
    body,
    timeoutMs: (options.timeoutMs ?? 30_000) + heldMs(input),
    signal: input.signal,
    onProgress: input.onProgress,
  };
}

async function secretOf(credentials: Credentials = {}, kind: CredentialKind): Promise<string> {
  const given = typeof credentials === "function" ? await credentials(kind) : credentials[kind];
  const secret = given?.trim();
  if (!secret) throw new MissingCredentialError(kind);
  if (/^[!-~]+$/.test(secret)) return secret;
  throw new InvalidInputError(`The ${credentialKinds[kind].name} has characters that none of its kind has.`);
}

function lengthOf(body: WireRequest["body"]): Record<string, string> {
  if (body === undefined) return {};
  return { "content-length": String(typeof body === "string" ? Buffer.byteLength(body) : body.bytes) };
}

/** How long the server may hold the answer of a long poll. */
const heldMs = ({ query }: LooseInput): number => (Number(query?.wait) || 0) * 1_000;
