import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import { type Endpoint, isMutation } from "../../src/contract/endpoint.ts";
import { badRequest } from "../../src/contract/errors.ts";
import { limits } from "../../src/contract/limits.ts";
import { clockAheadOf } from "../clock.ts";
import type { Deps } from "../deps.ts";
import { cachingOf, etagOf, isDownload, isPrepared, jsonType, matchesEtag } from "./answers.ts";
import { type Authenticate, isKept, requireScope } from "./authenticate.ts";
import { type Admit, needsNoAdmission, uncountBytes } from "./body/admission.ts";
import { type IncomingBodies, type IncomingBody, senderOf } from "./body/incoming-body.ts";
import { announcedBytes, counted, createLargeJsonReader, readJson } from "./body/read-body.ts";
import { readUpload } from "./body/read-upload.ts";
import { type PresentedCredentials, type ReadCredentials, sessionCookie } from "./credentials.ts";
import { asApiError } from "./errors.ts";
import {
  type Api,
  type Callers,
  type Groups,
  type InvocationResult,
  type Invoke,
  mapEndpoints,
} from "./handler.ts";
import { createInvoke, type InvokeDeps } from "./invoke.ts";
import type { HoldAnswer } from "./large-answers.ts";
import type { Limiting } from "./rate-limits/rate-limits.ts";
import type { Ready } from "./ready.ts";
import { sendDownload } from "./serve-file.ts";

/** A method and a path of the server, and how to answer it. */
export interface Route {
  readonly method: Endpoint["method"];
  readonly path: string;
  readonly answer: (ctx: Context, params: Record<string, string>) => Promise<void>;
}

/** The steps of a request that routes outside of the API take, too. */
export interface RequestSteps {
  readonly readCredentials: ReadCredentials;
  readonly authenticate: Authenticate;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly admit: Admit;
  readonly arrivals: IncomingBodies;
  readonly holdAnswer: HoldAnswer;
  /** Takes answers that need no Koa the next time. */
  readonly ready?: Pick<Ready, "keep"> | undefined;
}

type MountDeps = InvokeDeps & Pick<Deps, "files" | "stopping">;

/** The routes of an API: the only place where the contract meets Koa. */
export const mount = <C extends Groups>(api: Api<C>, deps: MountDeps, steps: RequestSteps): Route[] =>
  mapEndpoints(api, (endpoint, handle) =>
    routeOf(endpoint, createInvoke(endpoint, handle, deps), deps, steps),
  );

function routeOf(endpoint: Endpoint, invoke: Invoke, deps: MountDeps, steps: RequestSteps): Route {
  const cookie = sessionCookie(deps.settings);
  const readBody = createBodyReader(deps, steps);
  return {
    method: endpoint.method,
    path: endpoint.path,
    async answer(ctx, params) {
      if (endpoint.successor) deprecate(ctx, deps.settings.baseUrl + endpoint.successor);
      const shown = steps.readCredentials(ctx, isMutation(endpoint));
      const caller = await steps.authenticate(endpoint.auth, shown);
      // Measured before the body, which may take its time: that would hide a clock that is ahead.
      const clockAhead = endpoint.readsClock ? clockAheadOf(ctx.req.headers.date, deps.clock.now()) : 0;
      let body = noBody;
      try {
        const sender = senderOf(caller, steps.addressOf(ctx.req));
        const judging = { arrivals: steps.arrivals, sender, announced: announcedBytes(ctx.req) };
        const idempotencyKey = await counted(judging, async () => {
          // Checked before the body, which may be large or malformed.
          requireScope(endpoint, { caller, params });
          const key = isMutation(endpoint) ? idempotencyKeyOf(ctx.req) : undefined;
          if (endpoint.body) body = await readBody(ctx, endpoint, { caller, idempotencyKey: key });
          return key;
        });
        const outcome = await invoke({
          caller,
          path: ctx.path,
          params,
          query: endpoint.query ? ctx.query : undefined,
          body: body.value,
          idempotencyKey,
          ifMatch: ctx.req.headers["if-match"],
          clockAhead,
          address: steps.addressOf(ctx.req),
          browser: shown,
          callerNow: () => steps.authenticate(endpoint.auth, shown),
          signal: () => signalOf(ctx, deps),
          setSession: (session) => cookie.set(ctx, session),
        });
        if (outcome.replayed && caller) await uncountBytes(endpoint, caller.id, { request: ctx.req, deps });
        send(ctx, outcome, endpoint, steps.holdAnswer);
        if (endpoint.ready) keepReady(ctx, outcome, { endpoint, steps, caller, shown });
      } catch (thrown) {
        await countRefusal(deps, { endpoint, caller }, thrown);
      } finally {
        if (body.discard) await body.discard();
      }
    },
  };
}

/** The received body, and a function that deletes those of its files that were not kept. */
interface ReceivedBody {
  readonly value: unknown;
  readonly discard?: () => Promise<void>;
}

const noBody: ReceivedBody = { value: undefined };

/** Makes a function that reads bodies. Large bodies must be admitted first. */
export function createBodyReader(
  { files }: Pick<Deps, "files">,
  { admit, arrivals, addressOf }: RequestSteps,
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
    const { bodyKind, bodyBytes, upload: rules } = endpoint;
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
      // An admitted body needs little memory: its files are written to disk while they arrive.
      const counted = admitted ? withoutHolding(arrival) : arrival;
      received = await readUpload(req, { bodyKind, rules }, { files, arrival: counted });
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

const withoutHolding = (arrival: IncomingBody | undefined): IncomingBody | undefined =>
  arrival && { ...arrival, hold() {} };

function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  const given = headers["idempotency-key"];
  if (given === undefined) return undefined;
  const key = /^"(.*)"$/.exec(String(given))?.[1] ?? String(given);
  if (/^[\x20-\x7e]+$/.test(key) && key.length <= limits.idempotencyKey) return key;
  throw badRequest("Idempotency-Key", `must be 1 to ${limits.idempotencyKey} printable ASCII characters`);
}

/** Informs clients that the endpoint has a successor. Refused requests get the headers too. (RFC 9745; rule H28) */
function deprecate(ctx: Context, successor: string): void {
  ctx.set("Deprecation", `@${deprecatedSince}`);
  ctx.set("Link", `<${successor}>; rel="successor-version"`);
}

/** 2026-11-21, in seconds since 1970. */
const deprecatedSince = 1_795_219_200;

/** Aborts when the client disconnects or the server stops. */
function signalOf(ctx: Context, { stopping }: Pick<Deps, "stopping">): AbortSignal {
  const gone = new AbortController();
  ctx.res.once("close", () => gone.abort());
  if (ctx.res.closed) gone.abort();
  return AbortSignal.any([gone.signal, stopping]);
}

/** Keeps an answer for the next request like this one. */
function keepReady(
  { req }: Context,
  { status, body: answer }: InvocationResult,
  {
    endpoint,
    steps,
    caller,
    shown,
  }: {
    readonly endpoint: Endpoint;
    readonly steps: RequestSteps;
    readonly caller: Callers[Endpoint["auth"]];
    readonly shown: PresentedCredentials;
  },
): void {
  const { auth } = endpoint;
  if (!steps.ready || status !== 200 || !caller || !isKept(auth) || !isPrepared(answer)) return;
  const credential = steps.authenticate.lasting(auth, shown, caller);
  steps.ready.keep(req, { endpoint, callerId: caller.id, credential, answer });
}

function send(
  ctx: Context,
  { status, body, replayed }: InvocationResult,
  endpoint: Endpoint,
  holdAnswer: HoldAnswer,
): void {
  const { method } = endpoint;
  ctx.status = status;
  if (replayed) ctx.set("Idempotent-Replay", "true");
  if (method !== "GET") ctx.set("Cache-Control", "no-store");
  if (body === undefined) return;
  if (isDownload(body)) {
    sendDownload(ctx, body);
    return;
  }
  const content = isPrepared(body) ? body.body : body;
  // Koa's own `set` would check every name and value again.
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
  if (ctx.method !== "HEAD") holdAnswer(ctx.res, { body: content, canRefuse: method === "GET" });
  ctx.body = content;
}

/**
 * Counts a refused request against the rate limit of its sender, if the endpoint says so: refusing it cost as much as
 * taking it. This holds for the statuses 400, 404, 413 and 415. Throws `thrown`, or `rate_limited`.
 */
async function countRefusal(
  deps: Limiting,
  { endpoint, caller }: { readonly endpoint: Endpoint; readonly caller: Callers[Endpoint["auth"]] },
  thrown: unknown,
): Promise<never> {
  const { countsRefusals, rateLimit } = endpoint;
  if (!countsRefusals || !rateLimit || !caller || !deps.settings.rateLimited) throw thrown;
  if (![400, 404, 413, 415].includes(asApiError(thrown).status)) throw thrown;
  await deps.limiter.spend({ who: caller.id, rateLimit });
  throw thrown;
}
