import type { PreparedRequest } from "./calls/prepare.ts";
import type { Route } from "./calls/routes.ts";
import type { CredentialKind } from "./credential-kinds.ts";
import type { ProxySettings } from "./transport/proxy.ts";
import type { Transport, WireAnswer, WireRequest } from "./transport/wire.ts";
import type { Pause } from "./waiting/retry.ts";

/** The credentials that there are, or a way to ask for one when a call needs it. */
export type Credentials =
  | { readonly [Kind in CredentialKind]?: string }
  | ((kind: CredentialKind) => Promise<string | undefined>);

/** Where the keys of unfinished mutations are kept, so that the same request started again repeats and not doubles. */
export interface Idempotency {
  keyFor(request: PreparedRequest): Promise<string>;
  /** The server has dealt with it for good: the key is spent. */
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
  /** Address of the server, with or without a path, without a slash at the end. */
  readonly baseUrl: string;
  readonly credentials?: Credentials;
  readonly proxy?: ProxySettings;
  /** How long a connection may be silent; 30 seconds unless given. A long poll adds what it waits. */
  readonly timeoutMs?: number;
  /** How often a request is tried at most, the first time included; 4 unless given. */
  readonly attempts?: number;
  /** How long after the first try began the last one begins at most; a minute unless given. */
  readonly maxWaitMs?: number;
  readonly onRetry?: (pause: Pause) => void;
  readonly onExchange?: (exchange: Exchange) => void;
  /** Sees a request that would change something before it is sent; what it throws, the call rejects with. */
  readonly beforeMutation?: (request: PreparedRequest, route: Route) => void;
  /** Gives mutations a key unless the call brings its own. Without a key a mutation is never sent twice. */
  readonly idempotency?: Idempotency;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends calls that bring no signal of their own. */
  readonly signal?: AbortSignal;
  readonly transport?: Transport;
  readonly now?: () => Date;
  readonly random?: () => number;
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}
