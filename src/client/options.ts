import type { Content, Transport, WireAnswer, WireRequest } from "./call.ts";
import type { CredentialKind, ProxySettings } from "./connection.ts";
import type { Route } from "./routes.ts";
import type { Pause } from "./wait.ts";

/** The credentials, or a function that returns a credential when a call needs it. */
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
 * Stores the idempotency key of each unfinished request that changes something. A repeated request gets the
 * same key.
 */
export interface Idempotency {
  keyFor(request: PreparedRequest): Promise<string>;
  /** Called when the server has handled the request and the key is not needed any more. */
  settled(key: string): Promise<void>;
}

/** One request with its answer, for a trace. It contains secrets, which redact.ts removes. */
export interface Exchange {
  readonly request: WireRequest;
  readonly milliseconds: number;
  readonly answer?: WireAnswer;
  readonly error?: unknown;
}

export interface ClientOptions {
  /** The address of the server, with or without a path, without a slash at the end. */
  readonly baseUrl: string;
  readonly credentials?: Credentials;
  readonly proxy?: ProxySettings;
  /** The longest time without data on a connection, by default 30 seconds. A long poll adds its waiting time. */
  readonly timeoutMs?: number;
  /** The maximum number of attempts of a request, including the first attempt. The default is 4. */
  readonly attempts?: number;
  /** The longest time between the starts of the first and last attempt. Default: one minute. */
  readonly maxWaitMs?: number;
  readonly onRetry?: (pause: Pause) => void;
  readonly onExchange?: (exchange: Exchange) => void;
  /** Called with each mutation before it is sent. If it throws, the call rejects with that error. */
  readonly beforeMutation?: (request: PreparedRequest, route: Route) => void;
  /** Adds an idempotency key to each mutation without one. A mutation without a key is never repeated. */
  readonly idempotency?: Idempotency;
  /** Headers that are sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts all calls without their own `signal`. */
  readonly signal?: AbortSignal;
  readonly transport?: Transport;
  readonly now?: () => Date;
  readonly random?: () => number;
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}
