import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import type { Deps } from "../deps.ts";
import { hashOf } from "../secrets/secrets.ts";
import { cachingOf, jsonType, type Lasting, matchesEtag, type PreparedAnswer } from "./answers.ts";
import type { ServedEndpoint } from "./handler.ts";
import type { Observer } from "./observe.ts";
import { isInMemory } from "./rate-limits/rate-limits.ts";

/**
 * Answers that the server sends without Koa. A request with the same address and credential as an earlier request
 * gets the same bytes. This ends when data of the answer changes or is no longer in memory. Koa answers all other
 * requests. (decision 04)
 */
export interface Ready {
  /**
   * Stores an answer that Koa has sent, if the server may send it without Koa to the next request with the same address
   * and credential.
   */
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
  /** The headers for a client that already has the body, in the same form as `whole`. */
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
  /** The name of the answer. Requests with the same address and credential have the same name. */
  readonly name: string;
  /** The ETags of the answers that the client already has. */
  readonly known: string | undefined;
}

/**
 * Returns the name of the answer to a request, or undefined if no answer can be ready. An answer can be ready only for
 * a GET of an address that `targets` matches. The request must have one credential and no other header that changes the
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
  // The credential is secret, and an address may contain a secret test key. So only a hash is stored.
  return { name: hashOf(`${url} ${credential}`), known };
}

/**
 * The headers that change an answer. Koa answers a request that has a header marked `other`, or that has any of these
 * headers twice.
 */
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

/** Returns a pattern that matches the addresses of these endpoints, except addresses with a percent sign. */
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

/** Sends an answer and returns its status. */
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

/**
 * Returns the bytes of a text in a separate buffer. A small buffer from `Buffer.from` would keep a whole block of
 * Node's pool in memory.
 */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.alloc(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/**
 * The maximum size of the body of a ready answer. Koa sends larger answers, and counts their memory while clients read
 * them.
 */
const mostBytesOfOne = 262_144;
/** The memory in bytes that an entry uses in addition to its body. */
const smallThings = 2_000;
