import type * as z from "zod/mini";
import type { ErrorCode } from "./errors.ts";
import type { RateLimitName } from "./limits.ts";

/** Whom an endpoint believes. `console`: a console session or a maintainer token; `session`: only a person signed in. */
export type Auth = "none" | "appKey" | "agentToken" | "deviceToken" | "console" | "session";

/** What a maintainer token or an app key must be good for. */
export const maintainerScopes = [
  "feedback:read",
  "feedback:write",
  "faqs:write",
  "changelog:write",
  "testing:manage",
  "apps:read",
] as const;
export type MaintainerScope = (typeof maintainerScopes)[number];

/** What a device token is good for: closed testing and nothing else. (rule K5) */
export const deviceScopes = [
  "testing:read",
  "testing:profile:write",
  "testing:slots:write",
  "testing:proofs:write",
] as const;

export type DeviceScope = (typeof deviceScopes)[number];

export type Scope = MaintainerScope | DeviceScope;

/** A limit that every attempt uses up, whatever becomes of it, and what together names who is limited. */
export interface Attempt {
  readonly limit: RateLimitName;
  readonly by: readonly ("account" | "address" | `body.${string}`)[];
}

/** Whose test cycles an endpoint reads or changes, and which part of the request holds the id. */
export interface CatchUp {
  readonly of: "cycle" | "listing" | "slot" | "tester";
  readonly by: "account" | `params.${string}` | `body.${string}`;
}

/** One row of the API, as data. Routes, validation, answers, the client and OpenAPI are derived from it. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: `/${string}`;
  readonly summary: string;
  readonly auth: Auth;
  readonly scope?: Scope;
  readonly params?: z.ZodMiniObject;
  readonly query?: z.ZodMiniObject;
  readonly body?: z.ZodMiniObject;
  /**
   * `upload`: a large body with files, as JSON with data URLs or as multipart/form-data; `form`: as multipart/form-data
   * only.
   */
  readonly bodyKind?: "json" | "upload" | "form";
  readonly success: { readonly status: 200 | 201; readonly body: z.ZodMiniType } | { readonly status: 204 };
  /** It may also answer 202 with `{}`: not yet. */
  readonly pending?: true;
  /** Its answer may be large: a client reads more of it, and longer, than of others. */
  readonly large?: true;
  /** The parameter of the path that the answer's `id` repeats: a client believes no answer about another thing. */
  readonly repeats?: string;
  /** The codes that are particular to it; `errorsOf` adds those that its other traits bring. */
  readonly errors: readonly ErrorCode[];
  readonly rateLimit?: RateLimitName;
  /** Who is limited: this field of the body tells, not the credential. */
  readonly rateLimitBy?: string;
  /** What some of its requests use up instead: its handler tells which. */
  readonly otherRateLimit?: RateLimitName;
  /** The bytes of its bodies are counted, too, by the hour. */
  readonly countsBytes?: true;
  /** A body that is refused uses up the rate limit, too: finding out what is wrong with it is dear. */
  readonly countsRefusals?: true;
  readonly attempts?: readonly Attempt[];
  /** Fields of the body that, beside the credential, tell whose an Idempotency-Key is. */
  readonly repeatableBy?: readonly string[];
  /** How long a repeat gets the stored answer, in seconds; a day where it is not said. */
  readonly repeatableSeconds?: number;
  /** Refusals that a repeat must get again, beside those of status 409 and 422. */
  readonly keptRefusals?: readonly ErrorCode[];
  /** The changes that are due in these cycles are made before its handler starts. */
  readonly catchesUp?: CatchUp;
  /** It works on for those who use it; this is the path of what others use. */
  readonly successor?: `/${string}`;
  /** Its answer holds a secret: caches must not store it, and where a repeat gets it again it is kept encrypted. */
  readonly answersSecret?: true;
}

export type Group = Readonly<Record<string, Endpoint>>;

export const endpoint = <const E extends Endpoint>(definition: E): E => definition;

export const isMutation = ({ method }: Pick<Endpoint, "method">): boolean => method !== "GET";

/** Whether an Idempotency-Key works there: it needs a credential, or fields of the body, that tell whose it is. */
export const isRepeatable = (endpoint: Pick<Endpoint, "method" | "auth" | "repeatableBy">): boolean =>
  isMutation(endpoint) && (endpoint.auth !== "none" || endpoint.repeatableBy !== undefined);

/** Every code that an endpoint can answer, sorted by status as the catalogue is. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const codes: ErrorCode[] = [...authErrors[endpoint.auth], ...endpoint.errors];
  if (endpoint.scope) codes.push("insufficient_scope");
  if (endpoint.params || endpoint.query || endpoint.body) codes.push("bad_request");
  if (endpoint.body) codes.push("payload_too_large", "unsupported_media_type");
  if (isMutation(endpoint)) codes.push("bad_request");
  if (isRepeatable(endpoint)) codes.push("idempotency_in_progress", "idempotency_mismatch");
  if (endpoint.rateLimit || endpoint.attempts) codes.push("rate_limited");
  return [...new Set<ErrorCode>([...codes, "internal", "busy"])];
}

const authErrors: Record<Auth, readonly ErrorCode[]> = {
  none: [],
  appKey: ["invalid_api_key"],
  agentToken: ["invalid_token"],
  deviceToken: ["invalid_token"],
  console: ["sign_in_required", "invalid_token", "forbidden"],
  session: ["sign_in_required", "forbidden"],
};
