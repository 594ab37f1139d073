import type { Auth } from "../endpoint.ts";
import { errorCatalogue } from "../errors.ts";

export type Json = Record<string, unknown>;

/** The values of a list that later versions may extend. */
export const openListWord = "x-extensible-enum";

/** An example of a request body and of an answer. */
export interface Example {
  readonly request?: unknown;
  readonly answer?: unknown;
}

export const securitySchemes = {
  appKey: { type: "apiKey", in: "header", name: "x-api-key", description: "An app key (`sdk_…`)" },
  agentToken: { type: "http", scheme: "bearer", description: "An agent token (`sda_…`)" },
  deviceToken: { type: "http", scheme: "bearer", description: "A tester's device token (`sdt_…`)" },
  maintainerToken: { type: "http", scheme: "bearer", description: "A maintainer token (`sdm_…`)" },
  session: { type: "apiKey", in: "cookie", name: "innkeep", description: "A console session" },
};

/** The credentials that each kind of endpoint accepts: one of the list. */
export const security: Record<Auth, readonly Json[]> = {
  none: [],
  appKey: [{ appKey: [] }],
  agentToken: [{ agentToken: [] }],
  deviceToken: [{ deviceToken: [] }],
  console: [{ session: [] }, { maintainerToken: [] }],
  session: [{ session: [] }],
};

/** Headers of answers, by their name. */
export const headers = {
  "X-Request-Id": {
    description: "Names this request; the server's log has the same id.",
    schema: { type: "string" },
  },
  "Idempotent-Replay": {
    description:
      "`true` where this is the stored answer to an earlier request with the same Idempotency-Key.",
    schema: { type: "string", enum: ["true"] },
  },
  ETag: {
    description:
      "Names this version of the answer; send it as `If-None-Match` to get a 304 while it is current.",
    schema: { type: "string" },
  },
  "Retry-After": {
    description: "How many seconds to wait before you send the request again.",
    schema: { type: "integer", minimum: 1 },
  },
  "WWW-Authenticate": {
    description: "The kind of credential that this endpoint takes.",
    schema: { type: "string" },
  },
  Deprecation: {
    description: "Since when this endpoint is deprecated: `@` and seconds since 1970.",
    schema: { type: "string" },
  },
  Link: { description: "Names the endpoint that replaces this one.", schema: { type: "string" } },
};

export type HeaderName = keyof typeof headers;

/** References to headers of answers. */
export const headerRefs = (names: readonly HeaderName[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const errorSchema = {
  type: "object",
  required: ["error", "code"],
  properties: {
    error: { type: "string", description: "A sentence for a person: what happened and what to do next" },
    code: { type: "string", [openListWord]: Object.keys(errorCatalogue) },
    issues: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
    dayIndex: { type: "integer" },
    runId: { type: ["string", "null"] },
    mayResume: { type: "boolean", description: "The caller may take up the claim with `resume: true`." },
    entryId: { type: "string", format: "uuid" },
    step: { type: "string", description: "The sealed first step of a sign-in, for the second factor." },
    reasons: { type: "array", items: { type: "string" } },
    requestId: { type: "string" },
  },
};
