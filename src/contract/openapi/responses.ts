import { type Endpoint, errorsOf, isMutation, isRepeatable } from "../endpoint.ts";
import { type ErrorCode, errorCatalogue } from "../errors.ts";
import { type HeaderName, headerRefs, type Json } from "./components.ts";
import type { Schemas } from "./schemas.ts";

/** The answers of an endpoint by status. `example` is the body of a success. */
export const responses = (endpoint: Endpoint, schemas: Schemas, example: unknown): Record<string, Json> => ({
  [endpoint.success.status]: success(endpoint, schemas, example),
  ...(endpoint.pending ? { 202: pending } : {}),
  ...(isMutation(endpoint) || isDownload(endpoint) ? {} : { 304: notModified }),
  ...errors(endpoint),
});

const pending: Json = {
  description: "Not yet: ask again.",
  headers: headerRefs(["X-Request-Id"]),
  content: { "application/json": { schema: { type: "object", maxProperties: 0 } } },
};

const notModified: Json = {
  description: "The client's answer is current.",
  headers: headerRefs(["X-Request-Id", "ETag"]),
};

function success(endpoint: Endpoint, schemas: Schemas, example: unknown): Json {
  const common = { headers: headerRefs(headersOf(endpoint)) };
  if ("download" in endpoint.success)
    return { description: "The file", ...common, content: fileOf(endpoint.success.download) };
  if (!("body" in endpoint.success)) return { description: "Done", ...common };
  const schema = schemas.of(endpoint.success.body, "output");
  const content = { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
  return { description: "Success", ...common, content };
}

const fileOf = (mediaTypes: readonly string[]): Json =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: "string", format: "binary" } }]));

const isDownload = ({ success }: Endpoint): boolean => "download" in success;

const headersOf = (endpoint: Endpoint): HeaderName[] => [
  "X-Request-Id",
  ...(isRepeatable(endpoint) ? ["Idempotent-Replay" as const] : []),
  ...(endpoint.method === "GET" && !isDownload(endpoint) ? ["ETag" as const] : []),
  ...(endpoint.successor ? (["Deprecation", "Link"] as const) : []),
];

function errors(endpoint: Endpoint): Record<string, Json> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(endpoint)) {
    const { status } = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const entries = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(entries.map(([status, codes]) => [status, error(status, codes)]));
}

const error = (status: number, codes: readonly ErrorCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join("\n\n"),
  headers: headerRefs(["X-Request-Id", ...(headersOfErrors[status] ?? [])]),
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      example: { error: errorCatalogue[codes[0] ?? "internal"].message, code: codes[0] ?? "internal" },
    },
  },
});

const headersOfErrors: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};
