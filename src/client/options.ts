import type { Content, Transport, WireAnswer, WireRequest } from "./call.ts";
import type { ProxySettings } from "./connection.ts";
import type { CredentialKind } from "./credential-kinds.ts";
import type { Route } from "./routes.ts";
import type { Pause } from "./wait.ts";

/** The credentials, or a function that gives one when a call needs it. */
export type Credentials =
  | { readonly [Kind in CredentialKind]?: string }
  | ((kind: CredentialKind) => Promise<string | undefined>);

/** A request without its credential. */
export interface PreparedRequest {
  readonly method: Route["method"];
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Content;
}

/**
 * Keeps the idempotency keys of unfinished mutations, so that the same request is a repeat of the first one, and not a
 * second mutation.
 */
export interface Idempotency {
  keyFor(request: PreparedRequest): Promise<string>;
  /** The server has finally handled the request: the key is no longer needed. */
  settled(key: string): Promise<void>;
}

/** One request with its answer, for a trace. Holds secrets: see redact.ts. */
export interface Exchange {
  readonly request: WireRequest;
  readonly milliseconds: number;
  readonly answer?: WireAnswer;
  readonly error?: unknown;
}

export interface ClientOptions {
  /** Address of the server, with or without a path, without a trailing slash. */
  readonly baseUrl: string;
  readonly credentials?: Credentials;
  readonly proxy?: ProxySettings;
  /** How long a connection may be silent; 30 seconds unless given. A long poll adds what it waits. */
  readonly timeoutMs?: number;
  /** The most tries of a request, the first one included; 4 unless given. */
  readonly attempts?: number;
  /** The longest time from the start of the first try to the start of the last; a minute unless given. */
  readonly maxWaitMs?: number;
  readonly onRetry?: (pause: Pause) => void;
  readonly onExchange?: (exchange: Exchange) => void;
  /** Called with each mutation before it is sent. If it throws, the call rejects with that error. */
  readonly beforeMutation?: (request: PreparedRequest, route: Route) => void;
  /** Assigns a key to a mutation unless the call has one. Without a key a mutation is never sent twice. */
  readonly idempotency?: Idempotency;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts calls that have no signal of their own. */
  readonly signal?: AbortSignal;
  readonly transport?: Transport;
  readonly now?: () => Date;
  readonly random?: () => number;
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}
