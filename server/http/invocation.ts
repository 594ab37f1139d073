import type { Endpoint } from "../../src/contract/endpoint.ts";
import type { Download, PreparedAnswer } from "./answers.ts";
import type { Callers, Request } from "./handler.ts";

/** A request as it came, after authentication and before validation. */
export interface IncomingRequest {
  readonly caller: Callers[Endpoint["auth"]];
  readonly path: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  readonly ifMatch?: string | undefined;
  /** By how many milliseconds the sender's clock is ahead. */
  readonly clockAhead?: number;
  readonly address: string;
  readonly browser: Request["browser"];
  readonly callerNow: () => Promise<Callers[Endpoint["auth"]]>;
  readonly signal: () => AbortSignal;
  readonly setSession: Request["setSession"];
}

/** What an endpoint answers: a status with JSON text, a prepared answer, a file, or no body. */
export interface InvocationResult {
  readonly status: number;
  readonly body: string | PreparedAnswer | Download | undefined;
  /** Whether this is the stored answer to an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
}

/** Calls the handler of an endpoint. Throws the ApiErrors that the endpoint declares. */
export type Invoke = (incoming: IncomingRequest) => Promise<InvocationResult>;

/** The text of a field of a value that may be unchecked, trimmed and cut. Empty if the field is missing or not text. */
export function fieldOf(value: unknown, name: string): string {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return "";
  const field: unknown = Reflect.get(value, name);
  return typeof field === "string" ? field.trim().slice(0, mostCharacters) : "";
}

const mostCharacters = 500;
