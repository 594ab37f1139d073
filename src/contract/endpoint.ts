import type * as z from "zod/mini";
import type { ErrorCode } from "./errors.ts";
import type { RateLimitName } from "./limits.ts";

/**
 * The credentials that an endpoint accepts. `console`: a console session or a maintainer token; `session`: only a person
 * signed in.
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
] as const;
export type MaintainerScope = (typeof maintainerScopes)[number];

/** The rights that a person can give to a connection of an agent. Every connection can read. */
export const connectionScopes = ["read", "propose", "runs:work"] as const;
export type ConnectionScope = (typeof connectionScopes)[number];

/** The scopes of device tokens: closed testing and nothing else. (rule K5) */
export const deviceScopes = [
  "testing:read",
  "testing:profile:write",
  "testing:slots:write",
  "testing:proofs:write",
] as const;

export type DeviceScope = (typeof deviceScopes)[number];

/** The scopes of agent tokens. Every agent token reads and proposes without a scope. */
export const agentScopes = ["runs:work"] as const;
export type AgentScope = (typeof agentScopes)[number];

/** The scopes that a person can give to a new token. */
export const tokenScopes = [...maintainerScopes, ...agentScopes] as const;
export type TokenScope = (typeof tokenScopes)[number];

export type Scope = MaintainerScope | DeviceScope | AgentScope;

/** The roles of members of an app, from the most to the fewest rights. (rule K20) */
export const roles = ["owner", "maintainer", "viewer"] as const;
export type Role = (typeof roles)[number];

/** A limit that counts every attempt, whatever its result, and the parts of the request that form its key. */
export interface AttemptLimit {
  readonly limit: RateLimitName;
  readonly by: readonly ("account" | "address" | `body.${string}`)[];
}

/** The files of a large body, and its limits. */
export interface UploadRules {
  /** The fields that take files, and the bytes of each file. A `named` file has a name in its field: `{name, data}`. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly named?: boolean }>>;
  /** The field that may hold any JSON object. In a form it is JSON text. */
  readonly anyJson?: string;
  /** Bytes of the whole body. */
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
   * The least role that the caller needs in the app that the request is about. In a list: in each app of which it shows
   * something. `account`: the request is about the caller's own account. Given exactly for requests of people and agents.
   */
  readonly role?: Role | "account";
  /** The path parameter that names a token. A token may send this request about itself without the scope. (rule K12) */
  readonly ownToken?: string;
  readonly params?: z.ZodMiniObject;
  readonly query?: z.ZodMiniObject;
  readonly body?: z.ZodMiniObject;
  /**
   * `upload`: a large body with files, as JSON with data URLs or as multipart/form-data; `form`: as multipart/form-data
   * only.
   */
  readonly bodyKind?: "json" | "upload" | "form";
  /** Given exactly for the kinds `upload` and `form`. */
  readonly upload?: UploadRules;
  /** The most bytes of a JSON body; 1 MiB unless given. */
  readonly bodyBytes?: number;
  /** The request must name in `If-Match` the ETag of what it changes. */
  readonly ifMatch?: true;
  /** The request names an instant of its sender's clock, so its header `Date` must have the time of that clock. */
  readonly readsClock?: true;
  readonly success:
    | { readonly status: 200 | 201; readonly body: z.ZodMiniType }
    /** The answer is a file of one of these media types. */
    | { readonly status: 200; readonly download: readonly string[] }
    | { readonly status: 204 };
  /** The endpoint may also answer 202 with `{}`: there is no result yet. */
  readonly pending?: true;
  /** The answer may be large: a client accepts more bytes, and waits longer, than for other answers. */
  readonly large?: true;
  /** Servers may answer with other fields, or with none: the specification leaves them open. */
  readonly openAnswer?: true;
  /** The path parameter that must equal the answer's `id`: a client refuses an answer about another object. */
  readonly repeats?: string;
  /** The codes of this endpoint alone. `errorsOf` adds the codes of its other traits. */
  readonly errors: readonly ErrorCode[];
  readonly rateLimit?: RateLimitName;
  /** The field of the body by which requests are limited, instead of the credential. */
  readonly rateLimitBy?: string;
  /** The limit that some of its requests use instead. The handler decides which. */
  readonly otherRateLimit?: RateLimitName;
  /** The bytes of its bodies are also limited by the hour. */
  readonly countsBytes?: true;
  /** A refused body also uses up the rate limit, because finding its faults is expensive. */
  readonly countsRefusals?: true;
  readonly attempts?: readonly AttemptLimit[];
  /** Fields of the body that, with the credential if there is one, identify the sender of an Idempotency-Key. */
  readonly repeatableBy?: readonly string[];
  /** For how many seconds a repeat of a request gets the stored answer. A day if not given. */
  readonly repeatableSeconds?: number;
  /** The endpoint is deprecated but still works. This is the path of its successor. */
  readonly successor?: `/${string}`;
  /** The answer holds a secret: caches must not store it, and the server encrypts it when it stores it for repeats. */
  readonly answersSecret?: true;
  /** Valid by the schemas of the endpoint. */
  readonly example?: Example;
}

export type Group = Readonly<Record<string, Endpoint>>;

export const endpoint = <const E extends Endpoint>(definition: E): E => definition;

export const isMutation = ({ method }: Pick<Endpoint, "method">): boolean => method !== "GET";

/** Whether the caller needs a role in the app that the request is about. */
export const needsRole = ({ role }: Pick<Endpoint, "role">): boolean =>
  role !== undefined && role !== "account";

/**
 * Whether the endpoint accepts an Idempotency-Key. It needs a credential, or fields of the body, that identify the
 * sender.
 */
export const isRepeatable = (endpoint: Pick<Endpoint, "method" | "auth" | "repeatableBy">): boolean =>
  isMutation(endpoint) && (endpoint.auth !== "none" || endpoint.repeatableBy !== undefined);

/** Whether refused requests use up a limit of the sender's credential or address. (rule H18) */
const countsSender = ({ auth, body }: Pick<Endpoint, "auth" | "body">): boolean =>
  auth !== "none" || body !== undefined;

/** Every code that an endpoint can answer. */
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
