import type * as z from "zod/mini";
import type { ErrorCode } from "./errors.ts";
import type { RateLimitName } from "./limits.ts";

/**
 * The credentials that an endpoint accepts. `console` means a console session or maintainer token. `session`
 * means only a console session.
 */
export type Auth = "none" | "appKey" | "agentToken" | "deviceToken" | "console" | "session";

/** The scopes of maintainer tokens and app keys. */
export const maintainerScopes = [
  "feedback:read",
  "feedback:write",
  "faqs:write",
  "changelog:write",
  "testing:manage",
  "apps:read",
  "apps:write",
  "audit:read",
  "apps:export",
  "events:read",
] as const;
export type MaintainerScope = (typeof maintainerScopes)[number];

/** The rights that a person can give to a connected agent. Every connected agent can read. */
export const connectionScopes = ["read", "propose", "runs:work"] as const;
export type ConnectionScope = (typeof connectionScopes)[number];

/** The scopes of device tokens. They give access only to closed testing. (rule K5) */
export const deviceScopes = [
  "testing:read",
  "testing:profile:write",
  "testing:slots:write",
  "testing:proofs:write",
] as const;

export type DeviceScope = (typeof deviceScopes)[number];

/** The scopes of agent tokens. Every agent token can read threads and propose plans without a scope. */
export const agentScopes = ["runs:work"] as const;
export type AgentScope = (typeof agentScopes)[number];

/** The scopes that a person can give to a new token. */
export const tokenScopes = [...maintainerScopes, ...agentScopes] as const;
export type TokenScope = (typeof tokenScopes)[number];

export type Scope = MaintainerScope | DeviceScope | AgentScope;

/** The roles of members of an app, from the most to the fewest rights. (rule K20) */
export const roles = ["owner", "maintainer", "viewer"] as const;
export type Role = (typeof roles)[number];

/**
 * A limit of successful and failed attempts. Attempts with the same values of the `by` fields are counted
 * together.
 */
export interface AttemptLimit {
  readonly limit: RateLimitName;
  readonly by: readonly ("account" | "address" | `body.${string}`)[];
}

/** The files that a large body may contain, and the maximum size of the body. */
export interface UploadRules {
  /** The fields for files, with the maximum bytes of a file. In a `named` field, a file is `{name, data}`. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly named?: boolean }>>;
  /** The field that may contain any JSON object. In a form it is JSON text. */
  readonly anyJson?: string;
  /** The maximum number of bytes of the whole body. */
  readonly bodyBytes: number;
}

/** An example of a request body and of an answer. */
interface Example {
  readonly request?: unknown;
  readonly answer?: unknown;
}

/** One endpoint as data. Routes, validation, answers, the client and OpenAPI are derived from it. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: `/${string}`;
  readonly summary: string;
  readonly auth: Auth;
  readonly scope?: Scope;
  /**
   * The lowest role that the caller needs in the app. With `account`, the request is about the caller's own
   * account.
   */
  readonly role?: Role | "account";
  /** The path parameter with a token id. A token needs no scope for a request about itself. (rule K12) */
  readonly ownToken?: string;
  readonly params?: z.ZodMiniObject;
  readonly query?: z.ZodMiniObject;
  readonly body?: z.ZodMiniObject;
  /**
   * Large bodies with files: `upload` is JSON with data URLs or multipart/form-data, `form` only multipart/form-data.
   */
  readonly bodyKind?: "json" | "upload" | "form";
  /** Set if `bodyKind` is `upload` or `form`. Not set for other endpoints. */
  readonly upload?: UploadRules;
  /** The maximum number of bytes of a JSON body. The default is 1 MiB. */
  readonly bodyBytes?: number;
  /** Whether the request must have the header `If-Match` with the ETag of the data that it changes. */
  readonly ifMatch?: true;
  /** Whether the body has a time of the sender's clock. The header `Date` must come from the same clock. */
  readonly readsClock?: true;
  readonly success:
    | { readonly status: 200 | 201; readonly body: z.ZodMiniType }
    /** The answer is a file. `download` lists the media types that the file may have. */
    | { readonly status: 200; readonly download: readonly string[] }
    /** The answer stays open and sends events as `text/event-stream`. `events` is the schema of an event's data. */
    | { readonly status: 200; readonly events: z.ZodMiniType }
    | { readonly status: 204 };
  /** Whether the endpoint may also answer 202 with `{}`, which means that there is no result yet. */
  readonly pending?: true;
  /** Whether the answer may be large. For a large answer, a client accepts more bytes and waits longer. */
  readonly large?: true;
  /**
   * Whether servers may answer with other fields or without fields, because the specification does not define the
   * answer. (rule L60)
   */
  readonly openAnswer?: true;
  /** The path parameter that must equal the answer's `id`. A client refuses an answer about another object. */
  readonly repeats?: string;
  /**
   * The error codes that are specific to this endpoint. `errorsOf` adds the codes that follow from its other fields.
   */
  readonly errors: readonly ErrorCode[];
  readonly rateLimit?: RateLimitName;
  /**
   * If set, `rateLimit` counts requests with the same value of this body field instead of requests with the same
   * credential.
   */
  readonly rateLimitBy?: string;
  /** The rate limit that some requests use instead of `rateLimit`. The handler decides which requests. */
  readonly otherRateLimit?: RateLimitName;
  /** Whether there is also a limit for the total bytes of all bodies within an hour. */
  readonly countsBytes?: true;
  /** Whether a refused body also counts for the rate limit, because finding its faults is expensive. */
  readonly countsRefusals?: true;
  readonly attempts?: readonly AttemptLimit[];
  /**
   * The body fields that identify the sender of an Idempotency-Key. A credential in the request identifies the
   * sender, too.
   */
  readonly repeatableBy?: readonly string[];
  /** For how many seconds a repeated request gets the stored answer. The default is one day. */
  readonly repeatableSeconds?: number;
  /** The path of the endpoint that replaces this endpoint. Only set if this endpoint is deprecated. */
  readonly successor?: `/${string}`;
  /**
   * Set if the answer contains a secret. Caches must not store the answer. The server stores the answer only
   * encrypted.
   */
  readonly answersSecret?: true;
  /** Examples, which are valid for the schemas of the endpoint. */
  readonly example?: Example;
}

export type Group = Readonly<Record<string, Endpoint>>;

export const endpoint = <const E extends Endpoint>(definition: E): E => definition;

export const isMutation = ({ method }: Pick<Endpoint, "method">): boolean => method !== "GET";

/** Whether the caller needs a role in the app that the request is about. */
export const needsRole = ({ role }: Pick<Endpoint, "role">): boolean =>
  role !== undefined && role !== "account";

/**
 * Whether the endpoint accepts an Idempotency-Key. A credential or fields of the body must identify the sender.
 */
export const isRepeatable = (endpoint: Pick<Endpoint, "method" | "auth" | "repeatableBy">): boolean =>
  isMutation(endpoint) && (endpoint.auth !== "none" || endpoint.repeatableBy !== undefined);

/** Whether refused requests count for a rate limit of the sender's credential or address. (rule H18) */
const countsSender = ({ auth, body }: Pick<Endpoint, "auth" | "body">): boolean =>
  auth !== "none" || body !== undefined;

/** Returns every error code that an endpoint can answer. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const codes: ErrorCode[] = [...authErrors[endpoint.auth], ...endpoint.errors];
  if (endpoint.scope) codes.push("insufficient_scope");
  if (endpoint.params || endpoint.query || endpoint.body) codes.push("bad_request");
  if (endpoint.body) codes.push("payload_too_large", "unsupported_media_type");
  if (isMutation(endpoint)) codes.push("bad_request");
  if (endpoint.ifMatch) codes.push("precondition_required", "precondition_failed");
  if (isRepeatable(endpoint)) codes.push("idempotency_in_progress", "idempotency_mismatch");
  if (endpoint.rateLimit || endpoint.attempts || countsSender(endpoint)) codes.push("rate_limited");
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

/** Whether a role includes all rights of the role `needs`. (rule K20) */
export const suffices = (role: Role, needs: Role): boolean => roles.indexOf(role) <= roles.indexOf(needs);

/** Returns the roles that include all rights of the role `needs`. */
export const rolesFrom = (needs: Role): readonly Role[] => roles.filter((role) => suffices(role, needs));
