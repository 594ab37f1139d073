import type { Endpoint } from "../../src/contract/endpoint.ts";
import type { PreparedAnswer } from "./answers.ts";
import type { Callers, Request } from "./handler.ts";

/** A request as it came, after authentication and before validation. */
export interface IncomingRequest {
  readonly caller: Callers[Endpoint["auth"]];
  readonly path: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  readonly address: string;
  readonly browser: Request["browser"];
  readonly callerNow: () => Promise<Callers[Endpoint["auth"]]>;
  readonly signal: () => AbortSignal;
  readonly setSession: Request["setSession"];
}

/** What an endpoint answers: a status with JSON text, a prepared answer, or no body. */
export interface InvocationResult {
  readonly status: number;
  readonly body: string | PreparedAnswer | undefined;
  /** Whether this is the stored answer to an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
}

/** Calls the handler of an endpoint. Throws the ApiErrors that the endpoint declares. */
export type Invoke = (incoming: IncomingRequest) => Promise<InvocationResult>;
