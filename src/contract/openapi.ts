import * as z from "zod/mini";
import { type Auth, type Endpoint, errorsOf, type Group, isMutation } from "./endpoint.ts";
import { type ErrorCode, errorCatalogue } from "./errors.ts";
import { contract } from "./index.ts";
import { limits } from "./limits.ts";

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the whole API, derived from the contract. */
export function createOpenApi(baseUrl: string): Json {
  const groups: [string, Group][] = Object.entries(contract);
  const paths: Record<string, Json> = {};
  for (const [tag, group] of groups) {
    for (const [name, endpoint] of Object.entries(group)) {
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}");
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(tag, name, endpoint) };
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Feedback, Support Content and Closed-Testing API", version: "1" },
    servers: [{ url: baseUrl }],
    paths,
    components: { securitySchemes, schemas: { Error: errorSchema } },
  };
}

const operation = (tag: string, name: string, endpoint: Endpoint): Json => ({
  tags: [tag],
  operationId: `${tag}.${name}`,
  summary: endpoint.summary,
  ...(endpoint.scope ? { description: `Needs the scope \`${endpoint.scope}\`.` } : {}),
  ...(endpoint.successor ? { deprecated: true } : {}),
  security: security[endpoint.auth],
  parameters: parameters(endpoint),
  ...(endpoint.body ? { requestBody: requestBody(endpoint) } : {}),
  responses: {
    [endpoint.success.status]: success(endpoint),
    ...(endpoint.pending ? { 202: { description: "Not yet: ask again" } } : {}),
    ...errors(endpoint),
  },
});

function parameters(endpoint: Endpoint): Json[] {
  const params = Object.entries(endpoint.params?.shape ?? {}).map(([name, schema]) =>
    parameter("path", name, schema),
  );
  const query = Object.entries(endpoint.query?.shape ?? {}).map(([name, schema]) =>
    parameter("query", name, schema),
  );
  return [...params, ...query, ...(isMutation(endpoint) ? [idempotencyKey] : [])];
}

const parameter = (place: "path" | "query", name: string, schema: z.core.$ZodType): Json => ({
  name,
  in: place,
  required: place === "path" || schema._zod.optin !== "optional",
  schema: jsonSchema(schema, "input"),
});

const idempotencyKey: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "A repeat with the same key gets the stored answer, marked `Idempotent-Replay: true`.",
  schema: { type: "string", minLength: 1, maxLength: limits.idempotencyKey },
};

function requestBody({ body, bodyKind }: Endpoint): Json {
  const schema = body ? jsonSchema(body, "input") : {};
  const json = { "application/json": { schema } };
  const form = { "multipart/form-data": { schema } };
  return {
    required: true,
    content: { ...(bodyKind === "form" ? {} : json), ...(bodyKind && bodyKind !== "json" ? form : {}) },
  };
}

function success({ success }: Endpoint): Json {
  if (!("body" in success)) return { description: "Done" };
  return {
    description: "Success",
    content: { "application/json": { schema: jsonSchema(success.body, "output") } },
  };
}

function errors(endpoint: Endpoint): Record<string, Json> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(endpoint)) {
    const { status } = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
  const entries = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    entries.map(([status, codes]) => [status, { description: tell(codes), content }]),
  );
}

const tell = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join("\n\n");

function jsonSchema(schema: z.core.$ZodType, io: "input" | "output"): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any", override: open });
  return rest;
}

/** Unknown fields are ignored in requests, and may come in answers of later versions. */
function open({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

const securitySchemes = {
  appKey: { type: "apiKey", in: "header", name: "x-api-key" },
  agentToken: { type: "http", scheme: "bearer", description: "An agent token (`sda_…`)" },
  deviceToken: { type: "http", scheme: "bearer", description: "A tester's device token (`sdt_…`)" },
  maintainerToken: { type: "http", scheme: "bearer", description: "A maintainer token (`sdm_…`)" },
  session: { type: "apiKey", in: "cookie", name: "innkeep", description: "A console session" },
};

const security: Record<Auth, readonly Json[]> = {
  none: [],
  appKey: [{ appKey: [] }],
  agentToken: [{ agentToken: [] }],
  deviceToken: [{ deviceToken: [] }],
  console: [{ session: [] }, { maintainerToken: [] }],
  session: [{ session: [] }],
};

const errorSchema = {
  type: "object",
  required: ["error", "code"],
  properties: {
    error: { type: "string", description: "A sentence for a person: what happened and what to do next" },
    code: { type: "string", enum: Object.keys(errorCatalogue) },
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
    reasons: { type: "array", items: { type: "string" } },
    requestId: { type: "string" },
  },
};
